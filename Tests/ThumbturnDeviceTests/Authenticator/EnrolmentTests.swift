import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Whose enrolment it is: the credentials that `enrol` is handed are judged in every case, and decide.
@Suite struct EnrolmentTests {
    private static let wrong = PasswordSignIn(account: "ada", password: "wrong")
    static let bob = PasswordSignIn(account: "bob", password: InMemoryServer.password)

    private static func count(_ path: String, _ world: World) -> Int { world.server.paths.count { $0 == path } }

    /// Three mismatches, and two more after the library's own delays.
    private static func lockOut(_ world: World) async {
        world.phone.next(.noMatch, .noMatch, .noMatch, .cancel)
        await expectFailure(.cancelledByUser) { _ = try await world.auth.authenticate("Unlock") }
        for (delay, code) in [(Duration.seconds(10), Failure.Code.paused), (.seconds(30), .lockedOut)] {
            world.clock.advance(by: delay)
            world.phone.next(.noMatch)
            await expectFailure(code) { _ = try await world.auth.authenticate("Unlock", policy: World.sensorAlone) }
        }
    }

    @Test(
        "a wrong password is refused on an enrolled device",
        arguments: [Authenticator.IfExists.keep, .replace], [false, true])
    func aWrongPasswordIsRefusedOnAnEnrolledDevice(_ ifExists: Authenticator.IfExists, _ isLockedOut: Bool) async throws {
        try await World.enrolled { world in
            if isLockedOut { await Self.lockOut(world) }
            let (live, keys, prompts) = (try await world.auth.liveEnrolment(), world.phone.keyCount, world.phone.promptCount)
            let refused = await failure { try await world.auth.enrol(with: Self.wrong, ifExists: ifExists) }
            #expect(refused == Failure(.refused, recovery: .signInAgain, status: .init(domain: "HTTP", code: 401)))
            expect(try await world.auth.liveEnrolment(), is: live)
            #expect(world.phone.keyCount == keys && world.phone.promptCount == prompts)
            let biometry = await world.auth.readiness().biometry
            #expect(biometry == (isLockedOut ? .lockedOut(.untilPasscode) : .ready), "and lifts nothing")
            expect(try await world.auth.authenticate("Unlock").rung, is: isLockedOut ? .devicePasscode : .biometric)
        }
    }

    @Test func theRightPasswordKeepsTheEnrolmentAndMakesNoKey() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            let first = try await world.auth.enrol(with: World.signIn)
            let (live, keys, prompts) = (try await world.auth.liveEnrolment(), world.phone.keyCount, world.phone.promptCount)
            let signIns = Self.count("POST /v1/accounts/sign-in", world)
            expect(try await world.auth.enrol(with: World.signIn), is: first, "the server's record")
            expect(try await world.auth.liveEnrolment(), is: live)
            #expect(world.phone.keyCount == keys && world.phone.promptCount == prompts)
            #expect(Self.count("POST /v1/accounts/sign-in", world) == signIns + 1, "the password is sent once")
            #expect(Self.count("POST /v1/devices", world) == 1)

            world.server.state.withLock { $0.isAway = true }
            await expectFailure(.unreachable) { try await world.auth.enrol(with: World.signIn) }
            world.server.state.withLock { $0.isAway = false }
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.keyCount == keys)
        }
    }

    @Test func anEnrolledDeviceMayRefuseBeforeTheCredentialsAreAskedFor() async throws {
        try await World.enrolled { world in
            let requests = world.server.paths.count
            await expectFailure(.alreadyEnrolled) { try await world.auth.enrol(with: World.signIn, ifExists: .fail) }
            #expect(world.server.paths.count == requests)
        }
    }

    @Test func anotherPersonsPasswordEnrolsThem() async throws {
        try await World.enrolled { world in
            var lax = UnlockPolicy(ladder: [.biometric])
            lax.reuse = .seconds(300)
            let adas = try await world.auth.authenticate("Unlock", policy: lax)
            expect(try await world.auth.me().name, is: "ada")
            let (live, prompts) = (try await world.auth.liveEnrolment(), world.phone.promptCount)
            try await world.auth.enrol(with: Self.bob)
            expect(try await world.auth.liveEnrolment() != live, is: true)
            #expect(world.phone.promptCount == prompts + 1 && world.phone.keyCount == 3)
            #expect(world.server.state.withLock { $0.devices.count } == 1, "the first person's enrolment is ended")
            await expectFailure(.sessionOver) { _ = try await world.auth.me() }
            #expect(!adas.answered.isLive, "and opens nothing any more")
            _ = try await world.auth.authenticate("Unlock", policy: lax)
            #expect(world.phone.promptCount == prompts + 2, "her unlock stands in for none of his")
            expect(try await world.auth.me().name, is: "bob")
        }
    }

    @Test func enrollingTheSamePersonAnewVoidsNoUnlock() async throws {
        try await World.enrolled { world in
            let grant = try await world.auth.authenticate("Unlock")
            try await world.auth.enrol(with: World.signIn, ifExists: .replace)
            #expect(grant.answered.isLive)
        }
    }

    @Test func anotherPersonWhoIsCancelledChangesNothing() async throws {
        try await World.enrolled { world in
            world.phone.next(.cancel)
            await expectFailure(.cancelledByUser) { try await world.auth.enrol(with: Self.bob) }
            #expect(world.phone.keyCount == 3)
            _ = try await world.auth.authenticate("Unlock")
            expect(try await world.auth.me().name, is: "ada")
        }
    }

    @Test func aOneTimeCodeIsSentOnce() async throws {
        let world = try World()
        try await world.clock.run {
            for (step, account) in ["ada", "ada", "bob"].enumerated() {
                let signIn = PasswordSignIn(account: account, password: InMemoryServer.password, oneTimeCode: "code \(step)")
                try await world.auth.enrol(with: signIn)
                _ = try await world.auth.authenticate("Unlock")
                expect(try await world.auth.me().name, is: account)
            }
            #expect(Self.count("POST /v1/accounts/sign-in", world) == 3)
            #expect(Self.count("POST /v1/devices", world) == 2)
        }
    }

    @Test func anEnrolmentThatTheServerEndedIsMadeAnew() async throws {
        try await World.enrolled { world in
            world.server.state.withLock { $0.devices.removeAll() }
            await expectFailure(.refused) { _ = try await world.auth.authenticate("Unlock") }
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.keyCount == 3)
        }
    }

    /// Whom the place would belong to could not be told.
    @Test func aTicketThatNamesNoAccountIsNotUsed() async throws {
        let world = try World()
        try await world.clock.run {
            world.server.state.withLock { $0.tellsAccounts = false }
            await expectFailure(.unexpectedAnswer) { try await world.auth.enrol(with: World.signIn) }
            await expectFailure(.unexpectedAnswer) { _ = try await world.auth.signIn(with: World.signIn) }
            #expect(world.phone.keyCount == 0)
            expect(try await world.auth.enrolments().isEmpty, is: true)
        }
    }

    @Test("killed at every step of an enrolment that is kept", arguments: DyingParts.Manner.allCases)
    func killedWhileKeeping(_ manner: DyingParts.Manner) async throws {
        let (steps, _) = try await DyingParts.atEveryStep(manner) { device, step in
            let before = try device.start()
            try await before.enrol(with: World.signIn)
            let live = try await before.liveEnrolment()
            let parts = DyingParts(of: device.platform, at: step, manner)
            _ = try? await device.start(parts.platform).enrol(with: World.signIn)

            let next = try device.start()
            expect(try await next.authenticate("Unlock").rung, is: .biometric, "step \(step), \(manner)")
            expect(try await next.liveEnrolment(), is: live, "step \(step), \(manner)")
            #expect(device.world.phone.keyCount == 4 && device.records == 1, "step \(step), \(manner)")
            return (parts, true)
        }
        #expect(steps > 8, "it died at \(steps) steps")
    }
}
