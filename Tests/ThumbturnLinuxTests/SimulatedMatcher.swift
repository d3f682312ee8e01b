#if LinuxDevice && os(Linux)
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

@testable import ThumbturnLinux
@testable import ThumbturnMatcher

/// A matcher without a reader, which signs every match that a test sets up. The TPM and its counter are real.
struct SimulatedMatcher: Matcher {
    let key = P256.Signing.PrivateKey()
    let counter: TPMIndex
    let value = [UInt8](repeating: 7, count: 32)
    let tcti: String

    init(_ tcti: String) throws {
        self.tcti = tcti
        let value = value
        counter = try TPM.connected(tcti) { tpm throws(TPMError) in
            try tpm.defineCounter(at: try tpm.freeIndex(in: 0x0180_7400...0x0180_74FF), value: value)
        }
    }

    func identity() throws(Failure) -> MatcherIdentity {
        do throws(TPMError) {
            let count = try TPM.connected(tcti) { tpm throws(TPMError) in try tpm.count(counter, value: value) }
            guard let jwk = JWK(x963: Array(key.publicKey.x963Representation)) else { preconditionFailure("a key has a point") }
            return MatcherIdentity(key: jwk, counter: counter, value: count)
        } catch {
            throw error.failure
        }
    }

    func raise() throws {
        try TPM.connected(tcti) { tpm throws(TPMError) in try tpm.raise(counter, value: value) }
    }

    /// The match that an honest matcher would sign.
    func match(_ message: [UInt8], _ name: KeyName, of keys: TPMKeys) throws -> SimulatedMatch {
        let area = try keys.publicArea(of: name)
        return SimulatedMatch(
            key: key, command: TPMAuthorization.signing(Array(SHA256.hash(data: message)), with: area.name),
            reference: name.reference
        )
    }
}

/// A match whose authorisation a test can change.
struct SimulatedMatch: Match {
    var key: P256.Signing.PrivateKey
    var command: [UInt8]
    var reference: [UInt8]
    var expiration: Int32 = 10
    /// Replaces the signed expiration in the answer.
    var claimedExpiration: Int32?
    /// Replaces the session's own nonce.
    var nonce: [UInt8]?
    /// An earlier signature, returned instead of one for this session.
    var replayed: [UInt8]?
    /// Called with each signature.
    var signed: @Sendable ([UInt8]) -> Void = { _ in }
    /// Called between the match and its signature.
    var beforeSigning: @Sendable () -> Void = {}

    func authorize(_ nonce: [UInt8]) throws(Failure) -> SignedMatch {
        beforeSigning()
        let authorization = TPMAuthorization(
            nonce: self.nonce ?? nonce, expiration: expiration, command: command, reference: reference
        )
        guard let signature = try? key.signature(for: authorization.bytes) else {
            throw Failure(.platform)
        }
        signed(Array(signature.rawRepresentation))
        return SignedMatch(
            expiration: claimedExpiration ?? expiration, signature: replayed ?? Array(signature.rawRepresentation)
        )
    }
}
#endif
