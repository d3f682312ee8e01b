import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Biometrics that the person switched off for now, or declined.
@Suite struct BiometricsOffTests {
    static let sensorOnly = UnlockPolicy(ladder: [.biometric, .fullCredentials])
    static let off = Failure(.lockedOut, recovery: .signInAgain)

    static func restarted(_ world: World) throws -> Authenticator {
        try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: world.server))
    }

    // MARK: - Off until a stronger rung succeeds

    @Test func aSensorThatWasSwitchedOffOpensNothing() async throws {
        try await World.enrolled { world in
            let (prompts, sent) = (world.phone.promptCount, world.server.paths.count)
            world.server.state.withLock { $0.isAway = true }
            try await world.auth.requireStrongerRungNextTime()
            #expect(world.phone.promptCount == prompts && world.server.paths.count == sent, "it is silent and works offline")
            world.server.state.withLock { $0.isAway = false }
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung))
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
            #expect(world.phone.promptCount == prompts, "no prompt is shown")
        }
    }

    @Test func switchingOffOutlivesTheAppARestartAndAnyTime() async throws {
        try await World.enrolled { world in
            try await world.auth.requireStrongerRungNextTime()
            world.clock.boot = "second boot"
            world.clock.advance(by: .seconds(1_000_000))
            world.phone.unlockWithPasscode()
            let restarted = try Self.restarted(world)
            #expect(await failure { _ = try await restarted.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
        }
    }

    @Test("a stronger rung lifts it", arguments: [Rung.devicePasscode, .appPIN])
    func lifting(_ rung: Rung) async throws {
        try await CountedSensorTests.enrolled { world in
            try await world.auth.requireStrongerRungNextTime()
            expect(try await world.auth.authenticate("Unlock", policy: UnlockPolicy(ladder: [.biometric, rung])).rung, is: rung)
            expect(try await world.auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    @Test func aMatchOfAPromptThatWasUpUnlocksNothing() async throws {
        try await World.enrolled { world in
            world.phone.next(.match, after: .seconds(2))
            async let unlocked = failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await world.auth.requireStrongerRungNextTime()
            let dismissed = world.clock.now
            #expect(await unlocked?.code == .cancelledByApp)
            #expect(dismissed == world.clock.now, "the prompt is taken away at once")
            #expect(!world.server.paths.contains("POST /v1/token"))
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung), "and the sensor is still off")
        }
    }

    @Test func aMatchUnlocksNothingWhereAnotherProcessSwitchedTheSensorOff() async throws {
        try await World.enrolled { world in
            world.phone.next(.match, after: .seconds(2))
            async let unlocked = failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            // Its prompts are its own: it takes none away here.
            let process = world.phone.platform(transport: world.server, process: "extension")
            try await Authenticator(server: InMemoryServer.url, platform: process).requireStrongerRungNextTime()
            #expect(await unlocked == Self.off)
            #expect(!world.server.paths.contains("POST /v1/token"))
        }
    }

    @Test func aProofThatIsOnItsWayUnlocksNothingWhereAnotherProcessSwitchedTheSensorOff() async throws {
        try await World.enrolled { world in
            let slow = HeldPath(server: world.server, clock: world.clock, path: "/v1/token")
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            async let unlocked = failure { _ = try await auth.authenticate("Unlock", policy: Self.sensorOnly) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            let process = world.phone.platform(transport: world.server, process: "extension")
            try await Authenticator(server: InMemoryServer.url, platform: process).requireStrongerRungNextTime()
            #expect(await unlocked?.code == .cancelledByApp)
        }
    }

    @Test func aProofThatWasAnsweredGivesNoSessionWhereAnotherProcessSwitchedTheSensorOff() async throws {
        try await World.enrolled { world in
            let other = try world.anotherProcess()
            let transport = Meanwhile(transport: world.server) { (url) async throws(Failure) in
                if url.hasSuffix("/v1/token") { try await other.requireStrongerRungNextTime() }
            }
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: transport))
            #expect(await failure { _ = try await auth.authenticate("Unlock") }?.code == .cancelledByApp)
            await expectFailure(.sessionOver) { _ = try await auth.me() }
        }
    }

    /// The PIN is a stronger rung, and answers an ask of before the dismissal.
    @Test func aPersonWhomAnotherProcessDismissesApprovesNothing() async throws {
        try await KeyChangeTests.enrolled { world in
            let other = try world.anotherProcess()
            let sent = Mutex(0)
            let server = ApprovingServer(server: world.server, isSigned: true)
            let transport = Meanwhile(transport: server) { (url) async throws(Failure) in
                if url.hasSuffix("/challenge") { try await other.requireStrongerRungNextTime() }
                if url.hasSuffix("/proofs") { sent.withLock { $0 += 1 } }
            }
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: transport))
            let approval = try await auth.approval(ApprovingServer.id)
            world.phone.pins(KeyChangeTests.old)
            #expect(await failure { try await auth.approve(approval) }?.code == .cancelledByApp)
            #expect(sent.withLock { $0 } == 0, "the server never sees the proof")
        }
    }

    @Test func aMismatchOrACancellationOfAPromptThatWasUpDoesNotSwitchItOn() async throws {
        for act in [SimulatedPhone.Act.noMatch, .cancel] {
            try await World.enrolled { world in
                world.phone.next(act, after: .seconds(2))
                async let unlocked = failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) }
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                try await world.auth.requireStrongerRungNextTime()
                _ = await unlocked
                #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung))
            }
        }
    }

    /// A phone whose proof is on its way to the server when the person switches the sensor off.
    private static func onTheWay(
        _ policy: UnlockPolicy, _ story: @escaping @Sendable (World, Authenticator) async throws -> Void
    )
        async throws
    {
        try await World.enrolled { world in
            let auth = try Authenticator(
                server: InMemoryServer.url,
                platform: world.phone.platform(transport: SlowTokens(server: world.server, clock: world.clock)))
            async let unlocked = failure { _ = try await auth.authenticate("Unlock", policy: policy) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await auth.requireStrongerRungNextTime()
            #expect(await unlocked?.code == .cancelledByApp)
            await expectFailure(.sessionOver) { _ = try await auth.me() }
            try await story(world, auth)
        }
    }

    @Test func anUnlockWhoseProofIsOnItsWayIsNotReused() async throws {
        var policy = Self.sensorOnly
        policy.reuse = .seconds(300)
        let lax = policy
        try await Self.onTheWay(lax) { _, auth in
            #expect(await failure { _ = try await auth.authenticate("Unlock", policy: lax) } == Self.off)
        }
    }

    @Test func aStrongerRungWhoseProofIsOnItsWayDoesNotSwitchTheSensorOn() async throws {
        try await Self.onTheWay(UnlockPolicy(ladder: [.devicePasscode])) { _, auth in
            #expect(await failure { _ = try await auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
            _ = try await auth.authenticate("Unlock", policy: UnlockPolicy(ladder: [.devicePasscode]))
            expect(try await auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    @Test func aLockedAppIsNotOpenedByAnEarlierUnlock() async throws {
        try await World.enrolled { world in
            var policy = Self.sensorOnly
            policy.reuse = .seconds(300)
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            let prompts = world.phone.promptCount
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            #expect(world.phone.promptCount == prompts)
            await world.auth.forgetRecentAuthentication()
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func anotherAuthenticatorOfTheAccountReusesNothing() async throws {
        try await World.enrolled { world in
            var policy = Self.sensorOnly
            policy.reuse = .seconds(300)
            let other = try Authenticator(server: InMemoryServer.url, platform: world.auth.platform)
            for dismiss in [
                { try await world.auth.requireStrongerRungNextTime() }, { await world.auth.forgetRecentAuthentication() },
            ] as [@Sendable () async throws -> Void] {
                _ = try await other.authenticate("Unlock", policy: UnlockPolicy(ladder: [.devicePasscode]))
                _ = try await other.authenticate("Unlock", policy: policy)
                let prompts = world.phone.promptCount
                _ = try await other.authenticate("Unlock", policy: policy)
                #expect(world.phone.promptCount == prompts, "the unlock is reused")
                try await dismiss()
                world.phone.next(.cancel)
                #expect(await failure { _ = try await other.authenticate("Unlock", policy: policy) } != nil)
                world.phone.forgetActs()
            }
        }
    }

    @Test func anotherAuthenticatorOfTheAccountReusesNoStepUp() async throws {
        try await World.enrolled { world in
            let other = try Authenticator(server: InMemoryServer.url, platform: world.auth.platform)
            let prompts = world.phone.promptCount
            for _ in 1...2 { _ = try await other.stepUp(for: .statementExport, reason: "Export") }
            #expect(world.phone.promptCount == prompts + 1)
            await world.auth.forgetRecentAuthentication()
            _ = try await other.stepUp(for: .statementExport, reason: "Export")
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test func aReuseThatWaitsForTheServerEndsWithADismissal() async throws {
        try await World.enrolled { world in
            var policy = UnlockPolicy.unlock
            policy.reuse = .seconds(300)
            let lax = policy
            let slow = SlowRefreshes(server: world.server, clock: world.clock)
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            _ = try await auth.authenticate("Unlock", policy: lax)
            async let reused = failure { _ = try await auth.authenticate("Unlock", policy: lax) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            await auth.forgetRecentAuthentication()
            #expect(await reused?.code == .cancelledByApp)
        }
    }

    /// The answer is lost, and then the network is gone: the device does not know that the server has the new key.
    private static func loseTheEndOfAReplacement(_ world: World) async throws {
        world.server.state.withLock { $0.loses = .answer }
        let platform = world.phone.platform(transport: GoneAfterTheChange(server: world.server))
        let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
        do {
            try await auth.replaceBiometricKey(with: World.signIn)
            Issue.record("the answer was lost")
        } catch {
            #expect(error.code == .unreachable)
        }
    }

    @Test func aNewKeyThatTheServerAlreadyHasIsSwitchedOffToo() async throws {
        try await World.enrolled { world in
            try await Self.loseTheEndOfAReplacement(world)
            try await world.auth.requireStrongerRungNextTime()
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung))
        }
    }

    @Test(
        "an enrolment that began before does not switch the sensor on",
        arguments: ["/v1/challenges", "/v1/accounts/sign-in", "/v1/devices"])
    func anEnrolmentThatBeganBefore(_ path: String) async throws {
        try await World.enrolled { world in
            let slow = HeldPath(server: world.server, clock: world.clock, path: path)
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            async let enrolled = failure { try await auth.enrol(with: World.signIn, ifExists: .replace) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await world.auth.requireStrongerRungNextTime()
            #expect(await enrolled?.code == .cancelledByApp)
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung))
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    @Test func aNewKeyThatWasAskedForBeforeDoesNotSwitchTheSensorOn() async throws {
        try await World.enrolled { world in
            let slow = HeldPath(server: world.server, clock: world.clock, path: "/v1/devices/current/keys")
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            async let changed: Void = auth.replaceBiometricKey(with: World.signIn)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await world.auth.requireStrongerRungNextTime()
            _ = try? await changed
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
            try await world.auth.replaceBiometricKey(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    @Test("another authenticator and another process reuse nothing", arguments: ["app", "extension"])
    func anotherAuthenticator(_ process: String) async throws {
        try await World.enrolled { world in
            var policy = UnlockPolicy(ladder: [.biometric, .devicePasscode])
            policy.reuse = .seconds(300)
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show the card")
            let prompts = world.phone.promptCount
            expect(try await world.auth.authenticate("Unlock", policy: policy).rung, is: .biometric)
            #expect(world.phone.promptCount == prompts, "it is reused")
            let platform = world.phone.platform(transport: world.server, process: process)
            try await Authenticator(server: InMemoryServer.url, platform: platform).requireStrongerRungNextTime()
            expect(try await world.auth.authenticate("Unlock", policy: policy).rung, is: .devicePasscode)
            #expect(world.phone.promptCount == prompts + 1)
            _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show the card")
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    // MARK: - The next person

    @Test("answers and preferences go with the person's enrolment", arguments: ["another person", "revoked"])
    func answersGoWithTheEnrolment(_ end: String) async throws {
        try await World.enrolled { world in
            try await world.auth.declineBiometrics()
            try await world.auth.prefer(.devicePasscode)
            if end == "revoked" { try await world.auth.revoke() }
            try await world.auth.enrol(with: EnrolmentTests.bob)
            #expect(await world.auth.readiness().state(of: .biometric) == .usable, "it was Ada who declined")
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric, "and Ada who preferred the passcode")
        }
    }

    @Test func answersStayWithThePersonWhoEnrolsAnew() async throws {
        try await World.enrolled { world in
            try await world.auth.declineBiometrics()
            try await world.auth.prefer(.devicePasscode)
            try await world.auth.enrol(with: World.signIn, ifExists: .replace)
            #expect(await world.auth.readiness().state(of: .biometric) == .missing)
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
        }
    }

    @Test func anAnswerThatComesBeforeTheFirstEnrolmentCounts() async throws {
        let world = try World()
        try await world.clock.run {
            try await world.auth.answerBiometricOffer(.never)
            try await world.auth.enrol(with: World.signIn)
            #expect(await world.auth.readiness().state(of: .biometric) == .missing)
        }
    }

    @Test func anEnrolmentThatWasNotThereYetIsCoveredToo() async throws {
        let world = try World()
        try await world.clock.run {
            let slow = HeldPath(server: world.server, clock: world.clock, path: "/v1/accounts/sign-in")
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            async let enrolled = failure { try await auth.enrol(with: World.signIn) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await auth.requireStrongerRungNextTime()
            #expect(await enrolled?.code == .cancelledByApp)
            #expect(await !auth.readiness().isEnrolled)
            try await auth.enrol(with: World.signIn)
            expect(try await auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    @Test(
        "a damaged switch is off until a stronger rung succeeds",
        arguments: ["", "{", "[]", #"{"isOff":false}"#, #"{"isOff":false,"dismissals":-1}"#])
    func aDamagedSwitch(_ text: String) async throws {
        try await World.enrolled { world in
            let secrets = world.auth.platform.secrets
            try await secrets.write(Array(text.utf8), as: "sensor switch https://bank.example default")
            #expect(await world.auth.readiness().biometry == .lockedOut(.untilStrongerRung))
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            expect(try await world.auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    /// Another process has switched the sensor off, and nothing tells how often since the damage.
    @Test func aDamagedSwitchForgetsNoDismissal() async throws {
        try await World.enrolled { world in
            var policy = UnlockPolicy(ladder: [.biometric, .devicePasscode])
            policy.reuse = .seconds(300)
            _ = try await world.auth.authenticate("Unlock", policy: policy)
            let process = world.phone.platform(transport: world.server, process: "extension")
            try await Authenticator(server: InMemoryServer.url, platform: process).requireStrongerRungNextTime()
            try await world.auth.platform.secrets.write([7], as: "sensor switch https://bank.example default")
            let prompts = world.phone.promptCount
            expect(try await world.auth.authenticate("Unlock", policy: policy).rung, is: .devicePasscode)
            #expect(world.phone.promptCount == prompts + 1, "the earlier unlock is not reused")
            expect(try await world.auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    @Test func anAskThatBeganBeforeTheDamageSwitchesNothingOn() async throws {
        try await World.enrolled { world in
            let slow = HeldPath(server: world.server, clock: world.clock, path: "/v1/token")
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: slow))
            let passcode = UnlockPolicy(ladder: [.devicePasscode])
            async let unlocked = failure { _ = try await auth.authenticate("Unlock", policy: passcode) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await auth.platform.secrets.write([7], as: "sensor switch https://bank.example default")
            #expect(await unlocked?.code == .cancelledByApp)
            #expect(await failure { _ = try await world.auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
        }
    }

    @Test func aSwitchThatABackupBroughtWithoutItsKeyIsOff() async throws {
        try await World.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            let disk = UnreadableSwitch(store: platform.secrets)
            platform.secrets = disk
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            disk.fail(with: Failure(.keyInvalidated))
            await SensorSwitchFile(server: "https://bank.example", account: "default", on: platform).lift(askedAt: 7)
            #expect(await failure { _ = try await auth.authenticate("Unlock", policy: Self.sensorOnly) } == Self.off)
            expect(
                try await auth.authenticate("Unlock", policy: UnlockPolicy(ladder: [.devicePasscode])).rung, is: .devicePasscode)
            expect(try await auth.authenticate("Unlock", policy: Self.sensorOnly).rung, is: .biometric)
        }
    }

    @Test func aDamagedSwitchIsNoDeadEndForAVaultThatOnlyTheSensorOpens() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .biometryCurrentSet)
            try await vault.save("s3cret", as: "token")
            try await world.platform.secrets.write([7], as: "sensor switch vault designs")
            guard case .paused = await vault.readiness().biometry else {
                Issue.record("\(await vault.readiness().biometry)")
                return
            }
            world.clock.advance(by: .seconds(1000))
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test func aDeletedVaultLeavesNoSwitch() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .userPresence)
            try await vault.save("s3cret", as: "token")
            try await vault.requireStrongerRungNextTime()
            try await vault.delete()
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test func aMatchUnlocksNothingWhereTheSwitchCannotBeRead() async throws {
        try await World.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            let disk = UnreadableSwitch(store: platform.secrets)
            platform.secrets = disk
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            world.phone.next(.match, after: .seconds(2))
            async let unlocked = failure { _ = try await auth.authenticate("Unlock", policy: Self.sensorOnly) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            disk.fail(with: Failure(.notYetReadable))
            #expect(await unlocked != nil)
            #expect(!world.server.paths.contains("POST /v1/token"))
        }
    }

    @Test func switchingOffThrowsWhereItCannotBeWritten() async throws {
        try await World.enrolled { world in
            var platform = world.phone.platform(transport: world.server)
            platform.secrets = FullDisk(store: platform.secrets)
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            await expectFailure(.platform) { try await auth.requireStrongerRungNextTime() }
        }
    }

    @Test func withoutAnEnrolmentThereIsNothingToSwitchOff() async throws {
        let world = try World()
        try await world.clock.run { try await world.auth.requireStrongerRungNextTime() }
    }

    @Test func aVaultWhoseSensorIsSwitchedOffNeedsThePasscode() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .userPresence)
            try await vault.requireStrongerRungNextTime()
            try await vault.save("s3cret", as: "token")
            try await vault.requireStrongerRungNextTime()
            world.clock.boot = "second boot"
            let restarted = world.vault("designs", .userPresence)
            #expect(await restarted.readiness().biometry == .lockedOut(.untilStrongerRung))
            expect(try await restarted.rung(), is: .devicePasscode)
            expect(try await restarted.rung(), is: .biometric)
        }
    }

    @Test func aVaultThatWasNotMadeYetIsCoveredToo() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .userPresence)
            try await vault.requireStrongerRungNextTime()
            expect(try await vault.rung(), is: .devicePasscode)
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test("an unlock that is under way opens nothing where another process dismissed the person", arguments: VaultAccess.allCases)
    func anotherProcessDismissesAVault(_ access: VaultAccess) async throws {
        guard access.rungs.contains(.devicePasscode) else { return }
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", access)
            try await vault.save("s3cret", as: "token")
            world.phone.next(.match, after: .seconds(2))
            async let opened = failure { _ = try await vault.unlocked("Open") { $0.rung } }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            let process = world.phone.platform(transport: NoNetwork(), process: "extension")
            try await world.vault("designs", access, on: process).requireStrongerRungNextTime()
            #expect(await opened == Failure(.cancelledByApp))
            expect(try await vault.rung(), is: .devicePasscode)
        }
    }

    @Test func aVaultIsNotSwitchedOnUnderAnotherAccess() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .userPresence)
            try await vault.save("s3cret", as: "token")
            try await vault.requireStrongerRungNextTime()
            _ = await world.vault("designs", .biometryCurrentSet).readiness()
            expect(try await vault.rung(), is: .devicePasscode)
        }
    }

    /// Where the system has no passcode, no other rung could switch the sensor on again.
    @Test("a vault without a copy for the passcode stays open to the sensor", arguments: [false, true])
    func aVaultWithoutAnotherCopy(_ isMade: Bool) async throws {
        try await VaultWorld.tell(.linux) { world in
            let vault = world.vault("designs", .userPresence)
            if isMade {
                try await vault.save("s3cret", as: "token")
                await expectFailure(.policyDenies) { try await vault.requireStrongerRungNextTime() }
            } else {
                try await vault.requireStrongerRungNextTime()
                #expect(await failure { _ = try await vault.rung() }?.code == .paused)
                world.clock.advance(by: .seconds(1000))
            }
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test("an open vault closes when it is dismissed or deleted", arguments: [true, false])
    func anOpenVaultCloses(_ deletes: Bool) async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .userPresence)
            try await vault.unlocked("Open the vault") { secrets in
                try await secrets.save(SecretBytes("s3cret"), as: "token")
                let sealed = try secrets.seal([1], as: "house.plan", revision: 1)
                world.platform.prompts.voidEverything()
                try await secrets.save(SecretBytes("another"), as: "token")
                // Another value of the same vault, as another screen may have.
                let other = world.vault("designs", .userPresence)
                if deletes { try await other.delete() } else { try await other.requireStrongerRungNextTime() }
                await expectFailure(.vaultClosed) { _ = try await secrets.read("token") }
                await expectFailure(.vaultClosed) { try await secrets.save(SecretBytes("s3cret"), as: "token") }
                await expectFailure(.vaultClosed) { _ = try secrets.open(sealed, as: "house.plan", revision: 1) }
            }
        }
    }

    @Test func aVaultThatOnlyTheSensorOpensRefusesToSwitchItOff() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .biometryCurrentSet)
            try await vault.save("s3cret", as: "token")
            await expectFailure(.policyDenies) { try await vault.requireStrongerRungNextTime() }
            expect(try await vault.rung(), is: .biometric)
        }
    }

    // MARK: - Offered, postponed and declined

    @Test func biometricsAreOfferedAfterAnEnrolmentWithoutThem() async throws {
        let world = try World()
        try await world.clock.run {
            #expect(await !world.auth.shouldOfferBiometrics(), "first the person signs in")
            try await world.auth.enrol(with: World.signIn, policy: UnlockPolicy(ladder: [.devicePasscode, .fullCredentials]))
            #expect(await world.auth.shouldOfferBiometrics())
            try await world.auth.answerBiometricOffer(.notNow)
            #expect(await !(try Self.restarted(world)).shouldOfferBiometrics(), "the answer outlives the app")
            world.clock.advance(by: .seconds(7 * 24 * 3600))
            #expect(await world.auth.shouldOfferBiometrics())
        }
    }

    @Test func decliningDeletesTheKeyAndEndsTheOffers() async throws {
        try await World.enrolled { world in
            let (prompts, keys) = (world.phone.promptCount, world.phone.keyCount)
            try await world.auth.declineBiometrics()
            #expect(world.phone.promptCount == prompts && world.phone.keyCount == keys - 1)
            let readiness = await world.auth.readiness()
            #expect(readiness.state(of: .biometric) == .missing && readiness.isEnrolled && readiness.nextRung == .devicePasscode)
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(await !world.auth.shouldOfferBiometrics())
            let before = try await world.auth.liveEnrolment()
            try await world.auth.enrol(with: World.signIn, ifExists: .keep)
            expect(try await world.auth.liveEnrolment(), is: before, "the enrolment is complete without the sensor")
            let record = try await world.auth.enrol(with: World.signIn, ifExists: .replace)
            #expect(!record.keys.contains { $0.kind == .biometric }, "and no enrolment brings it back")
        }
    }

    @Test func theServerRemovesADeclinedFactorOnlyForAProof() async throws {
        try await World.enrolled { world in
            func listed() -> Bool {
                world.server.state.withLock { $0.devices.values.contains { $0.keys.contains { $0.kind == .biometric } } }
            }
            try await world.auth.declineBiometrics()
            #expect(listed(), "declining asks for no proof, so the server could not be told")
            let prompts = world.phone.promptCount
            try await world.auth.removeBiometricKey()
            #expect(world.phone.promptCount == prompts + 1 && !listed())
            await expectFailure(.notEnrolled) { try await world.auth.removeBiometricKey() }
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func decliningAlsoUndoesAPendingNewKey() async throws {
        try await World.enrolled { world in
            try await Self.loseTheEndOfAReplacement(world)
            try await world.auth.declineBiometrics()
            expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(await world.auth.readiness().state(of: .biometric) == .missing)
            #expect(world.phone.keyCount == 2, "the session's and the passcode's")
        }
    }

    @Test func decliningIsRefusedWhileAnEnrolmentRuns() async throws {
        try await World.enrolled { world in
            world.phone.next(.match, after: .seconds(5))
            async let enrolled = world.auth.enrol(with: World.signIn, ifExists: .replace)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            await expectFailure(.superseded) { try await world.auth.declineBiometrics() }
            _ = try await enrolled
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func switchingOffAndOnNeedsTheStrongerRung() async throws {
        try await World.enrolled { world in
            try await world.auth.requireStrongerRungNextTime()
            try await world.auth.declineBiometrics()
            try await world.auth.answerBiometricOffer(.setUp)
            #expect(await world.auth.readiness().state(of: .biometric) == .missing, "the answer makes no key")
            let wrong = PasswordSignIn(account: "ada", password: "wrong")
            await expectFailure(.refused) { try await world.auth.enrol(with: wrong) }
            #expect(await world.auth.readiness().state(of: .biometric) == .missing)
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }
}

/// A server that takes ten seconds over a proof, and answers at once where its caller is cancelled.
struct SlowTokens: Transport {
    let server: InMemoryServer
    let clock: VirtualClock

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        if request.url.hasSuffix("/v1/token"), String(decoding: request.body, as: UTF8.self).contains("proof") {
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(10)))
        }
        return try await server.send(request)
    }
}

/// A server that takes ten seconds over a refresh.
private struct SlowRefreshes: Transport {
    let server: InMemoryServer
    let clock: VirtualClock

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        if String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token") {
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(10)))
        }
        return try await server.send(request)
    }
}

/// A network that is gone once it has carried a change of keys.
private final class GoneAfterTheChange: Transport {
    private let server: InMemoryServer
    private let isGone = Mutex(false)

    init(server: InMemoryServer) {
        self.server = server
    }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard !isGone.withLock({ $0 }) else { throw Failure(.unreachable) }
        if request.url.hasSuffix("/v1/devices/current/keys") { isGone.withLock { $0 = true } }
        return try await server.send(request)
    }
}

/// A store that can no longer read the switch of the sensor, until it is written or deleted.
private final class UnreadableSwitch: SecretStore {
    private let failure = Mutex<Failure?>(nil)
    private let store: any SecretStore

    init(store: any SecretStore) {
        self.store = store
    }

    func fail(with failure: Failure) { self.failure.withLock { $0 = failure } }

    func read(_ name: String) async throws(Failure) -> [UInt8]? {
        if name.hasPrefix("sensor switch"), let failure = failure.withLock({ $0 }) { throw failure }
        return try await store.read(name)
    }
    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        try await store.write(secret, as: name)
        heal(name)
    }
    func delete(_ name: String) async throws(Failure) {
        try await store.delete(name)
        heal(name)
    }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        _ = try await read(name)
        return try await store.replace(old, by: new, as: name)
    }

    private func heal(_ name: String) {
        if name.hasPrefix("sensor switch") { failure.withLock { $0 = nil } }
    }
}

/// A server; something happens when its answer has come.
private struct Meanwhile<Inner: Transport>: Transport {
    let transport: Inner
    let act: @Sendable (String) async throws(Failure) -> Void

    init(transport: Inner, _ act: @escaping @Sendable (String) async throws(Failure) -> Void) {
        self.transport = transport
        self.act = act
    }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let answer = try await transport.send(request)
        try await act(request.url)
        return answer
    }
}
