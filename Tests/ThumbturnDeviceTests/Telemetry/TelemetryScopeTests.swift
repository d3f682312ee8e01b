import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The reports of one account never go through the session of another one.
@Suite struct TelemetryScopeTests {
    private typealias World = TelemetryWorld

    private static let (ada, bob) = (ReportOwner("ada's mark"), ReportOwner("bob's mark"))

    private static func story(_ story: @escaping @Sendable (TelemetryWorld) async throws -> Void) async throws {
        let world = TelemetryWorld()
        try await world.clock.run { try await story(world) }
    }

    // MARK: The queue

    @Test func onlyTheReportsOfTheSendersScopeGo() async throws {
        try await Self.story { world in
            world.sender.takes { [Self.ada] }
            let queue = world.queue()
            queue.take(World.report(1, of: Self.bob))
            try await world.running(queue) {
                for (number, owner) in [(2, Self.ada), (3, nil), (4, Self.bob), (5, Self.ada)] as [(Int, ReportOwner?)] {
                    queue.take(World.report(number, of: owner))
                }
                try await world.pass(.seconds(1))
                #expect(queue.count == 2 && queue.dropped == 0, "what is not of the scope is forgotten, and not counted")
                #expect(world.stored?.reports.map(\.owner) == [Self.ada, Self.ada], "nor stored")
                try await world.pass(.seconds(1000))
                #expect(world.sender.batches.map(World.numbers) == [[2, 5]])
            }
        }
    }

    @Test func aSenderOfEveryoneTakesAllReports() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 3))
            try await world.running(queue) {
                for (number, owner) in [(1, Self.ada), (2, nil), (3, Self.bob)] as [(Int, ReportOwner?)] {
                    queue.take(World.report(number, of: owner))
                }
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.map(World.numbers) == [[1, 2, 3]])
            }
        }
    }

    @Test func noOwnerIsSent() async throws {
        try await Self.story { world in
            world.sender.takes { [Self.ada] }
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                queue.take(World.report(1, of: Self.ada))
                try await world.pass(.seconds(1))
            }
            let body = String(decoding: try #require(world.sender.bodies.first), as: UTF8.self)
            #expect(!body.contains("mark") && !body.contains("owner"), "\(body)")
        }
    }

    @Test func theReportsOfAnEarlierPersonNeverGo() async throws {
        try await Self.story { world in
            let owner = Mutex(Self.ada)
            world.sender.takes { [owner.withLock { $0 }] }
            world.sender.next(.later(after: nil))
            let queue = world.queue(.init(batch: 2))
            try await world.running(queue) {
                for number in 1...3 { queue.take(World.report(number, of: Self.ada)) }
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.map(World.numbers) == [[1, 2, 3]])
                owner.withLock { $0 = Self.bob }
                queue.take(World.report(4, of: Self.bob))
                // One of an unlock that began before.
                queue.take(World.report(5, of: Self.ada))
                try await world.pass(.seconds(3600))
                let batches = world.sender.batches
                #expect(batches.dropFirst().map(World.numbers) == [[4]])
                #expect(batches[0].id != batches[1].id && batches[0].day != batches[1].day, "nothing links the two")
                #expect(queue.count == 0)
                expect(world.store.record, is: nil)
            }
        }
    }

    @Test func aBatchWhoseOwnerChangesWhileItIsStoredDoesNotGo() async throws {
        try await Self.story { world in
            let owner = Mutex(Self.ada)
            world.sender.takes { [owner.withLock { $0 }] }
            world.store.afterWrites { owner.withLock { $0 = Self.bob } }
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                queue.take(World.report(1, of: Self.ada))
                try await world.pass(.seconds(3600))
                #expect(world.sender.batches.isEmpty && queue.count == 0)
            }
        }
    }

    @Test func ownersThatCannotBeReadNowLoseNothing() async throws {
        try await Self.story { world in
            let owners = Mutex<Set<ReportOwner>?>(nil)
            world.sender.takes { owners.withLock { $0 } }
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                queue.take(World.report(1, of: Self.ada))
                queue.take(World.report(2, of: Self.bob))
                try await world.pass(.seconds(600))
                #expect(world.sender.batches.isEmpty && queue.count == 2, "it is not known whose session it is")
                owners.withLock { $0 = [Self.bob] }
                try await world.pass(.seconds(60))
                #expect(world.sender.batches.map(World.numbers) == [[2]] && queue.count == 0)
            }
        }
    }

    @Test func theOwnersOutliveARestart() async throws {
        try await Self.story { world in
            // The first process is killed before it could tell whose session it is.
            world.sender.takes { nil }
            let first = world.queue(seed: 1)
            try await world.running(first) {
                first.take(World.report(1, of: Self.ada))
                first.take(World.report(2, of: Self.bob))
                try await world.pass(.seconds(1))
            }
            #expect(world.stored?.reports.map(\.owner) == [Self.ada, Self.bob])
            world.sender.takes { [Self.bob] }
            try await world.running(world.queue(seed: 2)) { try await world.pass(.seconds(1)) }
            #expect(world.sender.batches.map(World.numbers) == [[2]])
        }
    }

    @Test func theNameOfTheDayIsOfOneOwnerAlsoOverARestart() throws {
        let now = Instant(sinceOrigin: .zero)
        var (backlog, generator) = (TelemetryBacklog(limits: .init()), SeededGenerator(seed: World.seed))
        backlog.take(World.report(1, of: Self.ada), of: 100, at: now)
        let first = try #require(backlog.batch(of: .only([Self.ada]), on: 1, using: &generator))
        let bytes = StrictJSON.encode(backlog.stored(on: 1, boot: "first boot"))
        let stored = try StrictJSON.decodeIgnoringUnknown(TelemetryBacklog.Stored.self, from: bytes)
        for (reports, isSame) in [(.only([Self.ada]), true), (.only([Self.ada, Self.bob]), false), (.all, false)]
            as [(TelemetryScope.Reports, Bool)]
        {
            var next = TelemetryBacklog(limits: .init())
            next.restore(stored, on: 1, boot: "first boot", at: now)
            let batch = try #require(next.batch(of: reports, on: 1, using: &generator))
            #expect((batch.day == first.day) == isSame && (batch.id == first.id) == isSame)
            #expect(batch.unlocks == [World.report(1, of: Self.ada)])
        }
    }

    @Test func whatIsForgottenOfABatchUnderWayIsNotForgottenTwice() throws {
        let now = Instant(sinceOrigin: .zero)
        var (backlog, generator) = (TelemetryBacklog(limits: .init()), SeededGenerator(seed: World.seed))
        for (number, owner) in [(1, Self.ada), (2, Self.bob), (3, Self.ada)] {
            backlog.take(World.report(number, of: owner), of: 100, at: now)
        }
        let batch = try #require(backlog.batch(of: .all, on: 1, using: &generator))
        backlog.take(World.report(4, of: Self.bob), of: 100, at: now)
        #expect(backlog.keep(only: .only([Self.bob])) && !backlog.keep(only: .only([Self.bob])))
        backlog.settle(batch.id, .taken, at: now, using: &generator)
        #expect(backlog.batch(of: .all, on: 1, using: &generator).map(World.numbers) == [4])
    }

    // MARK: From the sensor to the server

    private static func named(_ name: TelemetryLabel) -> UnlockPolicy {
        var policy = UnlockPolicy.unlock
        policy.name = name
        return policy
    }

    /// The policies of the unlocks that went to the server.
    private static func sent(_ route: TelemetrySenderTests.Route) throws -> [String] {
        try route.requests.flatMap { request in
            try JSONDecoder().decode(TelemetryBatch.self, from: Data(request.body)).unlocks.compactMap { $0.context.policy?.text }
        }.filter { $0 != "unlock" }
    }

    /// Runs a story on an enrolled phone with a queue whose platform, sender and route it gets, until all is sent.
    private static func reporting(
        _ sender: @escaping @Sendable (_ first: Authenticator, _ second: Authenticator, Vault) -> any TelemetrySender,
        _ story: @escaping @Sendable (_ first: Authenticator, _ second: Authenticator, Vault) async throws -> Void
    ) async throws -> [String] {
        let sent = Mutex<[String]>([])
        try await ThumbturnDeviceTests.World.enrolled { world in
            let route = TelemetrySenderTests.Route(before: world.server)
            var platform = world.auth.platform
            platform.transport = route
            let queue = TelemetryQueue(in: TelemetryWorld.Store(), on: platform, isOn: true)
            platform.telemetry = queue
            let first = try Authenticator(server: InMemoryServer.url, platform: platform)
            let second = try Authenticator(server: InMemoryServer.url, account: "second", platform: platform)
            try await second.enrol(with: EnrolmentTests.bob)
            let vault = Vault(named: "notes", platform: platform, policy: named("notes"), access: .userPresence)
            let sender = sender(first, second, vault)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await queue.run(through: sender) }
                try await story(first, second, vault)
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(3600)))
                group.cancelAll()
            }
            let policies = try Self.sent(route)
            sent.withLock { $0 = policies }
        }
        return sent.withLock { $0 }
    }

    private static func unlockEach(_ first: Authenticator, _ second: Authenticator, _ vault: Vault) async throws {
        _ = try await first.authenticate("Unlock", policy: named("first"))
        _ = try await second.authenticate("Unlock", policy: named("second"))
        try await vault.unlocked("Open your notes") { _ in }
    }

    @Test func anAccountsSessionSendsItsOwnUnlocksOnly() async throws {
        let sent = try await Self.reporting { _, second, _ in
            ServerTelemetry(second)
        } _: {
            try await Self.unlockEach($0, $1, $2)
        }
        #expect(sent == ["second"])
    }

    @Test func aVaultsUnlocksGoWhereTheAppNamesTheVault() async throws {
        let sent = try await Self.reporting { _, second, vault in
            ServerTelemetry(second, vaults: [vault])
        } _: {
            try await Self.unlockEach($0, $1, $2)
        }
        #expect(sent == ["second", "notes"])
    }

    @Test func whatWaitsNeverGoesThroughTheSessionOfTheNextPerson() async throws {
        let sent = try await Self.reporting { first, _, _ in
            ServerTelemetry(first)
        } _: { auth, _, _ in
            _ = try await auth.authenticate("Unlock", policy: Self.named("adas"))
            try await auth.revoke()
            try await auth.enrol(with: EnrolmentTests.bob)
            _ = try await auth.authenticate("Unlock", policy: Self.named("bobs"))
        }
        #expect(sent == ["bobs"])
    }

    @Test func whatWaitsNeverGoesThroughTheSessionOfAPersonWhoTookThePlace() async throws {
        let sent = try await Self.reporting { first, _, _ in
            ServerTelemetry(first)
        } _: { auth, _, _ in
            _ = try await auth.authenticate("Unlock", policy: Self.named("adas"))
            try await auth.enrol(with: EnrolmentTests.bob)
            _ = try await auth.authenticate("Unlock", policy: Self.named("bobs"))
        }
        #expect(sent == ["bobs"])
    }

    @Test func whatWaitsGoesWhenTheSamePersonHasSignedInAgain() async throws {
        let sent = try await Self.reporting { first, _, _ in
            ServerTelemetry(first)
        } _: { auth, _, _ in
            _ = try await auth.authenticate("Unlock", policy: Self.named("before"))
            try await auth.signOut(forgetDevice: false)
            _ = try await auth.authenticate("Unlock", policy: Self.named("after"))
        }
        #expect(sent == ["before", "after"])
    }

    @Test func aScopePrintsNoAccount() async throws {
        let auth = try Authenticator(
            server: InMemoryServer.url, account: "ada@example.com", platform: SimulatedPhone(.plain).platform())
        for scope in [TelemetryScope.everyone, .only(auth), ServerTelemetry(auth).scope] {
            var text = "\(scope) \(String(reflecting: scope))"
            dump(scope, to: &text)
            #expect(!text.contains("ada") && !text.contains("bank"), "\(text)")
        }
    }
}
