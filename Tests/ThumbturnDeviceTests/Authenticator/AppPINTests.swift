import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnDevice

/// The rung of the app's PIN, on a phone whose sensor does not recognise its owner.
@Suite struct AppPINTests {
    static let policy = UnlockPolicy(ladder: [.appPIN])
    static let wrong = SimulatedPhone.PINAct.enter("000000")

    /// Runs a story on an enrolled phone with a PIN.
    static func enrolled(_ story: @escaping @Sendable (World) async throws -> Void) async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            try await story(world)
        }
    }

    /// Another start of the app on the same phone.
    static func restarted(_ world: World, pin: PINSupport? = nil) throws -> Authenticator {
        var platform = world.phone.platform(transport: world.server)
        if let pin { platform.pin = pin }
        return try Authenticator(server: InMemoryServer.url, platform: platform)
    }

    static func wrongPINs(_ count: Int, _ world: World) async {
        for _ in 1...count { world.phone.pins(wrong) }
        await expectFailure(.paused) { _ = try await world.auth.authenticate("Unlock", policy: policy) }
    }

    // MARK: Enrolment

    @Test func enrollingAsksForAPINAndShowsOnePrompt() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            let record = try await world.auth.enrol(with: World.signIn)
            #expect(world.phone.promptCount == 1)
            #expect(Set(record.keys.map(\.kind)) == [.session, .biometric, .passcode, .pin])
            let key = record.keys.first { $0.kind == .pin }
            #expect(key?.isActive == true && key?.id.hasPrefix("pin.") == true)
            #expect(await world.auth.readiness().state(of: .pin) == .usable)
            #expect(world.phone.pinRequests.isEmpty, "a new PIN is chosen once and not entered again")
        }
    }

    @Test func thePINIsChosenAfterThePasswordAndBeforeThePrompt() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            world.phone.pins(.cancel)
            let wrong = PasswordSignIn(account: "ada", password: "wrong")
            await expectFailure(.refused) { try await world.auth.enrol(with: wrong) }
            await expectFailure(.cancelledByUser) { try await world.auth.enrol(with: World.signIn) }
            #expect(world.phone.promptCount == 0)
            #expect(world.phone.keyCount == 0)
        }
    }

    @Test func anEasilyGuessedPINIsRefused() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            world.phone.pins("123456")
            let refused = await failure { try await world.auth.enrol(with: World.signIn) }
            #expect(refused == Failure(.pinEasilyGuessed))
            #expect(world.phone.promptCount == 0 && world.phone.keyCount == 0)
            #expect(!world.server.paths.contains("POST /v1/devices"))
            try await world.auth.enrol(with: World.signIn)
            world.phone.pins("123456", .enter(SimulatedPhone.pin))
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
        }
    }

    @Test func aPhoneWithOnlyAPINIsEnrolledWithoutAPrompt() async throws {
        let world = try World(hasSensor: false, hasPasscode: false, hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock").rung, is: .appPIN)
            #expect(world.phone.promptCount == 0)
        }
    }

    @Test func aPolicyWithoutAPINEnrolsNoPIN() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            let record = try await world.auth.enrol(with: World.signIn, policy: .highRisk)
            #expect(Set(record.keys.map(\.kind)) == [.session, .biometric])
            #expect(await world.auth.readiness().state(of: .pin) == .missing)
            try await world.auth.enrol(with: World.signIn)
            #expect(await world.auth.readiness().state(of: .pin) == .usable, "a ladder with a PIN enrols anew")
        }
    }

    @Test("the handle takes the placeholder's place, and nothing else changes", arguments: Tampering.allCases)
    func tampered(_ tampering: Tampering) async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            world.server.state.withLock { $0.tamper = { if $0.kids.count > 1 { tampering.change(&$0.kids) } } }
            await expectFailure(.unexpectedAnswer) { try await world.auth.enrol(with: World.signIn) }
            #expect(world.phone.promptCount == 0 && world.phone.keyCount == 0)
        }
    }

    enum Tampering: CaseIterable, Sendable {
        case echoed, thumbprint, short, elsewhere, added, missing

        func change(_ kids: inout [String]) {
            switch self {
            case .echoed: kids[3] = "pin"
            case .thumbprint: kids[3] = kids[0]
            case .short: kids[3] = "pin." + Base64URL.encode([UInt8](repeating: 1, count: 15))
            case .elsewhere: kids[1] = kids[3]
            case .added: kids.append(kids[3])
            case .missing: kids.removeLast()
            }
        }
    }

    @Test func aForeignHandleIsNotSignedFor() async throws {
        try await Self.enrolled { world in
            world.server.state.withLock {
                $0.tamper = { $0.kids = ["pin." + Base64URL.encode([UInt8](repeating: 1, count: 16))] }
            }
            await expectFailure(.unexpectedAnswer) { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(world.phone.pinRequests.isEmpty)
        }
    }

    // MARK: Signing in

    @Test func thePINSignsInWhereTheSensorFails() async throws {
        try await Self.enrolled { world in
            world.phone.next(.noMatch, .noMatch, .noMatch)
            let policy = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])
            let start = world.clock.now
            expect(try await world.auth.authenticate("Unlock", policy: policy).rung, is: .appPIN)
            expect(try await world.auth.me().name, is: "ada")
            #expect(world.phone.pinRequests.map(\.reason) == ["Unlock"])
            #expect(start == world.clock.now)
            #expect(
                world.news.all.contains(.moved(from: .biometric, to: .appPIN, because: .mismatches, over: .milliseconds(250))))
        }
    }

    @Test func aWrongPINIsAskedAgain() async throws {
        try await Self.enrolled { world in
            world.phone.pins(Self.wrong, Self.wrong, .enter(SimulatedPhone.pin))
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.map(\.wrongInARow) == [0, 1, 2])
            #expect(world.phone.pinRequests.map(\.cancelButton) == [.cancel, .use(.fullCredentials), .use(.fullCredentials)])
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.last?.wrongInARow == 0, "a right PIN empties the ledger")
        }
    }

    @Test func typingAPINHasNoTimeLimitAndTheHintLeadsOn() async throws {
        try await Self.enrolled { world in
            world.phone.pins(.ignore)
            let start = world.clock.now
            let ended = await withTaskGroup(of: Failure?.self) { group in
                let question = Question()
                group.addTask {
                    await failure {
                        _ = try await question.asking { try await world.auth.authenticate("Unlock", policy: Self.policy) }
                    }
                }
                try? await world.clock.sleep(until: start.advanced(by: .seconds(600)))
                question.useAnotherWay()
                return await group.next() ?? nil
            }
            #expect(ended == Failure(.notEnrolled))
            #expect(start.duration(to: world.clock.now) == .seconds(600))
        }
    }

    @Test func aCancellationIsNotCountedAsAnAttempt() async throws {
        try await Self.enrolled { world in
            for _ in 1...12 {
                world.phone.pins(.cancel)
                await expectFailure(.cancelledByUser) { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            }
            #expect(world.phone.pinRequests.allSatisfy { $0.wrongInARow == 0 })
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
        }
    }

    // MARK: Pauses

    @Test func fiveWrongPINsBeginAPause() async throws {
        try await Self.enrolled { world in
            world.phone.next(.noMatch, .noMatch, .noMatch)
            for _ in 1...5 { world.phone.pins(Self.wrong) }
            let policy = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])
            let paused = await failure { _ = try await world.auth.authenticate("Unlock", policy: policy) }
            #expect(paused == Failure(.paused, recovery: .wait(.seconds(10))), "the sensor is back before the PIN")
            #expect(world.phone.pinRequests.count == 5)
            #expect(await world.auth.readiness().state(of: .pin) == .paused(for: .seconds(30)))
            #expect(await world.auth.readiness().isEnrolled)
        }
    }

    @Test func wrongPINsAreCountedFromOneUnlockToTheNext() async throws {
        try await Self.enrolled { world in
            for _ in 1...4 {
                world.phone.pins(Self.wrong, .cancel)
                _ = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            }
            world.phone.pins(Self.wrong)
            let paused = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(paused == Failure(.paused, recovery: .wait(.seconds(30))), "the fifth in a row")
        }
    }

    @Test func aPauseOutlivesTheAppAndSettingTheClockDoesNotShortenIt() async throws {
        try await Self.enrolled { world in
            await Self.wrongPINs(5, world)
            world.clock.advance(by: .seconds(10))
            world.clock.setCivilTime(UnixTime(seconds: 4_000_000_000))
            let restarted = try Self.restarted(world)
            #expect(await restarted.readiness().state(of: .pin) == .paused(for: .seconds(20)))
            let refused = await failure { _ = try await restarted.authenticate("Unlock", policy: Self.policy) }
            #expect(refused == Failure(.paused, recovery: .wait(.seconds(20))))
            #expect(world.phone.pinRequests.count == 5, "no PIN or match is asked for that would not be accepted")
            expect(try await restarted.authenticate("Unlock").rung, is: .biometric)
            #expect(await restarted.readiness().state(of: .pin) == .paused(for: .seconds(20)), "no other rung ends it")
            world.clock.advance(by: .seconds(20))
            #expect(await restarted.readiness().state(of: .pin) == .usable)
            expect(try await restarted.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.last?.wrongInARow == 5)
        }
    }

    @Test func aRestartOfThePhoneStartsThePauseAgain() async throws {
        try await Self.enrolled { world in
            await Self.wrongPINs(5, world)
            world.clock.advance(by: .seconds(29))
            world.clock.boot = "second boot"
            #expect(await world.auth.readiness().state(of: .pin) == .paused(for: .seconds(30)))
            world.clock.advance(by: .seconds(29))
            #expect(await world.auth.readiness().state(of: .pin) == .paused(for: .seconds(1)), "the pause starts again once")
            world.clock.advance(by: .seconds(1))
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
        }
    }

    @Test func tenWrongPINsDisableTheKey() async throws {
        try await Self.enrolled { world in
            await Self.wrongPINs(5, world)
            for pause in [30, 60, 120, 240] {
                #expect(await world.auth.readiness().state(of: .pin) == .paused(for: .seconds(pause)))
                world.clock.advance(by: .seconds(pause))
                await Self.wrongPINs(1, world)
            }
            world.clock.advance(by: .seconds(300))
            world.phone.pins(Self.wrong)
            let dead = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(dead == Failure(.keyInvalidated))
            world.clock.advance(by: .seconds(100_000))
            #expect(await world.auth.readiness().state(of: .pin).isDead)
            world.phone.next(.noMatch, .noMatch, .noMatch)
            let policy = UnlockPolicy(ladder: [.biometric, .appPIN])
            let still = await failure { _ = try await world.auth.authenticate("Unlock", policy: policy) }
            #expect(still == Failure(.keyInvalidated), "the invalidated key is a more important cause than the mismatches")
            #expect(world.phone.pinRequests.count == 10)

            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
        }
    }

    /// Nine wrong PINs, and the time of every pause after them.
    private static func nineWrongPINs(_ world: World) async {
        await wrongPINs(5, world)
        for pause in [30, 60, 120, 240] {
            world.clock.advance(by: .seconds(pause))
            await wrongPINs(1, world)
        }
        world.clock.advance(by: .seconds(300))
    }

    @Test(arguments: [SimulatedPhone.Model.PINManner.counted, .judged, .derived])
    func theTenthWrongPINDeletesTheKey(_ manner: SimulatedPhone.Model.PINManner) async throws {
        var model = SimulatedPhone.Model.plain
        model.pin = manner
        let world = try World(model, hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            let keys = world.phone.keyCount
            await Self.nineWrongPINs(world)
            let live = try #require(try await world.auth.liveEnrolment())
            let ledger = CountedPINKey.ledgerName(world.auth.name(of: .pin, in: live))
            let older = try #require(try await world.auth.platform.secrets.read(ledger))
            #expect(world.phone.keyCount == keys)
            world.phone.pins(Self.wrong)
            await expectFailure(.keyInvalidated) { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(world.phone.keyCount == keys - 1)
            #expect(await world.auth.readiness().state(of: .pin) == .invalidated(.wrongPINs), "and the person is told why")

            try await world.auth.platform.secrets.write(older, as: ledger)
            let (asked, guesses) = (world.phone.pinRequests.count, world.phone.pinGuessCount)
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) } != nil)
            #expect(await world.auth.readiness().state(of: .pin).isDead, "an older ledger revives nothing")
            #expect(world.phone.pinRequests.count == asked && world.phone.pinGuessCount == guesses)
        }
    }

    @Test func aKeyUsedUpByAKilledAppIsDeletedAtTheNextStart() async throws {
        try await Self.enrolled { world in
            await Self.nineWrongPINs(world)
            let keys = world.phone.keyCount
            // The tenth guess.
            try await Self.killedInAGuess(world) { restarted in
                #expect(await restarted.readiness().state(of: .pin) == .invalidated(.wrongPINs))
                #expect(world.phone.keyCount == keys)
                await restarted.settle()
                #expect(world.phone.keyCount == keys - 1)
                #expect(await restarted.readiness().state(of: .pin) == .invalidated(.wrongPINs))
            }
        }
    }

    @Test func aPauseIsNoReasonToEnrolAnew() async throws {
        try await Self.enrolled { world in
            await Self.wrongPINs(5, world)
            let before = try await world.auth.liveEnrolment()
            try await world.auth.enrol(with: World.signIn, ifExists: .keep)
            expect(try await world.auth.liveEnrolment(), is: before)
            await expectFailure(.alreadyEnrolled) { try await world.auth.enrol(with: World.signIn, ifExists: .fail) }
        }
    }

    // MARK: The ledger

    @Test func anAppKilledBetweenGuessAndVerdictHasUsedUpTheGuess() async throws {
        try await Self.enrolled { world in
            for _ in 1...4 {
                world.phone.pins(Self.wrong, .cancel)
                _ = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            }
            try await Self.killedInAGuess(world) { restarted in
                #expect(await restarted.readiness().state(of: .pin) == .paused(for: .seconds(29)))
            }
        }
    }

    /// Guesses in an app that never gets a verdict, which stands in for one that is killed meanwhile. A second later the app
    /// is started again.
    private static func killedInAGuess(_ world: World, _ body: (Authenticator) async throws -> Void) async throws {
        let real = try #require(world.phone.platform().pin)
        let dying = try restarted(
            world, pin: PINSupport(entry: real.entry, key: HangingKey(key: real.key, clock: world.clock)))
        let guess = Task(executorPreference: world.clock.executor) {
            _ = try? await dying.authenticate("Unlock", policy: policy)
        }
        defer { guess.cancel() }
        try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
        world.phone.killApp()
        try await body(try restarted(world))
    }

    @Test func aFailureWithoutAVerdictIsNotCounted() async throws {
        try await Self.enrolled { world in
            let real = try #require(world.phone.platform().pin)
            let broken = try Self.restarted(
                world,
                pin: PINSupport(entry: real.entry, key: BrokenKey(key: real.key, failure: Failure(.platform))))
            for _ in 1...12 {
                await expectFailure(.platform) { _ = try await broken.authenticate("Unlock", policy: Self.policy) }
            }
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.allSatisfy { $0.wrongInARow == 0 })
        }
    }

    @Test("a ledger that is damaged or gone pauses longest, once", arguments: [Array("{}".utf8), [0xFF], nil])
    func damaged(_ bytes: [UInt8]?) async throws {
        try await Self.enrolled { world in
            let live = try #require(try await world.auth.liveEnrolment())
            let name = CountedPINKey.ledgerName(world.auth.name(of: .pin, in: live))
            let secrets = world.auth.platform.secrets
            if let bytes { try await secrets.write(bytes, as: name) } else { try await secrets.delete(name) }
            #expect(await world.auth.readiness().state(of: .pin) == .paused(for: .seconds(300)))
            world.clock.advance(by: .seconds(299))
            #expect(await world.auth.readiness().state(of: .pin) == .paused(for: .seconds(1)))
            world.clock.advance(by: .seconds(1))
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.last?.wrongInARow == 9)
            #expect(await world.auth.readiness().state(of: .pin) == .usable)
        }
    }

    /// Five wrong PINs, and then the phone was off for a minute.
    private static func offForAMinute(_ world: World) async throws -> Authenticator {
        await wrongPINs(5, world)
        world.phone.reboot()
        world.phone.unlockWithPasscode()
        world.clock.advance(by: .seconds(60))
        return try restarted(world)
    }

    @Test func theServersTimeEndsAPauseThatARestartBeganAnew() async throws {
        try await Self.enrolled { world in
            let restarted = try await Self.offForAMinute(world)
            #expect(
                await restarted.readiness().state(of: .pin) == .paused(for: .seconds(30)), "no server has reported its time yet")
            _ = try await restarted.authenticate("Unlock", policy: UnlockPolicy(ladder: [.devicePasscode]))
            #expect(await restarted.readiness().state(of: .pin) == .usable)
        }
    }

    @Test func anotherServersTimeDoesNotEndAPause() async throws {
        try await Self.enrolled { world in
            let restarted = try await Self.offForAMinute(world)
            restarted.platform.record(
                world.clock.civilTime + .seconds(1000), from: "https://elsewhere.example", asked: restarted.platform.moment)
            #expect(await restarted.readiness().state(of: .pin) == .paused(for: .seconds(30)))
        }
    }

    @Test func noGuessIsMadeWhereTheLedgerCannotBeWritten() async throws {
        try await Self.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            platform.secrets = FullDisk(store: platform.secrets)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            for _ in 1...12 {
                world.phone.pins(Self.wrong)
                await expectFailure(.platform) { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            }
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
        }
    }

    @Test func simultaneousGuessesAreCountedEach() async throws {
        try await Self.enrolled { world in
            let live = try #require(try await world.auth.liveEnrolment())
            let real = try #require(world.phone.platform().pin)
            var platform = world.phone.platform(transport: world.server)
            let slow = SlowKey(key: real.key, clock: world.clock)
            platform.pin = PINSupport(entry: real.entry, key: slow)
            let counted = try #require(CountedPINKey(world.auth.name(of: .pin, in: live), on: platform))
            let codes = await withTaskGroup(of: Failure.Code?.self) { group in
                for _ in 0..<8 {
                    group.addTask { await failure { _ = try await counted.sign([1], with: try #require(PIN("000000"))) }?.code }
                }
                return await group.reduce(into: [String]()) { $0.append($1?.name ?? "signed") }
            }
            #expect(codes.count { $0 == "notMatched" } == 4 && codes.count { $0 == "paused" } == 4)
            #expect(slow.guesses == 5, "a guess during a pause is not tried")
            expect(await counted.wrongInARow(), is: 5)
        }
    }

    /// The app in another process, such as an extension, whose PIN keys take a second to answer.
    private static func process(_ name: String, _ world: World, key: SlowKey? = nil) throws -> Authenticator {
        var platform = world.phone.platform(transport: world.server, process: name)
        if let key, let real = platform.pin { platform.pin = PINSupport(entry: real.entry, key: key) }
        return try Authenticator(server: InMemoryServer.url, platform: platform)
    }

    @Test func guessesOfSeveralProcessesAreAllCounted() async throws {
        try await Self.enrolled { world in
            let slow = SlowKey(key: try #require(world.phone.platform().pin).key, clock: world.clock)
            let others = try (1...12).map { try Self.process("p\($0)", world, key: slow) }
            var once = Self.policy
            once.pinMismatchLimit = 1
            let policy = once
            for _ in others { world.phone.pins(Self.wrong) }
            await withTaskGroup(of: Void.self) { group in
                for other in others { group.addTask { _ = try? await other.authenticate("Unlock", policy: policy) } }
            }
            world.phone.forgetPINs()
            #expect(slow.guesses == 5, "no other one before the pause is over")
            #expect(await world.auth.readiness(for: policy).state(of: .pin) != .usable)
            world.clock.advance(by: .seconds(30))
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            #expect(world.phone.pinRequests.last?.wrongInARow == 5)
        }
    }

    @Test func aRightPINForgetsNoGuessOfAnotherProcess() async throws {
        try await Self.enrolled { world in
            let slow = SlowKey(key: try #require(world.phone.platform().pin).key, clock: world.clock)
            let other = try Self.process("extension", world, key: slow)
            world.phone.pins(.enter(SimulatedPhone.pin), Self.wrong)
            async let right = other.authenticate("Unlock", policy: Self.policy)
            // While the key works on the right one.
            try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(500)))
            var once = Self.policy
            once.pinMismatchLimit = 1
            _ = await failure { [once] in _ = try await world.auth.authenticate("Unlock", policy: once) }
            expect(try await right.rung, is: .appPIN)
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
            #expect(world.phone.pinRequests.map(\.wrongInARow).last == 1)
        }
    }

    // MARK: What is stored

    @Test func onlyThePINPortIsAskedAboutAPINKey() async throws {
        for hasPIN in [true, false] {
            let world = try World(hasPIN: hasPIN)
            var platform = world.phone.platform(transport: world.server)
            let watched = WatchedKeys(keys: platform.keys)
            platform.keys = watched
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            try await world.clock.run {
                try await auth.enrol(with: World.signIn)
                _ = await auth.readiness()
                _ = try await auth.authenticate("Unlock")
                try await auth.revoke()
            }
            #expect(!watched.kinds.contains(.pin) && watched.kinds.contains(.biometric))
        }
    }

    @Test func thePublicHalfOfAPINKeyIsSentOnceAndNeverStored() async throws {
        let world = try World(hasPIN: true)
        var platform = world.phone.platform(transport: world.server)
        let secrets = WatchedSecrets(store: platform.secrets)
        let transport = RecordingTransport(world.server)
        (platform.secrets, platform.transport) = (secrets, transport)
        let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
        let record = Mutex<EnrolledDevice?>(nil)
        try await world.clock.run {
            let enrolled = try await auth.enrol(with: World.signIn)
            record.withLock { $0 = enrolled }
            expect(try await auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
        }
        let key = try #require(world.server.state.withLock { $0.keys.values.first { $0.kind == .pin } }).key
        let kid = try #require(record.withLock { $0?.keys.first { $0.kind == .pin }?.id })
        for trace in [key.jwk.x, key.jwk.y, key.thumbprint] {
            #expect(!secrets.written.contains { String(decoding: $0, as: UTF8.self).contains(trace) })
            let sent = transport.exchanges.filter { String(decoding: $0.request.body, as: UTF8.self).contains(trace) }
            #expect(sent.allSatisfy { $0.request.url.hasSuffix("/v1/devices") } && sent.count <= 1)
            #expect(!transport.exchanges.contains { String(decoding: $0.response.body, as: UTF8.self).contains(trace) })
        }
        #expect(kid != key.thumbprint && secrets.written.contains { String(decoding: $0, as: UTF8.self).contains(kid) })
    }

    @Test func revokingDeletesKeyLedgerAndHandle() async throws {
        try await Self.enrolled { world in
            await Self.wrongPINs(5, world)
            let live = try #require(try await world.auth.liveEnrolment())
            let ledger = CountedPINKey.ledgerName(world.auth.name(of: .pin, in: live))
            #expect(try await world.auth.platform.secrets.read(ledger) != nil)
            try await world.auth.revoke()
            #expect(world.phone.keyCount == 0)
            #expect(try await world.auth.platform.secrets.read(ledger) == nil)
            expect(try await world.auth.livePINHandle(), is: nil)
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .appPIN)
        }
    }

    @Test func anAppThatDropsItsPINWorksWithoutIt() async throws {
        try await Self.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            platform.pin = nil
            let without = try Authenticator(server: InMemoryServer.url, platform: platform)
            #expect(await without.readiness().state(of: .pin) == .missing)
            expect(try await without.authenticate("Unlock").rung, is: .biometric)
        }
    }
}

// MARK: - Parts that misbehave

/// A PIN key that never gives a verdict; a call ends only when its task does.
private struct HangingKey: PINKey {
    let key: any PINKey
    let clock: VirtualClock

    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey { try await key.create(name, pin: pin) }
    func state(of name: KeyName) async -> KeyState { await key.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await key.delete(name) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await key.deleteAll(server: server, account: account)
    }

    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        try? await clock.sleep(until: clock.now.advanced(by: .seconds(1_000_000)))
        throw Failure(.cancelledByApp)
    }
}

/// A PIN key that fails without judging the PIN.
private struct BrokenKey: PINKey {
    let key: any PINKey
    let failure: Failure

    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey { throw failure }
    func state(of name: KeyName) async -> KeyState { await key.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) { throw failure }
    func deleteAll(server: String, account: String) async throws(Failure) { throw failure }
    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] { throw failure }
}

/// A PIN key that takes a second for each guess, and counts them.
private final class SlowKey: PINKey {
    private let key: any PINKey
    private let clock: VirtualClock
    private let count = Mutex(0)
    var guesses: Int { count.withLock { $0 } }

    init(key: any PINKey, clock: VirtualClock) {
        self.key = key
        self.clock = clock
    }

    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey { try await key.create(name, pin: pin) }
    func state(of name: KeyName) async -> KeyState { await key.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await key.delete(name) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await key.deleteAll(server: server, account: account)
    }

    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        count.withLock { $0 += 1 }
        try? await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
        return try await key.sign(message, with: name, pin: pin)
    }
}

/// A store that remembers what was written.
private final class WatchedSecrets: SecretStore {
    private let store: any SecretStore
    private let log = Mutex<[[UInt8]]>([])
    var written: [[UInt8]] { log.withLock { $0 } }

    init(store: any SecretStore) { self.store = store }

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await store.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        log.withLock { $0.append(secret) }
        try await store.write(secret, as: name)
    }
    func delete(_ name: String) async throws(Failure) { try await store.delete(name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        if let new { log.withLock { $0.append(new) } }
        return try await store.replace(old, by: new, as: name)
    }
}

/// Keys that remember which kinds they were asked about.
private final class WatchedKeys: DeviceKeys {
    private let keys: any DeviceKeys
    private let log = Mutex<Set<KeyKind>>([])
    var kinds: Set<KeyKind> { log.withLock { $0 } }

    init(keys: any DeviceKeys) { self.keys = keys }

    private func asked(_ name: KeyName) -> KeyName {
        log.withLock { _ = $0.insert(name.kind) }
        return name
    }

    func create(_ name: KeyName) async throws(Failure) -> PublicKey { try await keys.create(asked(name)) }
    func state(of name: KeyName) async -> KeyState { await keys.state(of: asked(name)) }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keys.publicKey(of: asked(name)) }
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        try await keys.sign(message, with: asked(name), presence: presence)
    }
    func delete(_ name: KeyName) async throws(Failure) { try await keys.delete(asked(name)) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keys.deleteAll(server: server, account: account)
    }
}
