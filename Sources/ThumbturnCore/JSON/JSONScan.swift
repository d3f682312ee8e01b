/// Whether a text is JSON that everybody reads alike (RFC 8259, I-JSON: RFC 7493 section 2): UTF-8 without a mark, one value, no
/// member twice in an object, bounded depth.
///
/// Decoders differ in which of two equal members they take. What is signed by one party and judged by another must not depend
/// on that, so such texts are refused before they are decoded (RFC 7515 section 4).
package enum JSONScan {
    /// Whether the bytes are such a text.
    package static func isUnambiguous(_ bytes: [UInt8]) -> Bool { fault(in: bytes) == nil }

    package static func fault(in bytes: [UInt8]) -> JSONTree.Fault? {
        do throws(JSONTree.Fault) {
            _ = try JSONTree(bytes)
            return nil
        } catch {
            return error
        }
    }
}
