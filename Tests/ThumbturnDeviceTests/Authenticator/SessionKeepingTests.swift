import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit

/// A session that is kept in memory and ends when the app locks.
@Suite struct SessionKeepingTests {
    private static func tell(
        _ story: @escaping @Sendable (World, _ auth: Authenticator) async throws -> Void
    ) async throws {
        try await World.enrolled { world in
            let platform = world.phone.platform(transport: world.server)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform, sessions: .untilLock)
            try await story(world, auth)
        }
    }

    private static func ended(_ world: World) -> [String] { world.server.state.withLock { $0.endedSessions } }

    /// Lets the authenticator hear of a lock, and tell the server.
    private static func settle(_ world: World) async throws {
        try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(1)))
    }

    @Test func aLockEndsTheSessionHereAtOnceAndAtTheServer() async throws {
        try await Self.tell { world, auth in
            _ = try await auth.authenticate("Unlock")
            _ = try await auth.me()
            _ = try await auth.refresh()
            let requests = world.server.state.withLock { $0.requests.count }
            await auth.forgetRecentAuthentication()
            await expectFailure(.sessionOver) { _ = try await auth.me() }
            await expectFailure(.sessionOver) { _ = try await auth.refresh() }
            try await Self.settle(world)
            #expect(Self.ended(world) == ["token=refresh%202"])
            #expect(world.server.state.withLock { $0.requests.count } == requests + 1, "nothing else was asked")
            _ = try await auth.authenticate("Unlock")
            _ = try await auth.me()
        }
    }

    @Test func whatTheServerCouldNotBeToldIsToldAtTheNextLock() async throws {
        try await Self.tell { world, auth in
            _ = try await auth.authenticate("Unlock")
            world.server.state.withLock { $0.isAway = true }
            await auth.forgetRecentAuthentication()
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(60)))
            #expect(Self.ended(world).isEmpty)
            world.server.state.withLock { $0.isAway = false }
            _ = try await auth.authenticate("Unlock")
            await auth.forgetRecentAuthentication()
            try await Self.settle(world)
            #expect(Self.ended(world).count == 2)
        }
    }

    @Test func aStoredSessionGoesOn() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            await world.auth.forgetRecentAuthentication()
            _ = try await world.auth.me()
            try await Self.settle(world)
            #expect(Self.ended(world).isEmpty)
        }
    }

    @Test func nothingOfItIsWrittenDown() async throws {
        try await Self.tell { world, auth in
            _ = try await world.auth.authenticate("Unlock")
            _ = try await auth.authenticate("Unlock")
            await expectFailure(.sessionOver) { _ = try await world.anotherProcess().me() }
            _ = try await auth.me()
            let restarted = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: world.server), sessions: .untilLock)
            await expectFailure(.sessionOver) { _ = try await restarted.me() }
        }
    }

    @Test func aFullSignInsSessionEndsToo() async throws {
        try await Self.tell { world, auth in
            _ = try await auth.signIn(with: World.signIn)
            _ = try await auth.me()
            await auth.forgetRecentAuthentication()
            await expectFailure(.sessionOver) { _ = try await auth.me() }
            try await Self.settle(world)
            #expect(Self.ended(world).count == 1)
        }
    }

    @Test func signingOutTellsTheServerOnceAndSaysWhereItCannotBeReached() async throws {
        try await Self.tell { world, auth in
            _ = try await auth.authenticate("Unlock")
            try await auth.signOut(forgetDevice: false)
            try await Self.settle(world)
            #expect(Self.ended(world) == ["token=refresh%201"])
            _ = try await auth.authenticate("Unlock")
            world.server.state.withLock { $0.isAway = true }
            await expectFailure(.unreachable) { try await auth.signOut(forgetDevice: false) }
            await expectFailure(.sessionOver) { _ = try await auth.me() }
        }
    }

    @Test func anUnlockThatWasLockedMeanwhileKeepsNoSession() async throws {
        try await Self.tell { world, auth in
            world.phone.next(.match, after: .seconds(2))
            let unlock = Task(executorPreference: world.clock.executor) {
                await failure { _ = try await auth.authenticate("Unlock") }
            }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            await auth.forgetRecentAuthentication()
            #expect(await unlock.value?.code == .cancelledByApp)
            await expectFailure(.sessionOver) { _ = try await auth.me() }
        }
    }

    @MainActor @Test func theLockOfTheAppEndsItAndTheNextUnlockOpensAnother() async throws {
        try await ScreenWorld.tell { world in
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.platform, sessions: .untilLock)
            let lock = AppLockModel(for: auth, reason: "Unlock", rules: .init(lockAfter: .seconds(30)))
            await world.with({ await lock.run() }) {
                await world.wait(.seconds(1))
                #expect(!lock.isLocked)
                #expect(await failure { _ = try await auth.me() } == nil)
                world.app.move(to: .back)
                await world.wait(.seconds(29))
                #expect(await failure { _ = try await auth.me() } == nil, "it is not locked yet")
                await world.wait(.seconds(2))
                #expect(await failure { _ = try await auth.me() }?.code == .sessionOver)
                #expect(Self.ended(world.world).count == 1)
                world.app.move(to: .front)
                await world.wait(.seconds(2))
                #expect(!lock.isLocked)
                #expect(await failure { _ = try await auth.me() } == nil)
            }
        }
    }
}
