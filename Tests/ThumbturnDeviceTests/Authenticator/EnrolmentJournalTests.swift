import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// An enrolment that is killed at any step is whole or nothing, and leaves nothing behind.
@Suite struct EnrolmentJournalTests {
    /// A phone whose storage a test can read.
    struct Device: Sendable {
        let world: World
        let secrets = NamedSecrets()

        init() throws {
            world = try World(hasPIN: true)
        }

        /// The platform of one process of the app. A process that was killed shares nothing with the next one.
        var platform: DevicePlatform {
            var platform = world.phone.platform(transport: world.server)
            platform.secrets = secrets
            return platform
        }

        func start(_ platform: DevicePlatform? = nil) throws -> Authenticator {
            try Authenticator(server: InMemoryServer.url, platform: platform ?? self.platform)
        }

        /// The names that belong to one enrolment. What is remembered of the person belongs to the account.
        var leftovers: [String] {
            let ofTheAccount = ["enrolments ", "enrolment mark ", "pace ", "open flow ", "sensor switch "]
            return secrets.names.filter { name in !ofTheAccount.contains { name.hasPrefix($0) } }
        }
        var records: Int { world.server.state.withLock { $0.devices.count } }
    }

    @Test("killed at every step of the first enrolment", arguments: DyingParts.Manner.allCases)
    func first(_ manner: DyingParts.Manner) async throws {
        let (steps, halves) = try await DyingParts.atEveryStep(manner) { device, step in
            let parts = DyingParts(of: device.platform, at: step, manner)
            _ = try? await device.start(parts.platform).enrol(with: World.signIn)

            let next = try device.start()
            await next.settle()
            let isEnrolled = await next.readiness().isEnrolled
            let story = "step \(step), \(manner)"
            #expect(device.world.phone.keyCount == (isEnrolled ? 4 : 0), "\(story)")
            #expect(device.records == (isEnrolled ? 1 : 0), "\(story): the server knows what the device knows")
            if isEnrolled {
                expect(try await next.authenticate("Unlock").rung, is: .biometric, "\(story)")
            } else {
                #expect(device.leftovers == [], "\(story)")
                try await next.enrol(with: World.signIn)
                expect(try await next.authenticate("Unlock").rung, is: .biometric, "\(story)")
            }
            #expect(device.records == 1 && device.world.phone.keyCount == 4, "\(story): and a retry makes no duplicate")
            return (parts, isEnrolled)
        }
        #expect(steps > 20 && halves == [true, false], "it died on both sides of the change-over, in \(steps) steps")
    }

    @Test("killed at every step of an enrolment that replaces another", arguments: DyingParts.Manner.allCases)
    func replacing(_ manner: DyingParts.Manner) async throws {
        let (steps, winners) = try await DyingParts.atEveryStep(manner) { device, step in
            let before = try device.start()
            try await before.enrol(with: World.signIn)
            let old = try await before.liveEnrolment()
            let parts = DyingParts(of: device.platform, at: step, manner)
            _ = try? await device.start(parts.platform).enrol(with: World.signIn, ifExists: .replace)

            let next = try device.start()
            let story = "step \(step), \(manner)"
            for rung in [Rung.biometric, .devicePasscode, .appPIN] {
                expect(try await next.authenticate("Unlock", policy: UnlockPolicy(ladder: [rung])).rung, is: rung, "\(story)")
            }
            #expect(device.world.phone.keyCount == 4, "\(story): the keys belong to one enrolment")
            #expect(device.records == 1, "\(story)")
            let live = try #require(try await next.liveEnrolment())
            #expect(device.leftovers.allSatisfy { $0.hasSuffix(" \(live)") }, "\(story): \(device.leftovers)")
            return (parts, live != old)
        }
        #expect(steps > 30 && winners == [true, false], "it died on both sides of the change-over, in \(steps) steps")
    }

    @Test func aLostAnswerLeavesNoRecordBehind() async throws {
        let device = try Device()
        try await device.world.clock.run {
            let auth = try device.start()
            device.world.server.state.withLock { $0.losesAnswerTo = "/v1/devices" }
            await expectFailure(.unreachable) { try await auth.enrol(with: World.signIn) }
            #expect(device.records == 0 && device.world.phone.keyCount == 0, "undone as soon as the failure is known")
            try await auth.enrol(with: World.signIn)
            #expect(device.records == 1)
        }
    }

    @Test func anEndThatTheServerCannotBeToldWaitsForTheNextStart() async throws {
        let device = try Device()
        try await device.world.clock.run {
            // The server commits, and then the network is gone.
            var platform = device.platform
            platform.transport = LastWord(server: device.world.server)
            await expectFailure(.unreachable) { try await device.start(platform).enrol(with: World.signIn) }
            #expect(device.records == 1 && device.world.phone.keyCount == 1, "only the session key is left")
            let next = try device.start()
            #expect(await !next.readiness().isEnrolled)
            device.world.server.state.withLock { $0.isAway = true }
            await next.settle()
            #expect(device.world.phone.keyCount == 1)
            device.world.server.state.withLock { $0.isAway = false }
            await next.settle()
            #expect(device.records == 0 && device.world.phone.keyCount == 0)
        }
    }

    @Test func aReplacedEnrolmentIsEndedAtTheServerLater() async throws {
        let device = try Device()
        try await device.world.clock.run {
            let auth = try device.start()
            try await auth.enrol(with: World.signIn)
            device.world.server.state.withLock { $0.losesAnswerTo = "/v1/devices/current" }
            try await auth.enrol(with: World.signIn, ifExists: .replace)
            #expect(device.world.phone.keyCount == 5, "the old session key is kept until the server can be told")
            _ = try await auth.authenticate("Unlock")
            // The unlock does not wait for it.
            try await device.world.clock.sleep(until: device.world.clock.now.advanced(by: .seconds(1)))
            #expect(device.records == 1 && device.world.phone.keyCount == 4)
        }
    }

    @Test func aRunningEnrolmentIsNotUndone() async throws {
        let device = try Device()
        try await device.world.clock.run {
            let platform = device.platform
            let (one, other) = (try device.start(platform), try device.start(platform))
            device.world.phone.next(.match, after: .seconds(5))
            async let enrolled = one.enrol(with: World.signIn)
            try await device.world.clock.sleep(until: device.world.clock.now.advanced(by: .seconds(1)))
            await other.settle()
            await expectFailure(.superseded) { try await other.enrol(with: World.signIn) }
            _ = try await enrolled
            expect(try await other.authenticate("Unlock").rung, is: .biometric)
        }
    }
}

/// A network that is gone once it has carried an enrolment to the server.
private final class LastWord: Transport {
    private let server: InMemoryServer
    private let isGone = Mutex(false)

    init(server: InMemoryServer) {
        self.server = server
    }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard !isGone.withLock({ $0 }) else { throw Failure(.unreachable) }
        let answer = try await server.send(request)
        guard request.url.hasSuffix("/v1/devices") else { return answer }
        isGone.withLock { $0 = true }
        throw Failure(.unreachable)
    }
}
