#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Evidence with everything that it is judged with, beside the policy and a time: what the store keeps of it.
struct EvidenceRecord: Message, Hashable {
    enum CodingKeys: String, CodingKey, CaseIterable { case evidence, value, keys, expected }

    var evidence: KeyEvidence
    /// The value that it has to be bound to, 32 bytes in base64url.
    var value: String
    /// The keys of the request, without a PIN key: nothing that is computed from the public half of one is stored with
    /// evidence.
    var keys: [Key]
    /// The digest that the TPM's answer to its credential has to agree with, in base64url; nil for other formats.
    var expected: String?

    struct Key: Message, Hashable {
        enum CodingKeys: String, CodingKey, CaseIterable { case kid, kind, x963 }

        var kid: String
        var kind: KeyKind
        /// The uncompressed point, in base64url.
        var x963: String

        init(_ key: RegisteredKey) {
            (kid, kind, x963) = (key.kid, key.kind, Base64URL.encode(key.key.x963))
        }
    }
}
#endif
