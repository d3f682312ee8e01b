import ThumbturnCore
import ThumbturnMessages

/// The challenge that new keys are made for, where the system attests a key when it is made.
struct MakingChallenge: Sendable {
    /// As received.
    let text: String
    /// The value that each key's attestation has, 32 bytes.
    let value: [UInt8]
}

extension Authenticator {
    /// Asks for the challenge that new keys are made for. It names the session key alone, because there are no others yet.
    /// Nil where keys are not attested when they are made.
    func makingChallenge(for session: KeyName) async throws(Failure) -> MakingChallenge? {
        guard platform.evidence?.attestsNewKeys == true else { return nil }
        let key = try await platform.keys.publicKey(of: session)
        let challenge = try await connection.challenge(.enrol, for: [Signing.thumbprint(of: key)], key: session)
        return MakingChallenge(
            text: challenge.text, value: Signing.boundValue(challenge: challenge.text, keys: [key]))
    }

    /// Evidence of new keys for the challenge that they sign; nil where the platform has none, or could make none for a
    /// reason that a retry does not change. The server then decides.
    ///
    /// - Parameter session: the session key in whose name a source exchanges messages with the server.
    func keyEvidence(
        for challenge: CheckedChallenge, _ keys: [KeyName: PublicKey], madeFor making: MakingChallenge?,
        inTheNameOf session: KeyName
    ) async throws(Failure) -> KeyEvidence? {
        guard let source = platform.evidence else { return nil }
        let request = EvidenceRequest(
            challenge: challenge.text, keys: keys, makingChallenge: making?.text, server: address.issuer,
            account: account
        ) { [connection] (path, body) async throws(Failure) in
            try await connection.send("POST", to: path, body: .json(body), key: session).body
        }
        do throws(Failure) {
            return try await source.evidence(request)
        } catch {
            guard error.recovery != .retry, error.code != .cancelledByApp else { throw error }
            return nil
        }
    }
}
