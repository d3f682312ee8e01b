import Testing
import ThumbturnCore

@Suite struct UnixTimeTests {
    @Test func arithmeticStopsAtTheEndsOfTheRange() {
        let end = UnixTime(seconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(UnixTime(seconds: .min) + .seconds(-1) == UnixTime(seconds: .min))
        #expect(UnixTime(seconds: 5) - UnixTime(seconds: 2) == .seconds(3))
        #expect((UnixTime(seconds: .min) - end) < .zero)
    }
}
