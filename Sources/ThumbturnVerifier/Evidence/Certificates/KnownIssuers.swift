import Crypto

/// The certificates of authorities whose signatures were verified before, so that the chains of many devices need not
/// verify the same ones again.
///
/// A signature on P-384 takes half a millisecond, and those above a device's own certificates are the same for all devices
/// of a maker. What is remembered is that one key signed one certificate: a fact about bytes that never changes. Names,
/// dates, extensions, revocation and policy are judged each time. A certificate is remembered only after the whole path
/// below a trusted root was accepted, so that evidence that is refused leaves nothing behind.
///
/// Share one value between verifications: copy it out of a lock, verify with the copy, and `merge` it back.
public struct KnownIssuers: Hashable, Sendable {
    /// The most certificates, with 32 bytes for each. Beyond them it begins anew, which costs time and nothing else.
    public static let capacity = 1024

    private var digests: Set<[UInt8]> = []

    /// Creates a memory of no certificates.
    public init() {}

    /// How many certificates are remembered.
    public var count: Int { digests.count }

    /// Also remembers what another value remembers.
    public mutating func merge(_ other: KnownIssuers) {
        guard !other.digests.isSubset(of: digests) else { return }
        if digests.count + other.digests.count > Self.capacity { digests = [] }
        digests.formUnion(other.digests)
    }

    /// Whether it is remembered that a key signed a certificate.
    func has(_ certificate: Certificate, signedBy key: [UInt8]) -> Bool {
        !digests.isEmpty && digests.contains(Self.digest(of: certificate, key))
    }

    /// Remembers that a key signed a certificate.
    mutating func remember(_ certificate: Certificate, signedBy key: [UInt8]) {
        if digests.count >= Self.capacity { digests = [] }
        digests.insert(Self.digest(of: certificate, key))
    }

    /// - Parameter key: a SubjectPublicKeyInfo in DER. It tells its own length, so the two cannot be divided in two ways.
    private static func digest(of certificate: Certificate, _ key: [UInt8]) -> [UInt8] {
        SHA256.bytes(of: key + certificate.der)
    }
}
