#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnVerifier

struct VerifyAndroidChains: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "android-chains",
        abstract: "Judges chains of Android key attestation, as the server does at an enrolment.",
        discussion: """
            A case has "chainDerB64": the certificates in DER and base64, that of the key first, with their root or without. \
            Every other member is ignored. The time is this machine's, unless --at names another.

            Without --package only the path is judged: signatures and names lead from one of Google's roots to the key by the \
            way that Google's devices have, the dates that count are kept, the key lives in the trusted environment or in a \
            StrongBox, as its certificates claim, and no certificate is on the status list of --status.

            With --package the whole policy is judged: a P-256 key with SHA-256 that was made in the hardware, only signs, demands \
            --verification at each use, and was made by this app on a device that booted its maker's system. Each row of the \
            policy that does not hold is listed. Without --signing-digest the app's signature is not compared. The challenge is \
            never compared: a file has none that was spent.

            The member "evidence" of an enrolment, as a device sent it, is judged too: the chain of each kind of key is a \
            case of this name.

            A line of --json also has "securityLevel" (Software, TrustedEnvironment or StrongBox) and "userVerification" (none, \
            passcode or biometric), where the key's description could be read.

            \(EvidenceOptions.exitStatus)
            """
    )

    @OptionGroup var evidence: EvidenceOptions
    @OptionGroup var time: EvidenceTimeOption
    @OptionGroup var trusted: EvidenceRootOptions

    @Option(help: "Google's status list in JSON, as https://android.googleapis.com/attestation/status has it.")
    var status: String?

    @Option(help: "Judge the whole policy for the app of this package. May be repeated.")
    var package: [String] = []

    @Option(help: "The SHA-256 of a certificate that may have signed the app, in hexadecimal. May be repeated.")
    var signingDigest: [String] = []

    @Option(help: "With --package: the user verification that the key has to demand: none, passcode or biometric.")
    var verification = Verification.biometric

    enum Verification: String, ExpressibleByArgument, CaseIterable, Sendable {
        case none, passcode, biometric

        var demanded: UserVerification {
            switch self {
            case .none: .none
            case .passcode: .passcode
            case .biometric: .biometric
            }
        }
    }

    @Option(help: "With --package: the oldest security patch, for example 2026-06.")
    var patchLevel: String?

    func validate() throws {
        guard signingDigest.allSatisfy({ Hex.sha256($0) != nil }) else {
            throw ValidationError("--signing-digest must be 64 hexadecimal digits, with or without colons.")
        }
        guard patchLevel == nil || level != nil else { throw ValidationError("--patch-level must be a month such as 2026-06.") }
        guard !package.isEmpty || (signingDigest.isEmpty && patchLevel == nil && verification == .biometric) else {
            throw ValidationError("--signing-digest, --verification and --patch-level need --package.")
        }
    }

    func run() async throws {
        let roots = try trusted.anchors(or: TrustAnchor.googleHardware)
        let now = time.time ?? .ofThisMachine
        let list = try status.map { path in
            let json = try EvidenceOptions.contents(path)
            do throws(EvidenceRefusal) {
                // The list is the one to judge by, however old the file is.
                return try AndroidStatusList(json: Array(json), fetched: now)
            } catch {
                throw EvidenceOptions.unreadable(path, error.explanation)
            }
        }
        try evidence.judge(try evidence.read(for: .androidChains)) { [finding($0, roots, list, now)] }
    }

    private func finding(
        _ sample: EvidenceCase, _ roots: [TrustAnchor], _ list: AndroidStatusList?, _ now: UnixTime
    ) -> EvidenceFinding {
        var finding = EvidenceFinding(sample.name)
        do throws(EvidenceRefusal) {
            let chain = try sample.allBytes(sample.isAsSent ? "chains" : "chainDerB64")
            let facts = try AndroidKeyFacts(chain: chain, to: roots, at: now)
            finding.securityLevel = facts.description.attestationLevel
            finding.userVerification = facts.verification
            do throws(EvidenceRefusal) { try list?.check(facts.serials) } catch { finding.refusals.append(error) }
            finding.refusals += refusals(of: facts)
            finding.facts = sentences(facts, list)
            if finding.isAccepted { finding.level = .attestedHardware }
        } catch {
            finding.refusals = [error]
        }
        return finding
    }

    /// The rows of the policy that do not hold; without a package those about the place of the key.
    private func refusals(of facts: AndroidKeyFacts) -> [EvidenceRefusal] {
        let told = facts.description.softwareEnforced.application?.signingDigests ?? []
        let digests = signingDigest.isEmpty ? told : Set(signingDigest.compactMap(Hex.sha256))
        let policy = AndroidPolicy(
            apps: package.map { AndroidPolicy.App(package: $0, signingDigests: digests) }, verification: verification.demanded,
            minimumPatchLevel: level, status: AndroidStatusPolicy(maximumAge: .zero, whenUnknown: .accept))
        let all = facts.refusals(by: policy, challenge: nil, key: nil)
        guard !package.isEmpty else { return all.filter { $0.reason == .wrongSecurityLevel } }
        var question = "asked for was \(package.joined(separator: " or "))"
        if !signingDigest.isEmpty {
            let found = told.isEmpty ? "nothing" : told.map { Hex.text($0) }.sorted().joined(separator: " and ")
            question += " signed by \(signingDigest.joined(separator: " or ")), and this app is signed by \(found)"
        }
        return all.map { [question] in $0.reason == .wrongApp ? $0.adding(question) : $0 }
    }

    private func sentences(_ facts: AndroidKeyFacts, _ list: AndroidStatusList?) -> [String] {
        let way =
            switch facts.provisioning {
            case .factory: "The attestation key came into the device in the factory"
            case .remote: "The attestation key came into the device from Google's servers"
            case .none: "The root issued the attestation key itself"
            }
        var all = [
            "\(way); the root's public key has the SHA-256 \(Hex.text(facts.root.spkiSHA256)).",
            "The key is in \(facts.description.attestationLevel) and demands \(facts.verification == .none ? "no" : "the") "
                + "\(facts.verification == .none ? "user verification" : facts.verification.rawValue) at each use, by version "
                + "\(facts.description.version) of the attestation.",
        ]
        if let app = facts.description.softwareEnforced.application {
            // The apps of the system share one user id, and are many.
            let (names, more) = (app.packages.prefix(3).map(\.name).joined(separator: ", "), app.packages.count - 3)
            all.append("The system says that the key belongs to \(names)\(more > 0 ? " and \(more) more" : "").")
        }
        if list == nil { all.append("Whether a certificate is revoked was not checked: give Google's list with --status.") }
        if !package.isEmpty, signingDigest.isEmpty {
            all.append("Who signed the app was not compared: give the digest with --signing-digest.")
        }
        return all
    }

    // MARK: Options

    private var level: AndroidPatchLevel? {
        guard let parts = patchLevel?.split(separator: "-", omittingEmptySubsequences: false), parts.count == 2,
            let year = Int(parts[0]), let month = Int(parts[1])
        else { return nil }
        return AndroidPatchLevel(year: year, month: month)
    }
}
#endif
