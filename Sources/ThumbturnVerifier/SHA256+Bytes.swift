import Crypto

extension SHA256 {
    /// The hash of these bytes. It takes them as they lie in memory: the generic functions of the library look for regions of
    /// any collection, which costs more than the hash of a short text.
    package static func bytes(of data: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        unsafe data.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return unsafe hash.finalize().withUnsafeBytes { unsafe Array($0) }
    }
}
