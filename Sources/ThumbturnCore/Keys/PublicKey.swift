/// A public P-256 key as its uncompressed point (SEC 1 section 2.3.3): 0x04, then x and y of 32 bytes each, big-endian.
///
/// Whether the point lies on the curve is for the cryptographic library to check.
public struct PublicKey: Hashable, Sendable {
    /// The uncompressed point, 65 bytes: what `x963Representation` of CryptoKit and swift-crypto returns.
    public let x963: [UInt8]

    /// Nil unless the bytes have the length and the first byte of an uncompressed point.
    public init?(x963: [UInt8]) {
        guard x963.count == 65, x963[0] == 4 else { return nil }
        self.x963 = x963
    }
}

extension PublicKey: CustomStringConvertible {
    /// The kind of key, without its bytes, which identify a device.
    public var description: String { "P-256 public key" }
}
