#if Tools
import ArgumentParser
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnVerifier

struct VerifyAppAttest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-attest",
        abstract: "Judges attestations and assertions of Apple's App Attest, as the server does at an enrolment.",
        discussion: """
            A case has the members "attestation", "attestationClientDataHash" and "keyId" in base64, "appId" (team id, a \
            period, bundle id), "environment" ("development" or "production"), "suggestedVerificationTime", and "assertions": \
            none or more of {"assertion", "clientData"}, which are judged in their order, each with a counter greater than the \
            last accepted one. Every other member is ignored.

            Without "environment" production is taken, and without "suggestedVerificationTime" this machine's time. The \
            certificate of a key is valid for days, so judge a refused enrolment with --at at the time of the enrolment. \
            Each assertion is a case of its own in the output; those of a refused attestation are refused for its reason.

            The member "evidence" of an enrolment, as a device sent it, is judged too, as the app of --app-id: its attestation \
            alone, because the challenge and the keys that its assertion is over are not in it.

            \(EvidenceOptions.exitStatus)
            """
    )

    @OptionGroup var evidence: EvidenceOptions
    @OptionGroup var time: EvidenceTimeOption
    @OptionGroup var trusted: EvidenceRootOptions

    @Option(name: .customLong("app-id"), help: "Take this app id instead of the file's. May be repeated.")
    var appIDs: [String] = []

    @Option(help: "Take evidence of this environment alone, whatever the file says.")
    var environment: Environment?

    enum Environment: String, ExpressibleByArgument, CaseIterable, Sendable {
        case development, production
    }

    func run() async throws {
        let roots = try trusted.anchors(or: [.appleAppAttest])
        let now = UnixTime.ofThisMachine
        let read = try evidence.read(for: .appAttest)
        guard !read.isAsSent || !appIDs.isEmpty else {
            throw ValidationError("Evidence as a device sends it does not name its app: give the app's id with --app-id.")
        }
        try evidence.judge(read) { findings($0, roots, now) }
    }

    private func findings(_ sample: EvidenceCase, _ roots: [TrustAnchor], _ now: UnixTime) -> [EvidenceFinding] {
        var finding = EvidenceFinding(sample.name)
        let attested: Result<(AppAttestAttestation, AppAttestPolicy), EvidenceRefusal>
        do throws(EvidenceRefusal) {
            let (proved, policy) = try attestation(sample, roots, now)
            finding.level = .attestedApp
            finding.facts = Self.facts(proved, policy)
            attested = .success((proved, policy))
        } catch {
            finding.refusals = [error]
            attested = .failure(error)
        }
        if sample.isAsSent {
            finding.facts.append("The assertion was not judged: the challenge and the keys that it is over are not in the file.")
        }
        return [finding] + assertions(sample, of: attested)
    }

    /// What the attestation proves, and the policy that accepted it.
    private func attestation(
        _ sample: EvidenceCase, _ roots: [TrustAnchor], _ now: UnixTime
    ) throws(EvidenceRefusal) -> (AppAttestAttestation, AppAttestPolicy) {
        let attestation = try sample.bytes("attestation")
        let hash =
            sample.isAsSent
            ? Array(SHA256.hash(data: try sample.bytes("attested_value"))) : try sample.hash("attestationClientDataHash")
        let keyID = try sample.text(sample.isAsSent ? "key_id" : "keyId")
        let time = try self.time(of: sample, now)
        let policy = AppAttestPolicy(
            appIDs: appIDs.isEmpty ? [try sample.text("appId")] : Set(appIDs), environment: try environment(of: sample),
            device: .mobile, launch: .notChecked, roots: roots)
        do throws(EvidenceRefusal) {
            return try Self.verify(attestation, keyID, hash, policy, time)
        } catch {
            // The verifier knows hashes. Here is what they are of.
            switch error.reason {
            case .wrongApp: throw error.adding("asked for was \(policy.appIDs.sorted().joined(separator: " or "))")
            case .wrongKey: throw error.adding("the key id of the case is \(keyID)")
            case .wrongChallenge:
                throw error.adding("the client data hash of the case is \(Data(hash).base64EncodedString())")
            default: throw error
            }
        }
    }

    /// Verifies an attestation as one of a phone, or else as one of a Mac. A server says which kind of device its app is for. A
    /// file does not, so each kind is judged as itself.
    private static func verify(
        _ attestation: [UInt8], _ keyID: String, _ hash: [UInt8], _ policy: AppAttestPolicy, _ time: UnixTime
    ) throws(EvidenceRefusal) -> (AppAttestAttestation, AppAttestPolicy) {
        var policy = policy
        do throws(EvidenceRefusal) {
            let proved = try AppAttest.verify(
                attestation: attestation, keyID: keyID, clientDataHash: hash, policy: policy, at: time)
            return (proved, policy)
        } catch {
            guard error.reason == .notVerifiedBoot else { throw error }
            policy.device = .mac
            let proved = try AppAttest.verify(
                attestation: attestation, keyID: keyID, clientDataHash: hash, policy: policy, at: time)
            return (proved, policy)
        }
    }

    private func time(of sample: EvidenceCase, _ now: UnixTime) throws(EvidenceRefusal) -> UnixTime {
        if let time = time.time { return time }
        guard sample.has("suggestedVerificationTime") else { return now }
        guard let time = UnixTime(iso8601: try sample.text("suggestedVerificationTime")) else {
            throw EvidenceRefusal(.malformed, "expected a time of ISO 8601 as suggestedVerificationTime, found another text")
        }
        return time
    }

    private func environment(of sample: EvidenceCase) throws(EvidenceRefusal) -> AppAttestEnvironment {
        switch environment {
        case .development: return .development
        case .production: return .production
        case nil: break
        }
        guard sample.has("environment") else { return .production }
        guard let named = AppAttestEnvironment(rawValue: try sample.text("environment")) else {
            throw EvidenceRefusal(.malformed, "expected development or production as environment, found another text")
        }
        return named
    }

    private static func facts(_ proved: AppAttestAttestation, _ policy: AppAttestPolicy) -> [String] {
        let kind = policy.device == .mac ? "a Mac with full security" : "a genuine device"
        var facts = [
            "A genuine copy of the app \(proved.key.appID) made the key on \(kind), in the environment "
                + "\(proved.key.environment.rawValue).",
            "The key's certificate is valid until \(proved.notAfter.utc).",
        ]
        if let category = proved.launch.category {
            facts.append(
                "The system told the launch category \(category.rawValue) and the version "
                    + "\(proved.launch.bundleVersion.map { "\"\($0)\"" } ?? "of no bundle").")
        }
        return facts
    }

    // MARK: Assertions

    private func assertions(
        _ sample: EvidenceCase, of attested: Result<(AppAttestAttestation, AppAttestPolicy), EvidenceRefusal>
    ) -> [EvidenceFinding] {
        guard sample.has("assertions") else { return [] }
        var found: [EvidenceFinding] = []
        var lastCounter: UInt32 = 0
        do throws(EvidenceRefusal) {
            for (position, members) in try sample.list("assertions").enumerated() {
                let name = "\(sample.name) assertion \(position + 1)"
                // An assertion has no name of its own: the judgement's lines are found by that of the attestation.
                let one = EvidenceCase((members as? [String: Any])?.filter { $0.key != "name" && $0.key != "test" }, name: name)
                found.append(assertion(one, of: attested, &lastCounter))
            }
        } catch {
            found.append(EvidenceFinding("\(sample.name) assertions", error))
        }
        return found
    }

    private func assertion(
        _ sample: EvidenceCase, of attested: Result<(AppAttestAttestation, AppAttestPolicy), EvidenceRefusal>,
        _ lastCounter: inout UInt32
    ) -> EvidenceFinding {
        var appID: String?
        do throws(EvidenceRefusal) {
            let object = try sample.bytes("assertion")
            // The hash may stand in place of the data, as in the attestation's members.
            let isHashed = !sample.has("clientData") && sample.has("clientDataHash")
            let data = isHashed ? try sample.hash("clientDataHash") : try sample.bytes("clientData")
            guard case .success(let (proved, policy)) = attested else {
                guard case .failure(let refusal) = attested else { preconditionFailure("there are two results") }
                throw EvidenceRefusal(
                    refusal.reason, "expected an assertion by an accepted key, found one whose attestation is refused")
            }
            appID = proved.key.appID
            let used =
                isHashed
                ? try AppAttest.verify(
                    assertion: object, clientDataHash: data, key: proved.key, lastCounter: lastCounter, policy: policy)
                : try AppAttest.verify(
                    assertion: object, clientData: data, key: proved.key, lastCounter: lastCounter, policy: policy)
            var finding = EvidenceFinding(sample.name)
            finding.level = .attestedApp
            finding.facts = ["The attested key signed this client data, with the counter \(used.counter) after \(lastCounter)."]
            lastCounter = used.counter
            return finding
        } catch {
            guard error.reason == .wrongApp, let appID else { return EvidenceFinding(sample.name, error) }
            return EvidenceFinding(sample.name, error.adding("the key's app is \(appID)"))
        }
    }
}
#endif
