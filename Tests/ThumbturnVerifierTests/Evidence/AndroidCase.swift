import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// A minted Android chain, and the enrolment that it is given for. As it is, it is accepted.
struct AndroidCase {
    static let root = TestAuthority.root(key: .p256())
    static let app = MintedApplication(package: "com.example.bank", signingDigest: [UInt8](repeating: 1, count: 32))
    static let challenge = [UInt8](repeating: 9, count: 32)
    static let now = UnixTime(seconds: 1_800_000_000)

    /// Its keys are on P-256, whose signatures cost little; others have tests of their own.
    var mint: AndroidMint = {
        var mint = AndroidMint(
            root: root, key: .p256(), description: MintedKeyDescription(challenge: challenge, app: app))
        (mint.intermediateKey, mint.serverKey) = (.p256(), .p256())
        return mint
    }()
    /// Changes of the finished chain.
    var editChain: ([[UInt8]]) -> [[UInt8]] = { $0 }
    var challenge = challenge
    var enrolled: VerifyingKey?
    var policy: AndroidPolicy = {
        var policy = AndroidPolicy(
            apps: [AndroidPolicy.App(package: "com.example.bank", signingDigests: [[UInt8](repeating: 1, count: 32)])],
            verification: .biometric, minimumPatchLevel: AndroidPatchLevel(year: 2026, month: 6),
            status: AndroidStatusPolicy(maximumAge: .seconds(86_400), whenUnknown: .refuse))
        policy.roots = [try! TrustAnchor(certificate: root.certificate)]
        return policy
    }()
    var status: AndroidStatusList? = try! AndroidStatusList(
        json: Array(#"{"entries":{}}"#.utf8), fetched: UnixTime(seconds: 1_799_950_000))
    var now = now

    func verdict() throws -> AndroidKeyVerdict {
        let key = try enrolled ?? VerifyingKey(x963: mint.key.x963 ?? TestKey().verifying.x963)
        return try AndroidKeyAttestation.verify(
            editChain(mint.chain()), challenge: challenge, key: key, policy: policy, status: status, at: now)
    }

    var refusal: EvidenceRefusal.Reason? { evidenceRefusal { _ = try verdict() } }
}
