/// A list of certificates from outside, each issued by the next one.
package enum CertificateChain {
    /// The most certificates. Chains of real devices have three to five.
    package static let longest = 10
    /// The most bytes of all certificates together.
    package static let largest = 64 * 1024

    /// Reads certificates, the one about the key first. Their number and their sizes are checked before the first of them
    /// is read. Throws `chainTooLong`, `tooLarge`, or what `Certificate.init` throws.
    package static func read(
        _ ders: [[UInt8]], _ leniency: DERLeniency = .none
    ) throws(EvidenceRefusal) -> [Certificate] {
        guard !ders.isEmpty else { throw EvidenceRefusal(.malformed, "the chain has no certificate") }
        guard ders.count <= longest else {
            throw EvidenceRefusal(.chainTooLong, "the chain has \(ders.count) certificates, more than \(longest)")
        }
        let size = ders.reduce(0) { $0 + $1.count }
        guard size <= largest else { throw EvidenceRefusal(.tooLarge, "the chain has \(size) bytes, more than \(largest)") }
        if let longest = ders.map(\.count).max(), longest > Certificate.largest {
            throw EvidenceRefusal(.tooLarge, "a certificate has \(longest) bytes, more than \(Certificate.largest)")
        }
        var certificates: [Certificate] = []
        for der in ders { certificates.append(try Certificate(der: der, leniency)) }
        return certificates
    }
}
