import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// An unlock of the device stands in for the prompt of a vault only if nothing was locked since.
@MainActor @Suite struct DeviceUnlockReuseTests {
    /// A phone with a vault whose app takes unlocks of the device. The vault was opened once.
    private static func tell(_ story: @escaping @MainActor @Sendable (VaultWorld, Vault) async throws -> Void) async throws {
        let world = VaultWorld(.iPhone(.face))
        try await world.clock.run(mainActorToo: true) { @MainActor in
            let vault = world.vault("notes", .userPresence)
            _ = try await vault.rung()
            world.phone.deviceUnlockReuse = .seconds(300)
            try await story(world, vault)
        }
    }

    /// What makes earlier unlocks worthless.
    enum Lock: CaseIterable, Sendable {
        case locked, dismissed, left
    }

    @Test func anUnlockOfTheDeviceOpensAVaultWithoutAPrompt() async throws {
        try await Self.tell { world, vault in
            world.phone.unlockWithSensor()
            let prompts = world.phone.promptCount
            await world.wait(.seconds(200))
            expect(try await vault.rung(), is: .biometric)
            #expect(world.phone.promptCount == prompts)
            await world.wait(.seconds(200))
            expect(try await vault.rung(), is: .biometric)
            #expect(world.phone.promptCount == prompts + 1, "it is too long ago")
        }
    }

    @Test("an unlock of the device from before a lock, a dismissal or an absence does not count", arguments: Lock.allCases)
    func voided(_ lock: Lock) async throws {
        try await Self.tell { world, vault in
            world.phone.unlockWithSensor()
            await world.wait(.seconds(10))
            switch lock {
            case .locked: world.platform.lockNow()
            case .dismissed: world.platform.prompts.void(vault.asker)
            case .left:
                let lock = AppLockModel(for: vault, reason: "Open your notes") { _ in }
                let run = Task(executorPreference: world.clock.executor) { await lock.run() }
                await world.wait(.seconds(1))
                world.phone.moveToBack()
                await world.wait(.seconds(1))
                world.phone.moveToFront()
                run.cancel()
                await run.value
            }
            await world.wait(.seconds(2))
            let prompts = world.phone.promptCount
            expect(try await vault.rung(), is: .biometric)
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func anUnlockOfTheDeviceFromAfterTheLockCounts() async throws {
        try await Self.tell { world, vault in
            world.platform.lockNow()
            await world.wait(.seconds(60))
            world.phone.unlockWithSensor()
            await world.wait(.seconds(5))
            let prompts = world.phone.promptCount
            expect(try await vault.rung(), is: .biometric)
            #expect(world.phone.promptCount == prompts)
        }
    }

    /// A lock that begins with the app has locked nothing that was open.
    @Test func theFirstLockScreenOfAProcessTakesTheUnlockThatBroughtThePersonHere() async throws {
        try await Self.tell { world, _ in
            world.phone.killApp()
            world.phone.unlockWithSensor()
            await world.wait(.seconds(3))
            let vault = world.vault("notes", .userPresence, on: world.phone.platform())
            let prompts = world.phone.promptCount
            let lock = AppLockModel(for: vault, reason: "Open your notes") { _ in }
            let run = Task(executorPreference: world.clock.executor) { await lock.run() }
            await world.wait(.seconds(1))
            #expect(!lock.isLocked && world.phone.promptCount == prompts)
            lock.lockNow()
            await world.wait(.seconds(1))
            lock.tap()
            await world.wait(.seconds(1))
            #expect(!lock.isLocked && world.phone.promptCount == prompts + 1, "after the lock the person is asked")
            run.cancel()
            await run.value
        }
    }

    @Test func noKeyThatSignsForAServerTakesAnUnlockOfTheDevice() async throws {
        try await World.enrolled(.iPhone(.face)) { world in
            world.phone.deviceUnlockReuse = .seconds(300)
            world.phone.unlockWithSensor()
            let prompts = world.phone.promptCount
            _ = try await world.auth.authenticate("Unlock Acme")
            #expect(world.phone.promptCount == prompts + 1)
        }
    }
}

extension VaultWorld {
    fileprivate func wait(_ duration: Duration) async { try? await clock.sleep(until: clock.now.advanced(by: duration)) }
}
