#if Tools
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// How the cases of one group are judged: by the verifier's own checks, or not at all.
enum WycheproofJudge {
    /// Throws `VerificationError` for what the verifier refuses, `NotJudged` for a case that it has no check for, and `Broken` where the file
    /// leaves out what the check needs.
    case judge((WycheproofFile.Case) throws -> Void)
    /// This verifier has no check for such a group. What comes beside the reason must refuse all the same: nothing of another kind may
    /// ever be accepted.
    case none(because: String, refusing: ((WycheproofFile.Case) throws -> Void)? = nil)

    struct NotJudged: Error {
        var because: String
    }

    struct Broken: Error {
        var says: String
    }

    init(of group: WycheproofFile.Group) {
        let members = group.members
        switch group.type {
        case "EcdsaVerify": self = Self.signatures(members) { $0.isValid(der: $1, for: $2) }
        case "EcdsaP1363Verify": self = Self.signatures(members) { $0.isValid($1, for: $2) }
        case "EcdhTest":
            self = Self.publicKeys(members) { try VerifyingKey(spkiDER: try $0.needed("public", $0.bytes("public"))) }
        case "EcdhPemTest": self = Self.publicKeys(members) { try VerifyingKey(spki: try $0.needed("public", $0.text("public"))) }
        case "EcdhEcpointTest":
            self = Self.publicKeys(members) { try VerifyingKey(x963: try $0.needed("public", $0.bytes("public"))) }
        case "EcdhWebcryptoTest":
            self = Self.publicKeys(members) { try Self.key(try $0.needed("public", $0.object("public"))) }
        case "JsonWebSignature", "JsonWebKey", "JsonWebCrypto": self = Self.jws(members)
        default: self = .none(because: "\(group.type): this verifier has no check of this kind")
        }
    }

    // MARK: Signatures

    private static func signatures(
        _ group: [String: Any], _ isValid: @escaping (VerifyingKey, _ signature: [UInt8], _ message: [UInt8]) -> Bool
    ) -> Self {
        let (curve, hash) = (group.object("publicKey")?.text("curve") ?? "no curve", group.text("sha") ?? "no hash")
        guard isP256(curve), hash == "SHA-256" else {
            return .none(because: "\(curve) with \(hash): this verifier has P-256 with SHA-256 alone")
        }
        let key = Result { try sameKey(in: group) }
        return .judge { test in
            let key = try key.get()
            let signature = try test.members.needed("sig", test.members.bytes("sig"))
            guard isValid(key, signature, try test.members.needed("msg", test.members.bytes("msg"))) else {
                throw VerificationError.wrongSignature
            }
        }
    }

    /// The group's key, which has to be the same in every form that it is given in.
    private static func sameKey(in group: [String: Any]) throws -> VerifyingKey {
        do {
            var keys: [VerifyingKey] = []
            if let point = group.object("publicKey")?.bytes("uncompressed") { keys.append(try VerifyingKey(x963: point)) }
            if let der = group.bytes("publicKeyDer") { keys.append(try VerifyingKey(spkiDER: der)) }
            if let pem = group.text("publicKeyPem") { keys.append(try VerifyingKey(spki: pem)) }
            if let jwk = group.object("publicKeyJwk") { keys.append(try key(jwk)) }
            guard let first = keys.first, keys.allSatisfy({ $0 == first }) else { throw VerificationError.unacceptableKey }
            return first
        } catch is VerificationError {
            // Every case stands on this key, so whatever is said of one without it is said by chance.
            throw Broken(says: "the group's key was refused")
        }
    }

    // MARK: Public keys

    /// The import alone: this verifier agrees on no secrets.
    private static func publicKeys(
        _ group: [String: Any], _ read: @escaping ([String: Any]) throws -> VerifyingKey
    ) -> Self {
        let curve = group.text("curve") ?? "no curve"
        guard isP256(curve) else { return .none(because: "\(curve): this verifier has P-256 alone") }
        return .judge { _ = try read($0.members) }
    }

    private static func isP256(_ curve: String) -> Bool { ["secp256r1", "P-256"].contains(curve) }

    // MARK: JWS

    /// A group has one key or a key set, the public one where there are two halves.
    private static func jws(_ group: [String: Any]) -> Self {
        let given = group.object("public") ?? group.object("private") ?? [:]
        let keys = given["keys"] as? [[String: Any]] ?? [given]
        let judge = { (test: WycheproofFile.Case) in
            guard let value = test.members["jws"] else { throw NotJudged(because: "JWE: this verifier decrypts nothing") }
            guard let text = value as? String else {
                throw NotJudged(because: "JWS in JSON: this verifier reads the compact form alone")
            }
            let known = given["keys"] == nil ? try named(given) : try set(given).byKid
            _ = try NamedKeyJWS.payload(of: text, types: [nil], keys: known)
        }
        guard keys.contains(where: { $0.text("crv") == "P-256" || $0.text("alg") == "ES256" }) else {
            let names = Set(keys.map { $0.text("alg") ?? $0.text("kty") ?? "nothing that is named" }).sorted()
            return .none(because: "keys for \(names.joined(separator: ", ")): this verifier has ES256 alone", refusing: judge)
        }
        return .judge(judge)
    }

    private static func named(_ jwk: [String: Any]) throws -> [String: VerifyingKey] {
        [jwk.text("kid") ?? "": try key(jwk)]
    }

    private static func key(_ jwk: [String: Any]) throws -> VerifyingKey {
        try VerifyingKey(jwk: WireJSON.decode(JWK.self, from: Array(try JSONSerialization.data(withJSONObject: jwk))))
    }

    private static func set(_ keys: [String: Any]) throws -> JWKS {
        try WireJSON.decode(JWKS.self, from: Array(try JSONSerialization.data(withJSONObject: keys)))
    }
}

extension [String: Any] {
    fileprivate func needed<Read>(_ name: String, _ value: Read?) throws -> Read {
        guard let value else { throw WycheproofJudge.Broken(says: "\(name) cannot be read") }
        return value
    }
}
#endif
