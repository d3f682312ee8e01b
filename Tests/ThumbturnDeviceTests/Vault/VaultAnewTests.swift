import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// A vault that is made anew after a deletion may be another person's: what the app shows beside it is not opened by that.
@Suite struct VaultAnewTests {
    @MainActor private struct Story {
        let clock = VirtualClock()
        let phone: SimulatedPhone
        let vault: Vault
        let lock: AppLockModel

        init(recover: @escaping @MainActor (Vault) -> Void) {
            phone = SimulatedPhone(.iPhone(.face), clock: clock)
            let vault = Vault(named: "notes", platform: phone.platform())
            self.vault = vault
            lock = AppLockModel(
                for: vault, reason: "Open your notes", rules: .init(lockAfter: .zero), recover: { _ in recover(vault) },
                opened: { _ in })
        }

        func pass(_ time: Duration) async throws { try await clock.sleep(until: clock.now.advanced(by: time)) }

        /// The owner opens the app and leaves it; another face is enrolled, and comes.
        func anotherFaceComes() async throws {
            phone.next(.match)
            try await pass(.seconds(3))
            #expect(!lock.isLocked, "the first vault opens the lock")
            phone.moveToBack()
            try await pass(.seconds(60))
            phone.enrolNewFace()
            phone.moveToFront()
            try await pass(.seconds(5))
            #expect(lock.isLocked)
            phone.forgetActs()
        }

        /// Presses the button of the recovery, and then asks for the face.
        func recoverAndTap() async throws {
            let button = try #require(lock.buttons.first { if case .recover = $0.action { true } else { false } })
            lock.press(button.action)
            try await pass(.seconds(2))
            phone.next(.match)
            lock.tap()
            try await pass(.seconds(5))
        }
    }

    /// - Parameter recover: what the app's recovery does.
    @MainActor private static func tell(
        recover: @escaping @MainActor (Vault) -> Void, _ story: @escaping @MainActor @Sendable (Story) async throws -> Void
    ) async throws {
        let told = Story(recover: recover)
        try await told.clock.run(mainActorToo: true) { @MainActor in
            let running = Task(executorPreference: told.clock.executor) { await told.lock.run() }
            try await story(told)
            running.cancel()
            await running.value
        }
    }

    @Test @MainActor func aDeletionAloneOpensNoLock() async throws {
        try await Self.tell(recover: { vault in vault.inItsTime { try await vault.delete() } }) { story in
            try await story.anotherFaceComes()
            for _ in 1...2 {
                try await story.recoverAndTap()
                #expect(story.lock.isLocked)
            }
            // The vault itself works for the new face; nothing of the old one is in it.
            story.phone.next(.match)
            try await story.vault.unlocked("Open") { expect(try await $0.read("token") == nil, is: true) }
            let details = try #require(ApprovalDetails(title: "Payment", lines: [.init(label: "Amount", value: "€1")]))
            let sheet = ApprovalSheetModel(
                details, platform: story.vault.platform,
                sign: { [vault = story.vault] _ in try await vault.unlocked("Pay") { $0.answered } }, decline: {})
            story.phone.next(.match)
            await sheet.approve()
            #expect(sheet.stage == .stopped(Failure(.keyInvalidated)))
        }
    }

    @Test @MainActor func aDeletionThatErasesOpensTheLockToTheNextPerson() async throws {
        let erased = Mutex(0)
        let recover: @MainActor @Sendable (Vault) -> Void = { vault in
            vault.inItsTime { try await vault.delete { erased.withLock { $0 += 1 } } }
        }
        try await Self.tell(recover: recover) { story in
            try await story.anotherFaceComes()
            try await story.recoverAndTap()
            #expect(!story.lock.isLocked, "\(story.lock.message?.localized ?? "no message"), \(story.lock.buttons)")
            #expect(erased.withLock { $0 } == 1)
        }
    }

    @Test func whatCouldNotBeErasedKeepsTheLockClosed() async throws {
        let phone = SimulatedPhone(.plain)
        let vault = Vault(named: "notes", platform: phone.platform())
        try await vault.unlocked("Make") { #expect($0.answered.lockProblem == nil) }
        await expectFailure(.platform) { try await vault.delete { throw Failure(.platform) } }
        try await vault.unlocked("Make") { #expect($0.answered.lockProblem != nil) }
        try await vault.delete {}
        try await vault.unlocked("Make") { #expect($0.answered.lockProblem == nil) }
    }

    /// A restored backup brings the note without the key that sealed it.
    @Test func aNoteThatCanNeverBeReadKeepsTheLockClosed() async throws {
        let (phone, secrets) = (SimulatedPhone(.plain), SealableSecrets())
        var platform = phone.platform()
        platform.secrets = secrets
        let vault = Vault(named: "notes", platform: platform)
        try await vault.unlocked("Make") { #expect($0.answered.lockProblem == nil) }
        await expectFailure(.platform) { try await vault.delete { throw Failure(.platform) } }
        secrets.seal(secrets.names.filter { $0.hasPrefix("former vault") })
        #expect(secrets.sealed.count == 1)
        for _ in 1...2 { try await vault.unlocked("Make") { #expect($0.answered.lockProblem != nil) } }
        try await vault.delete {}
        try await vault.unlocked("Make") { #expect($0.answered.lockProblem == nil) }
    }

    @Test func aVaultThatWasNeverMadeLeavesNoNote() async throws {
        let phone = SimulatedPhone(.plain)
        let vault = Vault(named: "notes", platform: phone.platform())
        try await vault.delete()
        try await vault.unlocked("Make") { #expect($0.answered.lockProblem == nil) }
    }
}

extension Vault {
    /// Works in the time of the vault's clock, as an app's own tasks do.
    fileprivate func inItsTime(_ work: @escaping @Sendable () async throws -> Void) {
        Task(executorPreference: platform.clock.executor) { try await work() }
    }
}
