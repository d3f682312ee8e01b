/// The bound on combining marks in text from outside (UAX #15 section 13, Stream-Safe Text Format).
///
/// Swift compares and hashes strings by their canonical form, and sorts each run of combining marks for that, in time
/// quadratic in the run. One field of 64 KB would cost seconds, wherever it is first compared.
package enum StreamSafeText {
    /// The longest run of combining marks: more than any word of a language has.
    package static let longestRun = 30

    /// Whether no run of combining marks is longer than that. Bytes that are not UTF-8 are told elsewhere.
    package static func holds(_ bytes: some Collection<UInt8>) -> Bool {
        if bytes.allSatisfy({ $0 < 0x80 }) { return true }
        var run = 0
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            if run > longestRun { return false }
        }
        return true
    }
}
