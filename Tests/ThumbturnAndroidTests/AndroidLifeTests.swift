import Synchronization
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// Events in the life of an app, a person and a phone, through the adapter and with a server.
@Suite struct AndroidLifeTests {
    /// Runs a story that begins with an enrolled device.
    private func told(
        _ world: AndroidWorld = AndroidWorld(), policy: UnlockPolicy = .unlock,
        _ body: @escaping @Sendable (AndroidWorld, Authenticator) async throws -> Void
    ) async throws {
        try await world.run {
            let auth = try await world.authenticator()
            try await auth.enrol(with: AndroidWorld.signIn, policy: policy)
            try await body(world, auth)
            #expect(world.android.calls(.http) > 0 && world.handles == 0)
        }
    }

    @Test(arguments: 28...36)
    func anEnrolmentAndASignIn(_ level: Int) async throws {
        try await told(AndroidWorld(level: level)) { world, auth in
            #expect(world.phone.promptCount == 1)
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.promptCount == 2)
            let readiness = await auth.readiness()
            #expect(readiness.biometry == .ready && readiness.keys[.biometric] == .usable && readiness.keys[.session] == .usable)
            #expect(
                readiness.keys[.passcode] == (level >= 30 ? .usable : nil)
                    || (level < 30 && readiness.keys[.passcode] == .missing))
        }
    }

    @Test func aMismatchAndAMatch() async throws {
        try await told { world, auth in
            world.phone.next(.noMatch, .match)
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.phone.promptCount == 2, "one to enrol, and one that stayed")
        }
    }

    @Test("both lockouts lead to the credential, which lifts them", arguments: [5, 20])
    func lockouts(_ tries: Int) async throws {
        try await told { world, auth in
            for _ in 1..<tries {
                world.phone.next(.tryInVain, .cancel)
                if case .failed(let failure) = await world.phone.ask(.biometric, reason: "Another app"),
                    failure.code == .lockedOut
                {
                    await world.sleep(.seconds(31))
                }
                world.phone.forgetActs()
            }
            world.phone.next(.noMatch, .match)
            expect(try await auth.authenticate("Unlock").rung, is: .devicePasscode)
        }
    }

    @Test func aNewFingerLeadsToTheNextRung() async throws {
        try await told { world, auth in
            world.phone.enrolNewFace()
            let readiness = await auth.readiness()
            #expect(readiness.keys[.biometric] == .invalidated(.enrolmentChanged))
            expect(try await auth.authenticate("Unlock").rung, is: .devicePasscode)
        }
    }

    @Test("a busy Keystore leads to the next rung, and ends nothing")
    func busy() async throws {
        try await told { world, auth in
            world.android.failNext(.useHandle, "java.security.SignatureException", AndroidThrown.keyStore, code: 10)
            expect(try await auth.authenticate("Unlock").rung, is: .devicePasscode)
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func twoAccountsOnOnePhone() async throws {
        try await told { world, auth in
            let other = try await world.authenticator(account: "bob")
            try await other.enrol(with: PasswordSignIn(account: "bob", password: InMemoryServer.password))
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
            expect(try await other.authenticate("Unlock").rung, is: .biometric)
            try await auth.revoke()
            await expectFailure(.notEnrolled) { _ = try await auth.authenticate("Unlock") }
            expect(try await other.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("a process that dies between making a key and keeping it leaves nothing that counts", arguments: 1...24)
    func death(_ step: Int) async throws {
        let world = AndroidWorld()
        try await world.run {
            // The process dies at one of its calls to the Keystore or to the network.
            let dying = DyingAndroid(world.android, after: step)
            // A dead process holds no lock, so it has a place of its own here. The key of the secrets is there already: it is
            // made under a lock of the files.
            try await world.platform().secrets.write([1], as: "earlier")
            let first = try await DevicePlatform.android(
                over: dying, clock: world.phone.clock, pinRounds: 10, place: .ofThisProcess("dead \(step)"))
            let auth = try Authenticator(server: InMemoryServer.url, platform: first)
            let enrolment = Task(executorPreference: world.clock.executor) {
                await failure { _ = try await auth.enrol(with: AndroidWorld.signIn) }
            }
            await world.sleep(.seconds(60))
            if !dying.isDead { #expect(await enrolment.value == nil) }
            world.phone.killApp()
            // The next start.
            let next = try Authenticator(server: InMemoryServer.url, account: "default", platform: try await world.platform())
            try await next.enrol(with: AndroidWorld.signIn)
            expect(try await next.authenticate("Unlock").rung, is: .biometric)
            let keys = world.aliases.filter { $0.hasPrefix("thumbturn.key.") }
            #expect(keys.count == 3, "step \(step): no key of the dead enrolment is left: \(keys.count)")
        }
    }

    @Test func beforeTheFirstUnlockThePersonStaysSignedIn() async throws {
        try await told { world, _ in
            world.phone.prewarm()
            world.phone.moveToFront()
            let auth = try await world.authenticator()
            await expectFailure(.notYetReadable) { _ = try await auth.authenticate("Unlock") }
            world.phone.unlockWithPasscode()
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("files that a tool copied to another phone are no enrolment there")
    func restored() async throws {
        try await told { world, _ in
            world.android.state.withLock { $0.keys = [:] }
            let auth = try await world.authenticator()
            let failed = await failure { _ = try await auth.authenticate("Unlock") }
            #expect(failed == Failure(.notEnrolled, recovery: .signInAgain), "no record of an enrolment can be read")
            try await auth.enrol(with: AndroidWorld.signIn)
            expect(try await auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    /// In a work profile Android answers for the profile: its own lock screen, its own keys, and files that can be read once it is on.
    @Test("in a work profile the profile's own lock screen counts, and a profile that is off keeps the person signed in")
    func workProfile() async throws {
        let world = AndroidWorld()
        try await world.run {
            // The phone has a lock screen and a finger, and the profile has none of its own.
            world.android.state.withLock { $0.hasLockScreen = false }
            world.android.failNext(
                .createKey, "java.security.InvalidAlgorithmParameterException", "java.lang.IllegalStateException")
            let auth = try await world.authenticator()
            let failed = await failure { _ = try await auth.enrol(with: AndroidWorld.signIn) }
            #expect(failed?.code == .passcodeNotSet && failed?.recovery == .setPasscode)
            world.android.state.withLock { $0.hasLockScreen = true }
            try await auth.enrol(with: AndroidWorld.signIn)
            // The person switches the profile off, which ends its processes; one that starts too early can read nothing.
            world.phone.prewarm()
            world.phone.moveToFront()
            let next = try await world.authenticator()
            await expectFailure(.notYetReadable) { _ = try await next.authenticate("Unlock") }
            world.phone.unlockWithPasscode()
            expect(try await next.authenticate("Unlock").rung, is: .biometric)
            // The profile's lock screen is removed: its keys are dead, whatever the phone's own is.
            world.android.state.withLock { $0.hasLockScreen = false }
            world.phone.enrolNewFace()
            #expect(await next.readiness().keys[.biometric] == .invalidated(.passcodeRemoved))
        }
    }

    @Test func aPINIsJudgedByTheServer() async throws {
        let policy = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])
        try await told(AndroidWorld(level: 29, hasPIN: true), policy: policy) { world, auth in
            world.phone.removeFaces()
            world.phone.pins("739150", "824193")
            expect(try await auth.authenticate("Unlock", policy: policy).rung, is: .appPIN)
            #expect(world.android.calls(.mac) >= 3)
        }
    }

    @Test func leavingTheAppDuringAPromptPromptsAgainOnReturn() async throws {
        try await told { world, auth in
            world.phone.next(.ignore, .match)
            let prompts = world.phone.promptCount
            async let grant = auth.authenticate("Unlock")
            await world.sleep(.seconds(1))
            world.phone.moveToBack()
            await world.sleep(.seconds(60))
            #expect(world.phone.promptCount == prompts + 1, "no prompt in the background")
            world.phone.moveToFront()
            expect(try await grant.rung, is: .biometric)
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test("a prompt that vanishes without an answer is a cancellation by the system")
    func vanished() async throws {
        try await told { world, auth in
            world.android.prompts(.silent)
            let policy = UnlockPolicy(ladder: [.biometric, .fullCredentials])
            let unlock = Task(executorPreference: world.clock.executor) {
                try await auth.authenticate("Unlock", policy: policy).rung
            }
            await world.sleep(.seconds(1))
            world.phone.moveToBack()
            await world.sleep(.seconds(5))
            world.phone.moveToFront()
            expect(try await unlock.value, is: .biometric)
        }
    }
}
