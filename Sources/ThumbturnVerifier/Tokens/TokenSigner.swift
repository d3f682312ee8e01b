public import Crypto
import Foundation
import ThumbturnCore
public import ThumbturnMessages

/// Signs access tokens (RFC 9068) and receipts: ES256.
public struct TokenSigner: Sendable {
    private let key: P256.Signing.PrivateKey
    /// The thumbprint of the public key.
    public let kid: String
    /// The header of access tokens, in base64url.
    private let tokenHeader: [UInt8]

    /// Creates a signer with this private key. Its public key must be published in the key set.
    public init(_ key: P256.Signing.PrivateKey) throws(VerificationError) {
        self.key = key
        kid = try VerifyingKey(x963: Array(key.publicKey.x963Representation)).thumbprint
        tokenHeader = Self.header(AccessTokenClaims.type, kid)
    }

    private static func header(_ type: String, _ kid: String) -> [UInt8] {
        Base64URL.encodedBytes(WireJSON.encode(NamedKeyJWS.Header(typ: type, alg: "ES256", kid: kid)))
    }

    /// The public key with `kid`, `use` and `alg`, for `/.well-known/jwks.json`.
    public var jwk: JWK {
        let point = Array(key.publicKey.x963Representation)
        return JWK(x: Array(point[1..<33]), y: Array(point[33...]), kid: kid, use: "sig", alg: "ES256")
    }

    /// Signs an access token, and returns it in compact serialisation (RFC 7515 section 7.1). Throws the errors of the
    /// cryptographic library.
    public func sign(_ claims: AccessTokenClaims) throws -> String { try signed(claims) }

    /// Signs the access token of a back end.
    package func sign(_ claims: ClientTokenClaims) throws -> String { try signed(claims) }

    /// Signs the access token of a plain client.
    package func sign(_ claims: PlainTokenClaims) throws -> String { try signed(claims) }

    /// Signs the receipt of an approval, and returns it in compact serialisation (RFC 7515 section 7.1). Throws the
    /// errors of the cryptographic library.
    public func sign(_ receipt: ApprovalReceipt) throws -> String { try signed(receipt, type: ApprovalReceipt.type) }

    /// Signs a checkpoint of the audit log.
    package func sign(_ checkpoint: AuditCheckpoint) throws -> String { try signed(checkpoint, type: AuditCheckpoint.type) }

    /// Signs the policies of devices.
    package func sign(_ document: PolicyDocument) throws -> String { try signed(document, type: PolicyDocument.type) }

    private func signed(_ claims: some Encodable, type: String = AccessTokenClaims.type) throws -> String {
        let header = type == AccessTokenClaims.type ? tokenHeader : Self.header(type, kid)
        let input = header + [UInt8(ascii: ".")] + Base64URL.encodedBytes(WireJSON.encode(claims))
        let signature = try key.signature(for: input).rawRepresentation
        return CompactJWS.compact(signingInput: input, signature: Array(signature))
    }
}
