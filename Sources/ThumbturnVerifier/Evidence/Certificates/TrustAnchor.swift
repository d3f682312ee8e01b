import Crypto
import ThumbturnCore

/// A root that a policy trusts: a name and a public key. The dates and the signature of its certificate have no meaning, so
/// two issues of one root are one anchor.
public struct TrustAnchor: Hashable, Sendable {
    /// The root's name in DER.
    public let subject: [UInt8]
    /// The root's SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) in DER.
    public let spki: [UInt8]
    let key: CertificateKey

    /// Takes name and key from a certificate in DER. Throws a refusal for what is no certificate, and for a key that can
    /// verify nothing: other curves than P-256 and P-384, and RSA keys outside 2048 to 4096 bits.
    public init(certificate der: [UInt8]) throws(EvidenceRefusal) {
        let certificate = try Certificate(der: der)
        if case .other(let algorithm) = certificate.publicKey {
            throw EvidenceRefusal(.weakKey, "a root has a key of the kind \(algorithm)")
        }
        (subject, spki, key) = (certificate.subject, certificate.spki, certificate.publicKey)
    }

    /// Reads the certificates in a PEM text (RFC 7468 section 5) of at most 256 KiB, at least one, whose lines may have any
    /// length. Throws a refusal for any other content.
    public static func read(pem: String) throws(EvidenceRefusal) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for der in try certificates(inPEM: pem) { anchors.append(try TrustAnchor(certificate: der)) }
        return anchors
    }

    /// The certificates in a PEM text, in DER and unread.
    static func certificates(inPEM pem: String) throws(EvidenceRefusal) -> [[UInt8]] {
        guard pem.utf8.count <= largestText else {
            throw EvidenceRefusal(.tooLarge, "the text of the roots has more than \(largestText) bytes")
        }
        return try PEMCertificates.read(pem)
    }

    /// Reads the list that Google publishes at https://android.googleapis.com/attestation/root: a JSON array of texts, each of
    /// which is a certificate in PEM. Throws a refusal for any other content, and for an empty list.
    public static func read(json: [UInt8]) throws(EvidenceRefusal) -> [TrustAnchor] {
        guard json.count <= largestText else {
            throw EvidenceRefusal(.tooLarge, "the list of the roots has more than \(largestText) bytes")
        }
        guard let texts = try? StrictJSON.decodeIgnoringUnknown([String].self, from: json), !texts.isEmpty else {
            throw EvidenceRefusal(.malformed, "the list of the roots is no JSON array of texts")
        }
        var anchors: [TrustAnchor] = []
        for text in texts { anchors += try read(pem: text) }
        return anchors
    }

    private static let largestText = 256 * 1024

    /// The SHA-256 of the SubjectPublicKeyInfo, by which roots are published and compared.
    public var spkiSHA256: [UInt8] { SHA256.bytes(of: spki) }

    /// Whether two anchors have the same name and key.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.spki == rhs.spki && lhs.subject == rhs.subject }
    /// Hashes name and key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(spki)
        hasher.combine(subject)
    }
}
