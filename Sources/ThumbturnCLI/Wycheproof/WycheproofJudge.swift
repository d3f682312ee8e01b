#if Tools
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The check that judges the cases of one group, if the verifier has one.
enum WycheproofJudge {
    /// A check by the verifier. It throws `VerificationError` if the verifier refuses a case, `NotJudged` if the
    /// verifier has no check for it, and `Unreadable` if the file lacks a value that the check needs.
    case judge((WycheproofFile.Case) throws -> Void)
    /// The verifier has no check for such a group. The second closure must refuse each case, because the verifier must
    /// never accept a case of another kind.
    case none(because: String, refusing: ((WycheproofFile.Case) throws -> Void)? = nil)

    struct NotJudged: Error {
        var reason: String
    }

    struct Unreadable: Error {
        var reason: String
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
            return .none(because: "\(curve) with \(hash): this verifier supports only P-256 with SHA-256")
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

    /// The group's key, which must be the same in every format in which the group has it.
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
            // Without the group's key no case can be judged.
            throw Unreadable(reason: "the group's key was refused")
        }
    }

    // MARK: Public keys

    /// A check of the public key's import. The verifier has no key agreement.
    private static func publicKeys(
        _ group: [String: Any], _ read: @escaping ([String: Any]) throws -> VerifyingKey
    ) -> Self {
        let curve = group.text("curve") ?? "no curve"
        guard isP256(curve) else { return .none(because: "\(curve): this verifier supports only P-256") }
        return .judge { _ = try read($0.members) }
    }

    private static func isP256(_ curve: String) -> Bool { ["secp256r1", "P-256"].contains(curve) }

    // MARK: JWS

    /// A check of signatures. A group has one key or a key set; of a key pair the public key is used.
    private static func jws(_ group: [String: Any]) -> Self {
        let given = group.object("public") ?? group.object("private") ?? [:]
        let keys = given["keys"] as? [[String: Any]] ?? [given]
        let judge = { (test: WycheproofFile.Case) in
            guard let value = test.members["jws"] else { throw NotJudged(reason: "JWE: this verifier does not decrypt") }
            guard let text = value as? String else {
                throw NotJudged(reason: "JWS in JSON: this verifier reads only the compact form")
            }
            let known = given["keys"] == nil ? try named(given) : try set(given).byKid
            _ = try NamedKeyJWS.payload(of: text, types: [nil], keys: known)
        }
        guard keys.contains(where: { $0.text("crv") == "P-256" || $0.text("alg") == "ES256" }) else {
            let names = Set(keys.map { $0.text("alg") ?? $0.text("kty") ?? "an unnamed algorithm" }).sorted()
            return .none(because: "keys for \(names.joined(separator: ", ")): this verifier supports only ES256", refusing: judge)
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
        guard let value else { throw WycheproofJudge.Unreadable(reason: "\(name) cannot be read") }
        return value
    }
}
#endif
