#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// App Attest as a simulated phone has it: evidence under a test root, which no default policy trusts.
///
///     var platform = phone.platform()
///     platform.evidence = SimulatedAppAttest(appID: "TEAM123456.com.example.bank")
///
/// A server trusts it where its policy names the root: `root.pem` as a file, or `TrustAnchor(certificate:)`.
public final class SimulatedAppAttest: EvidenceSource {
    /// The root, in place of Apple's.
    public let root: TestAuthority
    /// The app, as evidence names it.
    public let appID: String
    private let isProduction: Bool
    private let keys = Mutex<[String: Key]>([:])

    private struct Key {
        var mint: AppAttestMint
        var attestation: [UInt8]
        var attestedValue: [UInt8]
        var counter: UInt32 = 0
    }

    /// App Attest for an app of this id: team id, a period, and the bundle id.
    ///
    /// - Parameters:
    ///   - appID: the app, as evidence names it.
    ///   - root: the root, in place of Apple's.
    ///   - isProduction: false for evidence of a development build.
    public init(
        appID: String, root: TestAuthority = .root(named: "Thumbturn Test App Attestation Root CA"), isProduction: Bool = true
    ) {
        (self.appID, self.root, self.isProduction) = (appID, root, isProduction)
    }

    /// Evidence for these keys, with the next counter. Each account of a server has one attested key.
    public func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        let value = request.boundValue
        return keys.withLock { keys in
            let place = "\(request.server) \(request.account)"
            var key = keys[place] ?? attested(value)
            key.counter += 1
            keys[place] = key
            let assertion = key.mint.assertion(clientDataHash: Array(SHA256.hash(data: value)), counter: key.counter)
            return .appAttest(
                AppAttestEvidence(
                    keyID: Data(key.mint.keyID).base64EncodedString(), attestation: key.attestation,
                    attestedValue: key.attestedValue, assertion: assertion.encoded))
        }
    }

    private func attested(_ value: [UInt8]) -> Key {
        var mint = AppAttestMint(appID: appID, clientDataHash: Array(SHA256.hash(data: value)), root: root)
        mint.aaguid = isProduction ? AppAttestMint.production : AppAttestMint.development
        return Key(mint: mint, attestation: mint.attestation, attestedValue: value)
    }
}
