/// The bound on combining marks in text from outside (UAX #15 section 13, Stream-Safe Text Format).
///
/// Swift compares and hashes strings by their canonical form, and sorts each run of combining marks for that, in time
/// quadratic in the run. One field of 64 KB would cost seconds, wherever it is first compared.
package enum StreamSafeText {
    /// The longest run of combining marks: more than any word of a language has.
    package static let longestRun = 30

    /// Whether no run of combining marks in this text, in UTF-8, is longer than that. Other bytes are told elsewhere.
    package static func holds(_ bytes: [UInt8]) -> Bool {
        ASCII.holds(bytes) || holds(scalars: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether no run of combining marks in this text is longer than that.
    ///
    /// It is not generic: called from another module, a generic function looks at each byte through a table.
    package static func holds(_ text: String) -> Bool {
        ASCII.holds(text) || holds(scalars: text)
    }

    private static func holds(scalars text: String) -> Bool {
        var run = 0
        for scalar in text.unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            if run > longestRun { return false }
        }
        return true
    }
}
