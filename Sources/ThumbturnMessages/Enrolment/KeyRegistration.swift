public import ThumbturnCore

/// One key of an enrolment, in exactly one of three encodings.
public struct KeyRegistration: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable { case kind, jwk, spki, x963, proof }

    /// The kind of key.
    public var kind: KeyKind
    /// The public key as a JSON Web Key.
    public var jwk: JWK?
    /// SubjectPublicKeyInfo (RFC 5280 section 4.1): PEM, or DER in base64.
    public var spki: String?
    /// The uncompressed point, 65 bytes in base64url.
    public var x963: String?
    /// The key's own proof over the challenge. A PIN key's proof has the handle as its `kid`. A passcode key may come
    /// without a proof: it is registered under the biometric key's proof, so that enrolment shows one prompt, and
    /// becomes active with its own first proof.
    public var proof: String?

    /// A key as a JSON Web Key, with its proof.
    public init(kind: KeyKind, jwk: JWK, proof: String?) {
        self.kind = kind
        self.jwk = jwk
        self.proof = proof
    }
}
