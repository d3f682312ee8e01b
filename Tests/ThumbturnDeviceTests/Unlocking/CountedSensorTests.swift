import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The count of mismatches at the sensor, from one unlock to the next.
@Suite struct CountedSensorTests {
    static let policy = UnlockPolicy(ladder: [.biometric, .fullCredentials])

    /// Runs a story on an enrolled phone with a PIN.
    static func enrolled(_ story: @escaping @Sendable (World) async throws -> Void) async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            try await story(world)
        }
    }

    /// Mismatches of a stranger who unlocks the phone itself in between, so that only the library's own count slows them.
    static func mismatches(_ count: Int, _ world: World) async {
        for _ in 0..<count {
            world.phone.unlockWithPasscode()
            world.phone.next(.noMatch, .cancel)
            _ = await failure { _ = try await world.auth.authenticate("Unlock", policy: policy) }
            // Where a delay was due, no prompt was shown.
            world.phone.forgetActs()
        }
    }

    static func restarted(_ world: World) throws -> Authenticator {
        try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: world.server))
    }

    @Test func threeMismatchesInAMinuteSlowTheSensorDown() async throws {
        try await Self.enrolled { world in
            await Self.mismatches(2, world)
            #expect(await world.auth.readiness().biometry == .ready)
            world.clock.advance(by: .seconds(60))
            let prompts = world.phone.promptCount
            world.phone.next(.noMatch, .match)
            let third = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(third == Failure(.paused, recovery: .wait(.seconds(10))), "it is the third, though the first of this unlock")
            #expect(world.phone.promptCount == prompts + 1, "the flow does not wait behind a prompt")
            world.phone.forgetActs()

            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(10)))
            #expect(await world.auth.readiness().nextRung == .devicePasscode)
            let refused = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(refused == Failure(.paused, recovery: .wait(.seconds(10))))
            #expect(world.phone.promptCount == prompts + 1, "no PIN or match is asked for that would not be accepted")
            world.clock.advance(by: .seconds(10))
            for delay in [30, 300, 300] {
                await Self.mismatches(1, world)
                #expect(await world.auth.readiness().biometry == .paused(for: .seconds(delay)))
                world.clock.advance(by: .seconds(delay))
            }
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .biometric)
            await Self.mismatches(2, world)
            #expect(await world.auth.readiness().biometry == .ready, "a match empties the ledger")
        }
    }

    @Test func theNextRungIsAskedAtOnceWhereTheSensorPauses() async throws {
        try await Self.enrolled { world in
            await Self.mismatches(3, world)
            let prompts = world.phone.promptCount
            let start = world.clock.now
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(world.phone.promptCount == prompts + 1 && world.clock.now == start)
            #expect(
                world.news.all.contains(
                    .moved(from: .biometric, to: .devicePasscode, because: .skipped(.paused), over: .milliseconds(250))))
        }
    }

    @Test func everyMismatchIsReportedOnceAlsoTheOneThatBeginsAPause() async throws {
        try await Self.enrolled { world in
            world.phone.next(.noMatch, .noMatch, .noMatch, .match)
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(world.mismatches == 3 && world.retries == [1, 2])
            #expect(await world.auth.readiness().biometry == .ready, "the passcode forgave them")
        }
    }

    // MARK: A prompt that stays after a mismatch

    /// Runs a story on an enrolled phone whose prompt stays after a mismatch, and reads again after this time.
    static func staying(
        _ pause: Duration = .milliseconds(50), _ story: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        var model = SimulatedPhone.Model.plain
        model.readsAgainAfter = pause
        let world = try World(model, hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            try await story(world)
        }
    }

    @Test("each mismatch counts in a prompt that stays", arguments: [Duration.zero, .milliseconds(50)])
    func stays(_ pause: Duration) async throws {
        try await Self.staying(pause) { world in
            let prompts = world.phone.promptCount
            world.phone.next(.noMatch, .noMatch, .match)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 1)
            #expect(world.mismatches == 2 && world.retries == [1, 2])
            await Self.mismatches(2, world)
            #expect(await world.auth.readiness().biometry == .ready, "the match has emptied the ledger")
        }
    }

    /// Without a pause of the sensor its match is there before the prompt is gone.
    @Test("a match after the mismatch that begins a pause opens nothing", arguments: [Duration.zero, .milliseconds(50)])
    func pausesAPromptThatStays(_ pause: Duration) async throws {
        try await Self.staying(pause) { world in
            await Self.mismatches(2, world)
            let prompts = world.phone.promptCount
            world.phone.next(.noMatch, .match)
            let third = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(third == Failure(.paused, recovery: .wait(.seconds(10))))
            #expect(world.phone.promptCount == prompts + 1)
            world.phone.forgetActs()
            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(10)))
        }
    }

    @Test("a match after the last mismatch of a policy opens nothing", arguments: [Duration.zero, .milliseconds(50)])
    func endsAPromptThatStays(_ pause: Duration) async throws {
        try await Self.staying(pause) { world in
            var once = Self.policy
            once.mismatchLimit = 1
            world.phone.next(.noMatch, .match)
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: once) }?.code == .notMatched)
            #expect(world.mismatches == 1)
        }
    }

    @Test func anAppKilledInAPromptThatStaysHasUsedUpTheNextAttempt() async throws {
        try await Self.staying { world in
            await Self.mismatches(1, world)
            world.phone.next(.noMatch, .ignore)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await world.auth.authenticate("Unlock", policy: Self.policy) }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                let restarted = try? Self.restarted(world)
                #expect(await restarted?.readiness().biometry == .paused(for: .seconds(9)), "the third is written")
                group.cancelAll()
            }
        }
    }

    /// The person goes on while the prompt of a flow that is over is still on the screen.
    @Test func aMismatchAfterTheFlowIsOverCounts() async throws {
        try await Self.staying { world in
            await Self.mismatches(1, world)
            let counted = try await world.auth.countedSensor(Self.policy)
            let attempt = Task(executorPreference: world.clock.executor) {
                await counted.attempt { mismatched in
                    while !Task.isCancelled { await Task.yield() }
                    mismatched()
                    mismatched()
                    return nil
                }
            }
            attempt.cancel()
            _ = await attempt.value
            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(10)))
        }
    }

    @Test func theSystemsLockoutMattersMoreThanOurPause() async throws {
        try await Self.staying { world in
            await Self.mismatches(2, world)
            let counted = try await world.auth.countedSensor(Self.policy)
            let answer = await counted.attempt { mismatched in
                mismatched()
                return .failed(Failure(.lockedOut, recovery: .retry))
            }
            guard case .failed(let failure) = answer else {
                Issue.record("it has failed")
                return
            }
            #expect(failure.code == .lockedOut && failure.followsMismatch)
        }
    }

    /// The flow has to renew its challenge before it moves on, and the match comes meanwhile.
    @Test func aMatchWhileTheFlowRenewsItsKeysOpensNothing() async throws {
        try await Self.staying(.zero) { world in
            var once = Self.policy
            once.mismatchLimit = 1
            var platform = world.phone.platform(transport: world.server)
            platform.extraTime = { .unlimited }
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            world.phone.next(.noMatch, after: .seconds(250))
            world.phone.next(.match)
            let failed = await failure { _ = try await auth.authenticate("Unlock", policy: once) }
            #expect(failed != nil, "the sensor opens nothing after its last try")
        }
    }

    @Test func aMismatchThatSwitchesTheSensorOffIsReportedOnceBesideTheLockout() async throws {
        try await Self.enrolled { world in
            world.phone.next(.noMatch, .noMatch, .noMatch)
            _ = await failure { _ = try await world.auth.authenticate("Pay", policy: .highRisk) }
            #expect(world.mismatches == 3 && world.retries == [1, 2])
            #expect(world.telemetry.contains(.lockedOut(.untilStrongerRung)))
            let refused = world.mismatches
            _ = await failure { _ = try await world.auth.authenticate("Pay", policy: .highRisk) }
            #expect(world.mismatches == refused, "a sensor that is not asked does not mismatch")
        }
    }

    @Test func everyWrongPINIsReportedOnceAlsoTheOneThatBeginsAPause() async throws {
        try await Self.enrolled { world in
            for _ in 1...5 { world.phone.pins("739150") }
            let pinAlone = UnlockPolicy(ladder: [.appPIN])
            let paused = await failure { _ = try await world.auth.authenticate("Unlock", policy: pinAlone) }
            #expect(paused?.code == .paused)
            #expect(world.mismatches == 5 && world.retries == [1, 2, 3, 4])
            _ = await failure { _ = try await world.auth.authenticate("Unlock", policy: pinAlone) }
            #expect(world.mismatches == 5, "a PIN that is not asked is not wrong")
        }
    }

    @Test("a stronger rung forgives the mismatches", arguments: [Rung.devicePasscode, .appPIN])
    func forgiving(_ rung: Rung) async throws {
        try await Self.enrolled { world in
            await Self.mismatches(3, world)
            expect(try await world.auth.authenticate("Unlock", policy: UnlockPolicy(ladder: [rung])).rung, is: rung)
            #expect(await world.auth.readiness().biometry == .ready)
            await Self.mismatches(2, world)
            #expect(await world.auth.readiness().biometry == .ready, "the mismatches are forgotten, not only ignored")
        }
    }

    @Test func fiftyMismatchesInARowNeedAStrongerRung() async throws {
        try await Self.enrolled { world in
            for _ in 0..<50 {
                await Self.mismatches(1, world)
                world.clock.advance(by: .seconds(300))
            }
            world.clock.boot = "second boot"
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung))
            let off = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            #expect(off == Failure(.lockedOut, recovery: .signInAgain))
            let before = try await world.auth.liveEnrolment()
            try await world.auth.enrol(with: World.signIn, ifExists: .keep)
            expect(try await world.auth.liveEnrolment() != before, is: true, "the full sign-in is a stronger rung")
            expect(try await world.auth.authenticate("Unlock", policy: Self.policy).rung, is: .biometric)
        }
    }

    @Test(
        "what is no verdict is not counted",
        arguments: [SimulatedPhone.Act.cancel, .systemCancel, .supersede, .ignore])
    func noVerdict(_ act: SimulatedPhone.Act) async throws {
        try await Self.enrolled { world in
            await Self.mismatches(2, world)
            for _ in 1...5 {
                world.phone.next(act)
                _ = await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.policy) }
            }
            #expect(await world.auth.readiness().biometry == .ready)
            await Self.mismatches(1, world)
            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(10)), "and no mismatch is forgotten")
        }
    }

    @Test func anAppKilledBeforeTheVerdictHasUsedUpTheAttempt() async throws {
        try await Self.enrolled { world in
            await Self.mismatches(2, world)
            world.phone.next(.ignore)
            await withTaskGroup(of: Void.self) { group in
                // The prompt never returns: this stands in for an app that was killed.
                group.addTask { _ = try? await world.auth.authenticate("Unlock", policy: Self.policy) }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                let restarted = try? Self.restarted(world)
                #expect(await restarted?.readiness().biometry == .paused(for: .seconds(9)))
                group.cancelAll()
            }
        }
    }

    @Test func aDelayOutlivesTheAppAndSettingTheClockDoesNotShortenIt() async throws {
        try await Self.enrolled { world in
            await Self.mismatches(3, world)
            world.clock.advance(by: .seconds(4))
            world.clock.setCivilTime(UnixTime(seconds: 4_000_000_000))
            let restarted = try Self.restarted(world)
            #expect(await restarted.readiness().biometry == .paused(for: .seconds(6)))
            world.clock.boot = "second boot"
            #expect(await restarted.readiness().biometry == .paused(for: .seconds(10)))
            world.clock.advance(by: .seconds(9))
            #expect(await restarted.readiness().biometry == .paused(for: .seconds(1)), "the pause starts again once")
            world.clock.advance(by: .seconds(1))
            #expect(await restarted.readiness().biometry == .ready)
        }
    }

    @Test("a ledger that is damaged or gone pauses longest, once", arguments: [Array("{}".utf8), [0xFF], nil])
    func damaged(_ bytes: [UInt8]?) async throws {
        try await Self.enrolled { world in
            let live = try #require(try await world.auth.liveEnrolment())
            let name = CountedSensor.ledgerName(world.auth.name(of: .biometric, in: live))
            let secrets = world.auth.platform.secrets
            if let bytes { try await secrets.write(bytes, as: name) } else { try await secrets.delete(name) }
            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(300)))
            world.clock.advance(by: .seconds(299))
            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(1)))
            world.clock.advance(by: .seconds(1))
            await Self.mismatches(1, world)
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung))
        }
    }

    /// The difference from now has no room in a duration.
    @Test func aLedgerOfAnImpossibleTimeStartsItsPauseAnew() async throws {
        try await Self.enrolled { world in
            let name = CountedSensor.ledgerName(try await world.auth.liveName(of: .biometric))
            let time = #""sinceBoot":{"sinceOrigin":[\#(Int64.min),0]}"#
            let moment = #"{"boot":"\#(world.clock.boot)",\#(time),"isAnchored":false}"#
            let ledger = #"{"inARow":49,"inBurst":49,"recent":[\#(moment)]}"#
            try await world.auth.platform.secrets.write(Array(ledger.utf8), as: name)
            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(300)))
            world.clock.advance(by: .seconds(300))
            #expect(await world.auth.readiness().biometry == .ready)
        }
    }

    @Test func noPromptIsShownWhereTheLedgerCannotBeWritten() async throws {
        try await Self.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            platform.secrets = FullDisk(store: platform.secrets)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            let prompts = world.phone.promptCount
            await expectFailure(.platform) { _ = try await auth.authenticate("Unlock", policy: Self.policy) }
            #expect(world.phone.promptCount == prompts)
        }
    }

    @Test func aCancelledPromptLeavesOtherMismatchesCounted() async throws {
        try await Self.enrolled { world in
            let counted = try await world.auth.countedSensor(Self.policy)
            // Two attempts at once: the first is cancelled after the second has mismatched.
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    _ = await counted.attempt { _ in
                        try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(2)))
                        return nil
                    }
                }
                group.addTask {
                    _ = await counted.attempt { _ in
                        try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                        return .notMatched
                    }
                }
            }
            await Self.mismatches(1, world)
            #expect(
                await world.auth.readiness().biometry == .paused(for: .seconds(10)), "the cancelled attempt stays counted")
            await counted.forgive(by: .fullCredentials, askedAt: 0)
            // A mismatch whose count was forgiven meanwhile is counted anew.
            _ = await counted.attempt { _ in
                await counted.forgive(by: .fullCredentials, askedAt: 0)
                return .notMatched
            }
            await Self.mismatches(2, world)
            #expect(await world.auth.readiness().biometry == .paused(for: .seconds(10)))
        }
    }

    @Test func mismatchesOfSeveralProcessesAreAllCounted() async throws {
        try await Self.enrolled { world in
            let live = try #require(try await world.auth.liveEnrolment())
            let name = world.auth.name(of: .biometric, in: live)
            let sensors = (1...3).map {
                CountedSensor(name, on: world.phone.platform(process: "p\($0)"), under: .unlock)
            }
            await withTaskGroup(of: Void.self) { group in
                for sensor in sensors {
                    group.addTask {
                        _ = await sensor.attempt { _ in
                            try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                            return .notMatched
                        }
                    }
                }
            }
            guard case .paused = await world.auth.readiness().biometry else {
                Issue.record("three mismatches within a minute slow the sensor down")
                return
            }
        }
    }

    @Test func theLedgerIsDeletedWithTheKeys() async throws {
        try await Self.enrolled { world in
            await Self.mismatches(3, world)
            let live = try #require(try await world.auth.liveEnrolment())
            let ledger = CountedSensor.ledgerName(world.auth.name(of: .biometric, in: live))
            #expect(try await world.auth.platform.secrets.read(ledger) != nil)
            try await world.auth.revoke()
            #expect(try await world.auth.platform.secrets.read(ledger) == nil)
        }
    }
}

/// A store that reads and cannot write.
struct FullDisk: SecretStore {
    let store: any SecretStore

    func read(_ name: String) async throws(Failure) -> [UInt8]? { try await store.read(name) }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) { throw Failure(.platform) }
    func delete(_ name: String) async throws(Failure) { try await store.delete(name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        guard new == nil else { throw Failure(.platform) }
        return try await store.replace(old, by: new, as: name)
    }
}
