#if Tools
import ArgumentParser
import Foundation

struct VerifyWycheproof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wycheproof",
        abstract: "Judges a file of Project Wycheproof by the verifier's own checks, and says where they differ.",
        discussion: """
            For files about P-256: ECDSA with SHA-256 in DER and in P1363 form, JWS and keys of ES256, and the public keys of ECDH, of which \
            the import alone is judged. Cases of anything else are named with the reason and count for nothing.

            Exit status: 0 all that was judged came out as the file says, 1 something did not, 2 nothing in the file could be judged, 64 \
            another usage, 66 the file cannot be read.
            """
    )

    @Argument(help: "A file of test vectors in JSON, for example ecdsa_secp256r1_sha256_test.json.")
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let json = FileManager.default.contents(atPath: file), let vectors = WycheproofFile(json: json) else {
            FileHandle.standardError.write(Data("thumbturn: \(file) cannot be read as a file of Project Wycheproof.\n".utf8))
            throw ExitCode(66)
        }
        let report = WycheproofReport(vectors)
        try output.say(report.sentences, report)
        if !report.holds { throw ExitCode(1) }
        if report.judged == 0 { throw ExitCode(2) }
    }
}
#endif
