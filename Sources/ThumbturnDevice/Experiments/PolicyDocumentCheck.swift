#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
package import ThumbturnCore
package import ThumbturnMessages

/// Checks that a policy document is the server's, and that it is no older than the one before it.
package struct PolicyDocumentCheck: Sendable {
    /// The server that the document must name.
    let issuer: String
    /// The server's keys by their ids. Keys without an id, and keys that share an id, are left out.
    private let keys: [String: PublicKey]

    /// - Parameter keys: the server's published keys, as they came from its own address.
    package init(issuer: String, keys: [JWK]) {
        self.issuer = issuer
        var known: [String: PublicKey] = [:]
        for (kid, same) in Dictionary(grouping: keys, by: \.kid) {
            if let kid, same.count == 1, let key = same[0].publicKey { known[kid] = key }
        }
        self.keys = known
    }

    /// Returns the document of a compact JWS.
    ///
    /// - Parameters:
    ///   - text: the JWS.
    ///   - now: the device's civil time. A wrong clock can keep a document out, or an old one longer; what it may say is bounded
    ///     by the app anyway.
    ///   - newest: the version of the document that is kept; nil where there is none.
    /// - Throws: `unexpectedAnswer` for anything but a document that one of the keys signed, that names this server, whose time is
    ///   not over, and whose version is not below `newest`.
    package func accept(_ text: String, at now: UnixTime, newest: Int64? = nil) throws(Failure) -> PolicyDocument {
        guard let jws = CompactJWS(text), let header = try? StrictJSON.decode(PolicyHeader.self, from: jws.header),
            header == PolicyHeader(kid: header.kid),
            let key = keys[header.kid], isSigned(jws, by: key),
            let document = try? StrictJSON.decode(PolicyDocument.self, from: jws.payload),
            document.isLive(of: issuer, at: now), document.ver >= newest ?? 0
        else { throw Failure(.unexpectedAnswer) }
        return document
    }

    private func isSigned(_ jws: CompactJWS, by key: PublicKey) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key.x963),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
        else { return false }
        return key.isValidSignature(signature, for: jws.signingInput)
    }
}

extension PolicyDocument {
    /// Whether it is this server's, and its time has come and is not over.
    fileprivate func isLive(of issuer: String, at now: UnixTime) -> Bool {
        iss == issuer && ver <= iat.seconds && iat < exp && exp - iat <= Self.longestLife && now < exp && iat - now <= Self.leeway
    }

    /// How far the server's clock may be ahead of the device's.
    private static let leeway = Duration.seconds(300)
}

/// The newest policy document of a server, kept among the small secrets.
package struct PolicyCache: Sendable {
    private let platform: DevicePlatform
    private let issuer: String

    package init(on platform: DevicePlatform, of issuer: String) {
        self.platform = platform
        self.issuer = issuer
    }

    /// Keeps a document in the place of an older one. Throws as `PolicyDocumentCheck.accept` does, and what the store throws; the
    /// one that was kept stays then.
    @discardableResult
    package func keep(_ text: String, if check: PolicyDocumentCheck) async throws(Failure) -> PolicyDocument {
        let now = platform.clock.civilTime
        return try await platform.secrets.change(name) { (stored) throws(Failure) in
            // The version counts also where the document is over by now: an older one must not come back.
            let kept = stored.bytes.flatMap { try? StrictJSON.decode(PolicyDocument.self, from: $0) }
            let document = try check.accept(text, at: now, newest: kept?.ver)
            return (StrictJSON.encode(document), document)
        }
    }

    /// The document that is kept; nil where there is none, or none whose time is now: then the app's own policies count.
    ///
    /// Its signature was checked when it came. Who can write among the app's secrets is held by the app's bounds alone, and
    /// could change the app's own numbers as well.
    package func document() async -> PolicyDocument? {
        guard let bytes = (try? await platform.secrets.readable(name)) ?? nil,
            let kept = try? StrictJSON.decode(PolicyDocument.self, from: bytes),
            kept.isLive(of: issuer, at: platform.clock.civilTime)
        else { return nil }
        return kept
    }

    private var name: String { "policy document \(issuer)" }
}

extension PolicyDocument {
    /// The policy that takes the place of the app's own one on this device: the document's, or the arm's of its experiment. The
    /// app's own one where the document has none of its name, and where what it says is out of the app's bounds.
    package func policy(within bounds: PolicyBounds, for token: AssignmentToken) -> UnlockPolicy {
        guard let name = bounds.own.name, let entry = policies[name.text] else { return bounds.own }
        var policy =
            switch entry {
            case .policy(let policy): policy
            // An experiment counts as a whole: with an arm that is not followed its numbers would compare nothing.
            case .experiment(let experiment):
                bounds.problem(in: experiment) == nil ? experiment.arm(for: token).policy : bounds.own
            }
        guard bounds.problem(in: policy) == nil else { return bounds.own }
        policy.name = name
        return policy
    }
}
