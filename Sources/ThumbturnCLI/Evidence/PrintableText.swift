#if Tools
extension String {
    /// The text with each character that could move the cursor, forge a line or change the order of what is shown written as
    /// `\u{…}`: controls, formats such as those for the direction of text, and separators of lines and paragraphs.
    var printable: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory) {
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
#endif
