import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

@Suite struct AdviceTests {
    private final class Told: Sendable {
        private let heard = Mutex<[String]>([])
        var sentences: [String] { heard.withLock { $0 } }
        func hear(_ sentence: String) { heard.withLock { $0.append(sentence) } }
    }

    @Test func aVagueReasonIsWarnedAboutOnce() async throws {
        try await World.enrolled { world in
            let told = Told()
            var platform = world.auth.platform
            platform.advise = { told.hear($0) }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            _ = try await auth.authenticate("Unlock Acme")
            #expect(told.sentences.isEmpty)
            for _ in 1...2 { _ = try await auth.authenticate("Please authenticate") }
            #expect(told.sentences.count == 1 && told.sentences.allSatisfy { $0.contains("“Please authenticate”") })
            let vault = Vault(named: "designs", platform: platform)
            try await vault.unlocked("Login") { _ in }
            #expect(told.sentences.count == 2)
        }
    }

    /// Switches that the system's settings have.
    private final class Settings: Sendable {
        private let now = Mutex(ExtraTime.none)
        private let (stream, changes) = AsyncStream.makeStream(of: Void.self)

        func attach(to platform: inout DevicePlatform) {
            platform.extraTime = { self.now.withLock { $0 } }
            platform.extraTimeChanges = { self.stream }
        }

        func set(_ time: ExtraTime) {
            now.withLock { $0 = time }
            changes.yield(())
        }
    }

    @Test("a screen reader that is switched on during a prompt lifts its limit", arguments: [ExtraTime.tenfold, .unlimited])
    func switchedOn(_ time: ExtraTime) async throws {
        try await World.enrolled { world in
            let settings = Settings()
            var platform = world.auth.platform
            settings.attach(to: &platform)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform) { world.news.hear($0) }
            world.phone.next(.match, after: .seconds(60))
            async let grant = auth.authenticate("Unlock Acme")
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(5)))
            settings.set(time)
            expect(try await grant.rung, is: .biometric)
        }
    }

    @Test func oneThatIsSwitchedOffLetsTheLimitBeReachedAgain() async throws {
        try await World.enrolled { world in
            let settings = Settings()
            settings.set(.unlimited)
            var platform = world.auth.platform
            settings.attach(to: &platform)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform) { world.news.hear($0) }
            world.phone.next(.match, after: .seconds(60))
            async let grant = auth.authenticate("Unlock Acme")
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(5)))
            settings.set(.none)
            expect(try await grant.rung, is: .devicePasscode)
        }
    }
}
