import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The contents of screens, on an enrolled phone in virtual time.
struct ScreenWorld: Sendable {
    let world: World
    let auth: Authenticator
    let app = MovedApp()
    let news = UnlockNewsRelay()
    let platform: DevicePlatform

    static func tell(
        _ model: SimulatedPhone.Model = .plain, _ story: @escaping @MainActor @Sendable (ScreenWorld) async throws -> Void
    ) async throws {
        let world = try World(model)
        try await world.clock.run(mainActorToo: true) {
            try await world.auth.enrol(with: World.signIn)
            try await story(try ScreenWorld(world))
        }
    }

    private init(_ world: World) throws {
        self.world = world
        var platform = world.phone.platform(transport: world.server)
        platform.phases = app
        self.platform = platform
        auth = try Authenticator(server: InMemoryServer.url, platform: platform, observe: news.hear)
    }

    func wait(_ duration: Duration) async {
        try? await world.clock.sleep(until: world.clock.now.advanced(by: duration))
    }

    /// Runs a screen beside a story, and ends it when the story ends.
    @MainActor func with(
        _ screen: @escaping @Sendable () async -> Void, _ story: @MainActor () async throws -> Void
    ) async rethrows {
        let shown = Task(executorPreference: world.clock.executor) { await screen() }
        await wait(.milliseconds(1))
        try await story()
        shown.cancel()
        await shown.value
    }

    var unlock: @Sendable () async throws(Failure) -> Grant {
        { () async throws(Failure) in try await auth.authenticate("Unlock Acme") }
    }

    var screenUnlock: @Sendable (UnlockFlow.Start) async throws(Failure) -> Grant {
        { (start) async throws(Failure) in try await auth.authenticate("Unlock Acme", by: start) }
    }

    /// A lock that is open, beside a story.
    @MainActor func withOpenLock(
        _ lock: AppLockModel, _ story: @MainActor () async throws -> Void, at place: SourceLocation = #_sourceLocation
    ) async rethrows {
        try await with({ await lock.run() }) {
            await wait(.seconds(1))
            #expect(!lock.isLocked && !lock.isCovered, sourceLocation: place)
            try await story()
        }
    }

    var enrol: @Sendable () async throws(Failure) -> Void {
        { () async throws(Failure) in _ = try await auth.enrol(with: World.signIn) }
    }
}
