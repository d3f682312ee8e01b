import Crypto

extension SHA256 {
    /// The hash of these bytes.
    ///
    /// The library's own function takes any collection, and finding the bytes of one costs more than hashing a short text.
    package static func bytes(of data: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        unsafe data.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return unsafe hash.finalize().withUnsafeBytes { unsafe Array($0) }
    }
}
