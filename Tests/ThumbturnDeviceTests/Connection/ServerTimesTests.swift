import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

@Suite struct ServerTimesTests {
    private static let server = "https://bank.example"
    private static let told = UnixTime(seconds: 1_900_000_000)

    private let clock = VirtualClock()
    private var platform: DevicePlatform { SimulatedPhone(clock: clock).platform() }

    @Test func aReportedTimeGrowsWithTheDevicesClock() {
        let platform = platform
        #expect(platform.moment(for: Self.server).server == nil, "no server has reported its time")
        let asked = platform.moment
        clock.advance(by: .seconds(2))
        platform.record(Self.told, from: Self.server, asked: asked)
        #expect(platform.moment(for: "https://elsewhere.example").server == nil)
        clock.advance(by: .seconds(5))
        let time = platform.moment(for: Self.server).server
        #expect(time == ServerTime(told: Self.told, sinceAsked: .seconds(7), sinceAnswered: .seconds(5)))
        #expect(time?.earliest == Self.told + .seconds(5) && time?.latest == Self.told + .seconds(8))
    }

    @Test func aReportedTimeIsForgottenAfterAnHour() {
        let platform = platform
        platform.record(Self.told, from: Self.server, asked: platform.moment)
        clock.advance(by: .seconds(3599))
        #expect(platform.moment(for: Self.server).server != nil)
        clock.advance(by: .seconds(1))
        #expect(platform.moment(for: Self.server).server == nil)
    }

    @Test func aRestartForgetsAReportedTime() {
        let platform = platform
        platform.record(Self.told, from: Self.server, asked: platform.moment)
        let asked = platform.moment
        clock.boot = "second boot"
        #expect(platform.moment(for: Self.server).server == nil)
        platform.record(Self.told, from: Self.server, asked: asked)
        #expect(platform.moment(for: Self.server).server == nil)
    }

    @Test func anAnswerBeforeItsRequestReportsNoTime() {
        let platform = platform
        let now = platform.moment
        let later = Moment(boot: now.boot, sinceBoot: now.sinceBoot.advanced(by: .seconds(1)))
        platform.record(Self.told, from: Self.server, asked: later)
        clock.advance(by: .seconds(2))
        #expect(platform.moment(for: Self.server).server == nil)
    }
}
