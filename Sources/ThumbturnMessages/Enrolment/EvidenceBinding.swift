/// The value that evidence is bound to.
package enum EvidenceBinding {
    /// The bytes whose SHA-256 is the bound value: the challenge as received, then the RFC 7638 thumbprints of the keys
    /// in the order of their bytes, all as text without separators. A thumbprint has 43 characters and a challenge ends
    /// with 43 after its last dot, so two different lists never have the same bytes.
    package static func input(challenge: String, thumbprints: [String]) -> [UInt8] {
        Array((challenge + thumbprints.sorted().joined()).utf8)
    }
}
