import Foundation

/// Reads certificates in PEM (RFC 7468 section 5).
///
/// A line of base64 may have any length: the standard says 64 characters, and MIME encoders wrap after 76 or not at all.
/// Lines end with LF or CRLF. Other text outside of the certificates is ignored, as the standard allows.
enum PEMCertificates {
    /// The certificates in their order, in DER and unread. Throws a refusal for a text without one.
    static func read(_ text: String) throws(EvidenceRefusal) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        // The base64 since the last begin; nil outside of a certificate.
        var body: [UInt8]?
        for (index, raw) in Array(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = raw.last == 0x0D ? raw.dropLast() : raw
            func refusal(_ found: String) -> EvidenceRefusal {
                EvidenceRefusal(.malformed, "expected certificates in PEM, found \(found) in line \(index + 1)")
            }
            if line.elementsEqual(begin) {
                guard body == nil else { throw refusal("a second begin of a certificate") }
                body = []
            } else if line.elementsEqual(end) {
                guard let base64 = body else { throw refusal("the end of a certificate without its begin") }
                guard let der = decode(base64) else { throw refusal("the end of a certificate that is not base64") }
                certificates.append(der)
                body = nil
            } else if line.starts(with: dashes) {
                throw refusal("another label than the begin or the end of a certificate, alone on its line,")
            } else if body != nil {
                guard !line.isEmpty else { throw refusal("an empty line inside a certificate") }
                body?.append(contentsOf: line)
            }
        }
        guard body == nil else { throw EvidenceRefusal(.malformed, "expected the end of a certificate in PEM, found none") }
        guard !certificates.isEmpty else { throw EvidenceRefusal(.malformed, "expected certificates in PEM, found none") }
        return certificates
    }

    /// The bytes of base64 in its one canonical form; nil for any other text, and for no bytes.
    private static func decode(_ base64: [UInt8]) -> [UInt8]? {
        guard let data = Data(base64Encoded: Data(base64)), !data.isEmpty, Data(base64) == data.base64EncodedData()
        else { return nil }
        return Array(data)
    }

    private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Array("-----END CERTIFICATE-----".utf8)
    private static let dashes = Array("-----".utf8)
}
