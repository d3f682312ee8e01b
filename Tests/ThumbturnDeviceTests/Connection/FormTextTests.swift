import Testing
import ThumbturnDevice

/// Texts of the form `application/x-www-form-urlencoded`.
@Suite struct FormTextTests {
    @Test(arguments: [
        ("a=1&b=2", ["a": "1", "b": "2"]), ("a=b%20c+d&e", ["a": "b c d", "e": ""]), ("%C3%A4=%e2%82%ac", ["ä": "€"]),
        ("a=%2B%26%3D%25", ["a": "+&=%"]), ("a=%00", ["a": "\0"]), ("", [:]), ("a=ä", ["a": "ä"]),
    ])
    func whatIsEncodedIsRead(_ text: String, _ fields: [String: String]) {
        #expect(FormText.decode(text) == fields)
        #expect(FormText.decode(FormText.encode(fields.map { ($0.key, $0.value) })) == fields)
    }

    /// A cut escape, digits that are none, bytes that are no UTF-8, and a field that is there twice.
    @Test(arguments: [
        "a=%", "a=%4", "a=%4&b=1", "a=%g0", "a=%-1", "a=% 1", "a=%FF", "a=%C3", "a=%ED%A0%80", "a=1&a=2", "%61=1&a=2",
    ])
    func whatIsNotEncodedProperlyIsRefused(_ text: String) {
        #expect(FormText.decode(text) == nil)
    }
}
