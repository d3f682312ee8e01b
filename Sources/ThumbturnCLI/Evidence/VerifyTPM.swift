#if Tools
import ArgumentParser
import Foundation
import ThumbturnVerifier

struct VerifyTPM: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tpm",
        abstract: "Judges attestation keys of TPMs that certify their own creation.",
        discussion: """
            A case has "Public" (TPMT_PUBLIC), "CreateData" (TPMS_CREATION_DATA), "CreateAttestation" (TPMS_ATTEST) and \
            "CreateSignature" (TPMT_SIGNATURE) in base64, and its name in "test". Every other member is ignored.

            An accepted case proves that the key has the attributes of an attestation key, and that it signed the statement about \
            its own creation. That the key is in a TPM needs the certificate of the endorsement key and a credential that the TPM \
            opens; a file has neither, so the level is always software. Evidence of an enrolment, as a device sent it, cannot \
            be judged without that credential; the server's log has the reason of its refusal.

            Old TPMs sign with SHA-1, which is broken, and is refused. --allow-sha1 weakens the judgement to take it.

            \(EvidenceOptions.exitStatus)
            """
    )

    @OptionGroup var evidence: EvidenceOptions

    @Flag(
        name: .customLong("allow-sha1"),
        help: "WEAKENS the judgement: take signatures over SHA-1, of which an attacker can make two with one hash.")
    var allowsSHA1 = false

    func run() async throws {
        let read = try evidence.read(for: .tpm)
        guard !read.isAsSent else {
            throw EvidenceOptions.failure(
                "\(evidence.file) cannot be judged: a TPM's evidence, as a device sends it, needs the credential that the server "
                    + "made for it. The server's log has the line `refused` with the reason and the explanation")
        }
        try evidence.judge(read) { [finding($0)] }
    }

    private func finding(_ sample: EvidenceCase) -> EvidenceFinding {
        do throws(EvidenceRefusal) {
            let facts = try read(sample).verify(accepting: allowsSHA1 ? Set(TPMHash.allCases) : [.sha256, .sha384, .sha512])
            var finding = EvidenceFinding(sample.name)
            finding.facts = [
                "The attestation key with the name \(facts.name) signed the statement about its own creation.",
                "The TPM's firmware has the version 0x\(String(facts.firmwareVersion, radix: 16)).",
                "That the key is in a TPM is not proved: the file has no endorsement certificate and no opened credential.",
            ]
            if facts.hash == .insecureSHA1 {
                finding.facts.append("WEAKENED: the signature is over SHA-1, which is taken by --allow-sha1 alone.")
            }
            return finding
        } catch {
            return EvidenceFinding(sample.name, error)
        }
    }

    /// Hands one case to the verifier's own reader, which reads a whole file or nothing.
    private func read(_ sample: EvidenceCase) throws(EvidenceRefusal) -> TPMActivationSample {
        var parts = ["test": sample.name]
        for name in ["Public", "CreateData", "CreateAttestation", "CreateSignature"] { parts[name] = try sample.text(name) }
        guard let json = try? JSONEncoder().encode([parts]), let read = try TPMActivationSample.read(json: Array(json)).first
        else { preconditionFailure("an array of one case is read as one case") }
        return read
    }
}
#endif
