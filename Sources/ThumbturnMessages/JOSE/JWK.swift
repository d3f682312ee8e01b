public import ThumbturnCore

/// A public P-256 key as a JSON Web Key (RFC 7517, RFC 7518 section 6.2.1). Unknown members are refused, private ones
/// too.
public struct JWK: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case kty, crv, x, y, kid, use, alg
    }

    /// The key type; only `EC` is accepted.
    public let kty: String
    /// The curve; only `P-256` is accepted.
    public let crv: String
    /// The coordinates: 32 bytes each, big-endian, in base64url.
    public let x: String
    /// The second coordinate.
    public let y: String
    /// The key's id, in key sets.
    public let kid: String?
    /// The use of the key; `sig` where it is given.
    public let use: String?
    /// The algorithm; `ES256` where it is given.
    public let alg: String?

    /// The key with these coordinates of 32 bytes each.
    public init(x: [UInt8], y: [UInt8], kid: String? = nil, use: String? = nil, alg: String? = nil) {
        kty = "EC"
        crv = "P-256"
        self.x = Base64URL.encode(x)
        self.y = Base64URL.encode(y)
        self.kid = kid
        self.use = use
        self.alg = alg
    }

    /// The key of an uncompressed point: 0x04, x and y, 65 bytes (SEC 1 section 2.3.3). Nil for anything else.
    public init?(x963 point: [UInt8]) {
        guard let key = PublicKey(x963: point) else { return nil }
        self.init(key)
    }

    /// The key of a point.
    package init(_ key: PublicKey) {
        self.init(x: Array(key.x963[1..<33]), y: Array(key.x963[33...]))
    }

    /// The uncompressed point. Nil unless this is an EC key on P-256 with coordinates of the right length, meant for
    /// ES256 signatures. Whether the point lies on the curve is for the cryptographic library
    /// to check.
    public var x963: [UInt8]? {
        guard kty == "EC", crv == "P-256", use == nil || use == "sig", alg == nil || alg == "ES256",
            let x = Base64URL.decode(x), let y = Base64URL.decode(y), x.count == 32, y.count == 32
        else { return nil }
        return [4] + x + y
    }

    /// The uncompressed point as a key. Nil where `x963` is nil.
    package var publicKey: PublicKey? { x963.flatMap(PublicKey.init(x963:)) }

    /// The bytes whose SHA-256 is the key's thumbprint (RFC 7638 section 3): the required members, sorted, without
    /// spaces.
    public var thumbprintInput: [UInt8] {
        Array(#"{"crv":"\#(crv)","kty":"\#(kty)","x":"\#(x)","y":"\#(y)"}"#.utf8)
    }
}
