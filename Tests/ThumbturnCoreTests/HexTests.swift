import Testing
import ThumbturnCore

@Suite struct HexTests {
    @Test func bytesAndDigitsAreTheSame() {
        let all = Array(UInt8.min...UInt8.max)
        #expect(Hex.bytes(Hex.text(all)) == all && Hex.bytes(Hex.text(all).uppercased()) == all)
        #expect(Hex.text([0, 10, 255]) == "000aff")
        #expect(Hex.bytes("")?.isEmpty == true)
    }

    @Test("only pairs of ASCII digits are bytes", arguments: ["a", "+a", "0x", " 0", "0g", "１２", "0:1", "000"])
    func others(_ text: String) { #expect(Hex.bytes(text) == nil) }

    @Test func aHashMayHaveColons() {
        let plain = String(repeating: "0a", count: 32)
        #expect(Hex.sha256(plain) == [UInt8](repeating: 10, count: 32))
        #expect(Hex.sha256(Array(repeating: "0A", count: 32).joined(separator: ":")) == Hex.sha256(plain))
        #expect(Hex.sha256(String(plain.dropLast(2))) == nil && Hex.sha256(plain + "0a") == nil)
    }
}
