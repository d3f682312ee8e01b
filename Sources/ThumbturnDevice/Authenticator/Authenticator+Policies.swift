public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// Fetches the policies and experiments that the server gives its devices (`GET /v1/unlock-policies`), checks their
    /// signature by the server's published keys, and keeps them for `policy(within:)`. An app calls it when it starts; it needs no
    /// session, and never prompts.
    ///
    /// Throws `unreachable`; `unexpectedAnswer` for a server that has none, for a document that another one signed or that is over,
    /// and for a version below the one that is kept; and what the store throws. What was kept stays then, until its time is over.
    public nonisolated func fetchPolicies() async throws(Failure) {
        let text = String(decoding: try await connection.open("/v1/unlock-policies").body, as: UTF8.self)
        let answer = try await connection.open("/.well-known/jwks.json")
        guard let published = try? StrictJSON.decodeIgnoringUnknown(PublishedKeys.self, from: answer.body) else {
            throw Failure(.unexpectedAnswer)
        }
        let check = PolicyDocumentCheck(issuer: address.issuer, keys: published.keys)
        try await policyCache.keep(text, if: check)
    }

    /// The policy to use in the place of the app's own one: the server's, or this device's arm of its experiment, where
    /// `fetchPolicies()` brought one with the name of the app's policy and nothing in it is out of the bounds. Otherwise the app's own.
    public nonisolated func policy(within bounds: PolicyBounds) async -> UnlockPolicy {
        guard let document = await policyCache.document(),
            let token = try? await AssignmentToken.ofThisDevice(for: assignmentRealm, on: platform)
        else { return bounds.own }
        return document.policy(within: bounds, for: token)
    }

    /// Experiments assign each account of each server on its own.
    nonisolated var assignmentRealm: String { "\(address.issuer) \(account)" }

    private nonisolated var policyCache: PolicyCache { PolicyCache(on: platform, of: address.issuer) }
}

/// The server's key set (RFC 7517 section 5).
private struct PublishedKeys: Decodable {
    var keys: [JWK]
}
