import Testing
import ThumbturnCore
import ThumbturnDevice

@Suite struct PINTests {
    @Test(
        "6 to 32 ASCII digits",
        arguments: [
            ("824193", true), ("00000000000000000000000000000000", true), ("82419", false), ("", false),
            ("000000000000000000000000000000000", false), ("82419a", false), ("82 4193", false), ("+824193", false),
            ("٨٢٤١٩٣", false), ("824193\u{301}", false), ("824193\n", false),
        ])
    func digits(_ text: String, _ isPIN: Bool) {
        #expect((PIN(text) != nil) == isPIN)
    }

    @Test(
        "what a thief tries first",
        arguments: [
            "000000", "111111", "99999999", "123456", "654321", "012345", "890123", "321098", "0123456789", "024680", "121212",
            "909090", "123123", "4714714", "12341234", "1212121", "112233", "123321", "159753", "147258", "789456",
        ])
    func easy(_ digits: String) throws {
        #expect(try #require(PIN(digits)).isEasilyGuessed)
    }

    @Test("what is as good as another", arguments: ["824193", "100000", "123457", "472916", "12345678911", "824193824190"])
    func good(_ digits: String) throws {
        #expect(try !#require(PIN(digits)).isEasilyGuessed)
    }

    @Test func mostPINsMayBeChosen() throws {
        // Every 17th of the million with six digits: no repeated pair or half is a multiple of 17 for its form alone.
        let refused = try stride(from: 0, to: 1_000_000, by: 17).count { number in
            let text = "\(number)"
            return try #require(PIN(String(repeating: "0", count: 6 - text.utf8.count) + text)).isEasilyGuessed
        }
        #expect((1000...2000).contains(refused * 17), "the list is short, or attackers have fewer PINs to try: \(refused)")
    }

    @Test func aPINPrintsAsItsTypeAlone() throws {
        let pin = try #require(PIN("824193"))
        var text = "\(pin) \(String(reflecting: pin)) \(PINAnswer.entered(pin))"
        dump(pin, to: &text)
        dump(PINAnswer.entered(pin), to: &text)
        #expect(!text.contains("824193") && !text.contains("56"), "\(text)")
    }
}
