#if STAND_INS
import Foundation
import Security
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// Events in the life of an app, a person and a phone, through the adapter and with a server.
@Suite struct AppleLifeTests {
    /// An app on a phone, with a server.
    struct Story: Sendable {
        let world: AppleWorld
        let server: InMemoryServer
        let platform: DevicePlatform
        let auth: Authenticator

        init(
            _ model: SimulatedPhone.Model = .iPhone(.face), hasPIN: Bool = false, installation: URL? = nil,
            _ more: @escaping @Sendable (inout StandInFacts) -> Void = { _ in }
        ) throws {
            world = AppleWorld(model, hasPIN: hasPIN, more)
            server = InMemoryServer(clock: world.phone.clock)
            platform = world.platform(transport: server, installation: installation)
            auth = try Authenticator(server: InMemoryServer.url, platform: platform)
        }

        var phone: SimulatedPhone { world.phone }
        var redeemed: Int { server.state.withLock { $0.redeemed.count } }

        /// The app after its next start.
        func restarted(account: String = "default", installation: URL? = nil) throws -> Authenticator {
            try Authenticator(
                server: InMemoryServer.url, account: account,
                platform: world.platform(transport: server, installation: installation))
        }

        func sleep(_ duration: Duration) async {
            try? await phone.clock.sleep(until: phone.clock.now.advanced(by: duration))
        }

        /// Runs a story that begins with an enrolled device.
        static func told(
            _ model: SimulatedPhone.Model = .iPhone(.face), installation: URL? = nil,
            with more: @escaping @Sendable (inout StandInFacts) -> Void = { _ in },
            _ body: @escaping @Sendable (Story) async throws -> Void
        ) async throws {
            let story = try Story(model, installation: installation, more)
            try await story.world.run {
                try await story.auth.enrol(with: signIn)
                try await body(story)
            }
            let calls = story.world.device.calls
            #expect(calls("evaluateAccessControl") > 0 && calls("SecKeyCreateSignature") > 0, "it goes through the adapter")
            story.world.expectNothingOnTheSide()
        }
    }

    static let signIn = PasswordSignIn(account: "ada", password: InMemoryServer.password)

    @Test func anEnrolmentAndASignIn() async throws {
        try await Story.told { story in
            #expect(story.phone.promptCount == 1)
            expect(try await story.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(story.phone.promptCount == 2 && story.redeemed == 1)
        }
    }

    // MARK: Prompts

    @Test("cancelling dismisses the prompt, and a late success opens nothing", arguments: [false, true])
    func cancelled(_ isStubborn: Bool) async throws {
        try await Story.told { story in
            let calls = story.world.device.calls
            story.world.device.isStubborn.store(isStubborn, ordering: .relaxed)
            story.phone.next(.match, after: .seconds(5))
            let began = story.phone.clock.now
            let unlock = Task(executorPreference: story.phone.clock.executor) {
                await failure { _ = try await story.auth.authenticate("Unlock") }
            }
            await story.sleep(.seconds(1))
            let (invalidated, before) = (calls("invalidate"), calls("SecKeyCreateSignature"))
            #expect(story.phone.phase == .inactive, "the prompt is up")
            unlock.cancel()
            #expect(await unlock.value?.code == .cancelledByApp)
            // The wait for a prompt that stays up is short.
            #expect(began.duration(to: story.phone.clock.now) <= .seconds(isStubborn ? 3 : 1))
            #expect(isStubborn || story.phone.phase == .front, "the prompt is gone")
            #expect(calls("invalidate") > invalidated)
            await story.sleep(.seconds(10))
            #expect(story.redeemed == 0)
            #expect(calls("SecKeyCreateSignature") == before, "no key signed for the late success")
            story.world.device.isStubborn.store(false, ordering: .relaxed)
            let prompts = story.phone.promptCount
            expect(try await story.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(story.phone.promptCount == prompts + 1, "the late success opens nothing now")
        }
    }

    @Test func leavingTheAppDuringAPromptPromptsAgainOnReturn() async throws {
        try await Story.told { story in
            story.phone.next(.ignore, .match)
            let prompts = story.phone.promptCount
            async let grant = story.auth.authenticate("Unlock")
            await story.sleep(.seconds(1))
            story.phone.moveToBack()
            await story.sleep(.seconds(60))
            #expect(story.phone.promptCount == prompts + 1, "no prompt in the background")
            story.phone.moveToFront()
            expect(try await grant.rung, is: .biometric)
            #expect(story.phone.promptCount == prompts + 2)
        }
    }

    @Test func twoUnlocksAtOncePromptInTurn() async throws {
        try await Story.told { story in
            let prompts = story.phone.promptCount
            story.phone.next(.match, .match, after: .seconds(1))
            async let one = story.auth.authenticate("Unlock")
            async let other = story.auth.authenticate("Show the balance")
            expect(try await one.rung, is: .biometric)
            expect(try await other.rung, is: .biometric)
            #expect(story.phone.promptCount == prompts + 2 && story.redeemed == 2)
        }
    }

    @Test func aStepUpPromptsAgainAfterAMatch() async throws {
        try await Story.told { story in
            _ = try await story.auth.authenticate("Unlock")
            let prompts = story.phone.promptCount
            let action = try #require(StepUpAction("payment", maximumAge: .zero))
            for _ in 1...2 { expect(try await story.auth.stepUp(for: action, reason: "Pay").rung, is: .biometric) }
            #expect(story.phone.promptCount == prompts + 2)
            #expect(story.world.device.calls("evaluateAccessControl") == story.phone.promptCount, "each context shows one prompt")
        }
    }

    // MARK: The person

    @Test func afterALockoutThePasscodeEnablesTheSensorAgain() async throws {
        try await Story.told { story in
            story.phone.next(.noMatch, .noMatch, .noMatch, .match)
            expect(try await story.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(story.phone.promptCount == 1 + 4)
            expect(try await story.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("a new face invalidates the biometric key", arguments: StandInRefusal.ofADeadKey)
    func newFace(_ refusal: StandInRefusal) async throws {
        try await Story.told(with: { $0.dead = refusal }) { story in
            story.phone.enrolNewFace()
            let readiness = await story.auth.readiness()
            #expect(readiness.keys[.biometric] == .invalidated(.enrolmentChanged) && readiness.nextRung == .devicePasscode)
            #expect("\(readiness)".contains("biometric invalidated (enrolmentChanged)"))
            let prompts = story.phone.promptCount
            expect(try await story.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(story.phone.promptCount == prompts + 1, "no biometric prompt for an invalidated key")
            try await story.auth.enrol(with: Self.signIn)
            expect(try await story.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("a dead key that shows only after a match leads to the passcode", arguments: StandInRefusal.ofADeadKey)
    func deadAfterAMatch(_ refusal: StandInRefusal) async throws {
        guard refusal.lookup == nil else { return }
        try await Story.told(with: {
            $0.dead = refusal
            $0.deadOnlyAfterAMatch = true
        }) { story in
            story.phone.enrolNewFace()
            let prompts = story.phone.promptCount
            expect(try await story.auth.authenticate("Unlock").rung, is: .devicePasscode)
            #expect(story.phone.promptCount <= prompts + 2 && story.redeemed == 1)
        }
    }

    @Test("a new face during the prompt", arguments: StandInRefusal.ofADeadKey)
    func newFaceMeanwhile(_ refusal: StandInRefusal) async throws {
        try await Story.told(with: { $0.dead = refusal }) { story in
            story.phone.next(.match, after: .seconds(2))
            async let grant = story.auth.authenticate("Unlock")
            await story.sleep(.seconds(1))
            story.phone.enrolNewFace()
            expect(try await grant.rung, is: .devicePasscode)
        }
    }

    @Test("wrong PINs are counted however they are refused", arguments: StandInRefusal.ofAWrongPassword)
    func wrongPINs(_ refusal: StandInRefusal) async throws {
        let story = try Story(hasPIN: true) { $0.wrongPassword = refusal }
        try await story.world.run {
            try await story.auth.enrol(with: Self.signIn)
            let policy = UnlockPolicy(ladder: [.appPIN])
            for _ in 1...5 { story.phone.pins("000000") }
            await expectFailure(.paused) { _ = try await story.auth.authenticate("Unlock", policy: policy) }
            #expect(story.phone.pinRequests.map(\.wrongInARow) == [0, 1, 2, 3, 4])
            for pause in [30, 60, 120, 240, 300] {
                #expect(await story.auth.readiness().state(of: .pin) == .paused(for: .seconds(pause)))
                await story.sleep(.seconds(pause))
                story.phone.pins("000000")
                #expect(await failure { _ = try await story.auth.authenticate("Unlock", policy: policy) } != nil)
            }
            #expect(await story.auth.readiness().state(of: .pin) == .invalidated(.wrongPINs))
        }
        story.world.expectNothingOnTheSide()
    }

    @Test func removingThePasscodeInvalidatesEveryKeyWithUserVerification() async throws {
        try await Story.told { story in
            story.phone.removePasscode()
            let readiness = await story.auth.readiness()
            #expect(readiness.keys[.session] == .usable)
            #expect(readiness.keys[.biometric] != .usable && readiness.keys[.passcode] != .usable)
            let prompts = story.phone.promptCount
            let failed = await failure { _ = try await story.auth.authenticate("Unlock") }
            #expect(failed != nil && failed?.code != .platform && story.phone.promptCount == prompts)
            await expectFailure(.passcodeNotSet) { try await story.auth.enrol(with: Self.signIn) }
            story.phone.setPasscode()
            story.phone.enrolNewFace()
            #expect(await failure { _ = try await story.auth.authenticate("Unlock") } != nil, "the keys stay invalidated")
            try await story.auth.enrol(with: Self.signIn)
            expect(try await story.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func withoutAUsageTextThePasscodeIsAsked() async throws {
        let story = try Story { $0.hasUsageText = false }
        try await story.world.run {
            try await story.auth.enrol(with: Self.signIn)
            #expect(await story.auth.readiness().biometry == .unavailable)
            expect(try await story.auth.authenticate("Unlock").rung, is: .devicePasscode)
        }
        story.world.expectNothingOnTheSide()
    }

    // MARK: The app and the phone

    @Test func beforeTheFirstUnlockNothingIsSignedOutOrWiped() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Story.told(installation: folder) { story in
            let before = story.world.device.keychain.contents.count
            story.phone.prewarm()
            let started = try story.restarted(installation: folder)
            let readiness = await started.readiness()
            #expect(readiness.keys.values.allSatisfy { $0 == .notYetReadable } && !readiness.keys.isEmpty)
            await expectFailure(.notYetReadable) { try await started.enrol(with: Self.signIn) }
            await started.settle()
            #expect(story.world.device.keychain.contents.count == before)
            async let grant = started.authenticate("Unlock")
            await story.sleep(.seconds(5))
            story.phone.unlockWithPasscode()
            story.phone.moveToFront()
            expect(try await grant.rung, is: .biometric)
            #expect(story.world.device.keychain.contents.count >= before)
        }
    }

    @Test func aRestoredPhoneIsNotEnrolled() async throws {
        try await Story.told { story in
            story.world.restoreOnAnotherPhone()
            let started = try story.restarted()
            let readiness = await started.readiness()
            #expect(!readiness.isEnrolled)
            let prompts = story.phone.promptCount
            let failed = await failure { _ = try await started.authenticate("Unlock") }
            #expect(failed?.recovery == .signInAgain && story.phone.promptCount == prompts)
            try await started.enrol(with: Self.signIn)
            expect(try await started.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func aNewInstallationStartsClean() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Story.told(installation: folder) { story in
            expect(await (try story.restarted(installation: folder)).readiness().isEnrolled, is: true)
            story.phone.reinstallApp()
            try FileManager.default.removeItem(at: folder)
            #expect(!story.world.device.keychain.contents.isEmpty, "the keychain outlives the app")
            let started = try story.restarted(installation: folder)
            #expect(await started.readiness().isEnrolled == false)
            #expect(story.world.device.keychain.contents.isEmpty)
            try await started.enrol(with: Self.signIn)
            expect(try await started.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func severalAccountsShareNothing() async throws {
        try await Story.told { story in
            let other = try story.restarted(account: "work")
            #expect(await other.readiness().isEnrolled == false)
            try await other.enrol(with: Self.signIn)
            try await story.auth.revoke()
            #expect(await story.auth.readiness().isEnrolled == false)
            expect(try await other.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test func aVaultBehindThePasscodeTooOutlivesALockoutAndANewFace() async throws {
        try await Story.told { story in
            let vault = Vault(named: "designs", platform: story.platform, access: .userPresence)
            try await vault.unlocked("Open") { try await $0.save(SecretBytes("s3cret"), as: "token") }
            story.phone.next(.noMatch, .noMatch, .noMatch, .match)
            try await vault.unlocked("Open") { #expect($0.rung == .devicePasscode) }
            story.phone.enrolNewFace()
            try await vault.unlocked("Open") { unlock in
                #expect(unlock.rung == .biometric)
                let kept = try await unlock.read("token")
                #expect(kept?.bytes == Array("s3cret".utf8))
            }
        }
    }

    @Test("a new face invalidates a vault of one set", arguments: [.unexplained, .gone] as [SimulatedPhone.Model.DeadKey])
    func vaultOfOneSet(_ seen: SimulatedPhone.Model.DeadKey) async throws {
        try await Story.told(iPhone(seen)) { story in
            let vault = Vault(named: "designs", platform: story.platform)
            try await vault.unlocked("Open") { try await $0.save(SecretBytes("s3cret"), as: "token") }
            story.phone.enrolNewFace()
            let prompts = story.phone.promptCount
            await expectFailure(.keyInvalidated) { try await vault.unlocked("Open") { _ in } }
            #expect(story.phone.promptCount == prompts, "no prompt for an invalidated secret")
            try await vault.delete()
            let kept = try await vault.unlocked("Open") { try await $0.read("token") }
            #expect(kept == nil)
        }
    }
}
#endif
