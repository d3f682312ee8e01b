import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit

@testable import ThumbturnDevice

/// By what the events of an unlock are counted.
@Suite struct TelemetryContextTests {
    @Test func eachEventHasItsTimeAndWhatItIsCountedBy() async throws {
        try await World.enrolled { world in
            var platform = world.auth.platform
            platform.telemetryContext = { TelemetryContext(model: "Pixel 9", arm: "launch screen") }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform) { world.news.hear($0) }
            let before = world.news.records.count
            _ = try await auth.authenticate("Unlock")
            let records = world.news.records.dropFirst(before)
            #expect(records.count > 2)
            let sensor = await world.auth.platform.sensor.name()
            for record in records {
                #expect(record.context == .init(model: "Pixel 9", sensor: sensor, policy: "unlock", arm: "launch screen"))
                #expect(record.time == world.clock.civilTime)
            }
        }
    }

    @Test func thePolicysArmStandsBeforeThePlatforms() async throws {
        try await World.enrolled { world in
            var platform = world.auth.platform
            platform.telemetryContext = { TelemetryContext(arm: "launch screen") }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform) { world.news.hear($0) }
            var policy = UnlockPolicy.sensitiveScreen
            policy.arm = "slow hint"
            _ = try await auth.authenticate("Unlock", policy: policy)
            #expect(world.news.records.last?.context.policy == "sensitiveScreen")
            #expect(world.news.records.last?.context.arm == "slow hint")
        }
    }

    @Test func aVisitIsCountedAsASignIn() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.signIn(with: World.signIn)
            #expect(world.news.records.last?.context.policy == "signIn")
        }
    }

    @Test func thisMachineTellsItsSystem() {
        let context = TelemetryContext.ofThisDevice
        #expect(context.system != nil)
        #expect(DeviceFacts.systemVersion(osRelease: "NAME=\"A\"\nID=debian\nVERSION_ID=\"13\"\n") == "debian 13")
        #expect(DeviceFacts.systemVersion(osRelease: "ID=arch\n") == "arch")
        #expect(DeviceFacts.systemVersion(osRelease: "") == nil)
    }
}

extension World.News {
    /// The events to count with their context, in order.
    var records: [TelemetryRecord] { all.compactMap { if case .telemetry(let record) = $0 { record } else { nil } } }
}
