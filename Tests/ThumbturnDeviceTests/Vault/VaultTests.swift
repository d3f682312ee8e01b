import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Opening a vault: which rungs open it, how often the person is asked, and what ends it.
@Suite struct VaultTests {
    @Test(
        "each access has its own rungs",
        arguments: [
            (VaultAccess.biometryCurrentSet, [Rung.biometric]), (.biometryAny, [.biometric]),
            (.userPresence, [.biometric, .devicePasscode]), (.passcode, [.devicePasscode]),
        ])
    func access(_ access: VaultAccess, _ rungs: [Rung]) async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", access)
            let first = try await vault.unlocked("Open the vault") { secrets in
                try await secrets.save(SecretBytes("s3cret"), as: "token")
                return secrets.rung
            }
            #expect(first == rungs.first, "the first unlock makes the vault")
            #expect(await vault.readiness().nextRung == rungs.first)
            let again = world.vault("designs", access)
            expect(try await again.read("token"), is: "s3cret", "after a restart of the app")
            #expect(world.phone.promptCount == 2)

            // The first rung is not answered: the next one opens the vault, or there is none.
            world.phone.next(.ignore)
            if rungs == [.biometric, .devicePasscode] {
                expect(try await again.rung(), is: .devicePasscode)
            } else if rungs == [.biometric] {
                let late = await failure { _ = try await again.rung() }
                #expect(late == Failure(.timedOut))
            }
            world.phone.forgetActs()
        }
    }

    @Test func aVaultNamesItsOwnKeysAndSignsNothing() async throws {
        try await VaultWorld.tell { world in
            _ = try await world.vault("designs", .userPresence).rung()
            let asked = try #require(world.sensor.requests.last)
            #expect(asked.reason == "Open the vault" && asked.message.isEmpty)
            #expect(asked.key.server == "vault" && asked.key.account == "designs" && asked.key.kind == .biometric)
            #expect(world.phone.keyCount == 0, "no key that could sign for a server")
            #expect(throws: Failure.self) { try ServerAddress(#require(URL(string: Vault.realm))) }
        }
    }

    @Test func severalReadsNeedOnePrompt() async throws {
        try await VaultWorld.tell { world in
            try await world.vault().unlocked("Open the vault") { secrets in
                for number in 1...5 { try await secrets.save(SecretBytes("\(number)"), as: "secret \(number)") }
                try await secrets.delete("secret 5")
                try await secrets.delete("secret 5")
                try await secrets.update("secret 4") { old throws(Failure) in SecretBytes((old?.bytes ?? []) + [0x21]) }
                for number in 1...3 {
                    expect(try await secrets.read("secret \(number)")?.bytes, is: Array("\(number)".utf8))
                }
                expect(try await secrets.read("secret 4")?.bytes, is: Array("4!".utf8))
                expect(try await secrets.read("secret 5")?.bytes, is: nil)
                let sealed = try secrets.seal([1, 2], as: "plan", revision: 0)
                #expect(try secrets.open(sealed, as: "plan", revision: .any).bytes == [1, 2])
            }
            #expect(world.phone.promptCount == 1)
        }
    }

    @Test func anUnlockThatHasEndedOpensNothing() async throws {
        try await VaultWorld.tell { world in
            struct Own: Error {}
            let (kept, keep) = AsyncStream.makeStream(of: LocalUnlock.self)
            let sealed = try await world.vault().unlocked("Open the vault") { secrets in
                keep.yield(secrets)
                return try secrets.seal([1], as: "plan", revision: 0)
            }
            await #expect(throws: Own.self, "what the body throws is passed on") {
                try await world.vault().unlocked("Open the vault") { secrets in
                    keep.yield(secrets)
                    throw Own()
                }
            }
            keep.finish()
            for await secrets in kept {
                await expectFailure(.vaultClosed) { _ = try await secrets.read("token") }
                await expectFailure(.vaultClosed) { try await secrets.save(SecretBytes("a"), as: "token") }
                await expectFailure(.vaultClosed) { try await secrets.update("token") { $0 } }
                await expectFailure(.vaultClosed) { try await secrets.delete("token") }
                await expectFailure(.vaultClosed) { _ = try secrets.seal([1], as: "plan", revision: 0) }
                await expectFailure(.vaultClosed) { _ = try secrets.open(sealed, as: "plan", revision: .any) }
                #expect("\(secrets)" == "LocalUnlock", "it prints no secret")
            }
        }
    }

    @Test func aLadderThatNamesARungTwiceCanBeAskedWhatIsReady() async throws {
        try await VaultWorld.tell { world in
            try await world.platform.secrets.write([7], as: "vault designs")
            let readiness = await world.vault(policy: UnlockPolicy(ladder: [.biometric, .biometric])).readiness()
            #expect(readiness.state(of: .biometric) == .invalidated(.unknown))
        }
    }

    @Test(arguments: VaultAccess.allCases) func aNewFaceEndsOnlyTheVaultOfTheCurrentSet(_ access: VaultAccess) async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", access)
            try await vault.save("s3cret", as: "token")
            world.phone.enrolNewFace()
            guard access == .biometryCurrentSet else {
                expect(try await vault.read("token"), is: "s3cret")
                return
            }
            #expect(await vault.readiness().state(of: .biometric) == .invalidated(.enrolmentChanged))
            let prompts = world.phone.promptCount
            let gone = await failure { _ = try await vault.rung() }
            #expect(gone == Failure(.keyInvalidated))
            #expect(world.phone.promptCount == prompts, "no prompt is shown for a vault that no longer opens")
            try await vault.delete()
            expect(try await vault.read("token"), is: nil, "the vault is new and empty")
        }
    }

    @Test func removingThePasscodeEndsTheVault() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .passcode)
            try await vault.save("s3cret", as: "token")
            world.phone.removePasscode()
            #expect(await vault.readiness().state(of: .passcode) == .invalidated(.passcodeRemoved))
            await expectFailure(.keyInvalidated) { _ = try await vault.rung() }
        }
    }

    @Test("a vault that cannot be made says why")
    func obstacles() async throws {
        try await VaultWorld.tell(hasPasscode: false) { world in
            let refused = await failure { _ = try await world.vault("designs", .passcode).rung() }
            #expect(refused == Failure(.passcodeNotSet))
        }
        try await VaultWorld.tell(hasSensor: false) { world in
            await expectFailure(.biometryAbsent) { _ = try await world.vault().rung() }
            #expect(world.phone.promptCount == 0)
            expect(try await world.vault("other", .userPresence).rung(), is: .devicePasscode)
        }
        try await VaultWorld.tell { world in
            world.phone.removeFaces()
            let refused = await failure { _ = try await world.vault().rung() }
            #expect(refused == Failure(.biometryNotEnrolled))
            world.phone.enrolNewFace()
            expect(try await world.vault().rung(), is: .biometric)
            world.phone.setPermission(false)
            let denied = await failure { _ = try await world.vault().rung() }
            #expect(denied == Failure(.permissionDenied))
        }
    }

    @Test func aVaultIsNotOpenedUnderAnotherAccessNorWithoutRungs() async throws {
        try await VaultWorld.tell { world in
            try await world.vault("designs", .biometryCurrentSet).save("s3cret", as: "token")
            let prompts = world.phone.promptCount
            await expectFailure(.policyDenies) { _ = try await world.vault("designs", .passcode).rung() }
            let ladder = UnlockPolicy(ladder: [.appPIN, .fullCredentials])
            await expectFailure(.policyDenies) { _ = try await world.vault(policy: ladder).rung() }
            await expectFailure(.policyDenies) { _ = try await world.vault(policy: UnlockPolicy(ladder: [])).rung() }
            let twice = world.vault(policy: UnlockPolicy(ladder: [.biometric, .biometric]))
            await expectFailure(.policyDenies) { _ = try await twice.rung() }
            var both = UnlockPolicy(ladder: [.biometric])
            both.additionalRungs = [.appPIN]
            let demanding = both
            await expectFailure(.policyDenies) { _ = try await world.vault(policy: demanding).rung() }
            for reason in ["", " \n\t"] {
                await expectFailure(.reasonMissing) { _ = try await world.vault().unlocked(reason) { _ in } }
            }
            var without = world.platform
            without.vaults = nil
            await expectFailure(.noVault) { _ = try await world.vault(on: without).rung() }
            await expectFailure(.noVault) { try await world.vault(on: without).delete() }
            #expect(world.phone.promptCount == prompts)
        }
    }

    @Test func aFaceThatIsSetUpLaterOpensTheVaultAfterThePasscode() async throws {
        try await VaultWorld.tell { world in
            world.phone.removeFaces()
            let vault = world.vault("designs", .userPresence)
            try await vault.save("s3cret", as: "token")
            world.phone.enrolNewFace()
            expect(try await vault.rung(), is: .devicePasscode)
            #expect(await vault.readiness().nextRung == .biometric)
            expect(try await vault.rung(), is: .biometric)
            expect(try await vault.read("token"), is: "s3cret")
        }
    }

    // MARK: - The prompt

    @Test(
        "cancels keep their names",
        arguments: [
            (SimulatedPhone.Act.cancel, Failure.Code.cancelledByUser), (.systemCancel, .cancelledBySystem),
            (.supersede, .superseded),
        ])
    func cancels(_ act: SimulatedPhone.Act, _ code: Failure.Code) async throws {
        try await VaultWorld.tell { world in
            world.phone.next(act)
            await expectFailure(code) { _ = try await world.vault("designs", .userPresence).rung() }
        }
    }

    @Test func cancellingTheTaskDismissesThePromptAndALateMatchOpensNothing() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            world.phone.next(.match, after: .seconds(5))
            let stopped = await withTaskGroup(of: Failure?.self) { group in
                group.addTask { await failure { _ = try await vault.rung() } }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                #expect(world.sensor.up == 1)
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(stopped?.code == .cancelledByApp)
            #expect(world.sensor.up == 0)
            expect(try await vault.rung(), is: .biometric, "and the next request has its turn")
        }
    }

    @Test func twoUnlocksAtOnceAskOneAfterTheOther() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            world.phone.next(.match, .match, after: .seconds(2))
            async let first = vault.rung()
            async let second = vault.unlocked("Read the recovery codes") { $0.rung }
            expect(try await [first, second], is: [.biometric, .biometric])
            #expect(world.phone.promptCount == 2 && world.sensor.mostAtOnce == 1)
        }
    }

    @Test func twoUnlocksForTheSameShareOnePromptAndEachHasItsOwnEnd() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            world.phone.next(.match, after: .seconds(2))
            async let first = vault.save("s3cret", as: "token")
            async let second = vault.unlocked("Open the vault") { unlock in
                // The other one has long ended.
                try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(60)))
                return try await unlock.read("token").map { String(decoding: $0.bytes, as: UTF8.self) }
            }
            try await first
            expect(try await second, is: "s3cret")
            #expect(world.phone.promptCount == 1)
        }
    }

    @Test func anUnansweredPromptGivesWayToThePasscodeAfterTwelveSeconds() async throws {
        try await VaultWorld.tell { world in
            world.phone.next(.ignore)
            let start = world.clock.now
            expect(try await world.vault("designs", .userPresence).rung(), is: .devicePasscode)
            #expect(start.duration(to: world.clock.now) == .seconds(12))
            #expect(world.news.all.contains(.hint(.devicePasscode)))
            #expect(
                world.news.all.contains(
                    .moved(from: .biometric, to: .devicePasscode, because: .timeout, over: .milliseconds(250))))
        }
    }

    @Test func thePersonChoosesTheWayOfTheHint() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .userPresence)
            world.phone.next(.ignore)
            let start = world.clock.now
            let question = Question()
            async let rung = question.asking { try await vault.rung() }
            try await world.clock.sleep(until: start.advanced(by: .seconds(9)))
            question.useAnotherWay()
            expect(try await rung, is: .devicePasscode)
            #expect(start.duration(to: world.clock.now) == .seconds(9))
        }
    }

    @Test func noButtonAndNoNewsOfferTheFullSignIn() async throws {
        try await VaultWorld.tell { world in
            world.phone.next(.noMatch, .ignore)
            _ = await failure { _ = try await world.vault().rung() }
            #expect(world.sensor.requests.map(\.cancelButton) == [.cancel, .cancel])
            #expect(!world.news.all.isEmpty && !world.news.all.contains { $0.namesTheFullSignIn })
            world.phone.forgetActs()
            world.phone.next(.noMatch, .match)
            _ = try await world.vault("other", .userPresence).rung()
            #expect(world.sensor.requests.last?.cancelButton == .use(.devicePasscode))
        }
    }

    // MARK: - Lockout and the ledger

    @Test func aLockoutGoesToThePasscodeWhereTheAccessHasOne() async throws {
        try await VaultWorld.tell { world in
            let (faceOnly, both) = (world.vault("face", .biometryAny), world.vault("both", .userPresence))
            _ = try await (faceOnly.rung(), both.rung())
            // Somebody else's prompts have locked the sensor.
            world.phone.next(.noMatch, .noMatch, .noMatch, .noMatch, .noMatch)
            let name = KeyName(server: "s", account: "a", kind: .biometric)
            for _ in 1...5 { _ = try? await ProtectedStoreConformance.presence(name, .biometric, world.platform.sensor) }
            let prompts = world.phone.promptCount
            expect(try await both.rung(), is: .devicePasscode)
            #expect(world.phone.promptCount == prompts + 1, "and no useless prompt is shown before")
            expect(try await faceOnly.rung(), is: .biometric, "the passcode has ended the lockout")
        }
    }

    @Test func mismatchesAreCountedFromOneUnlockToTheNext() async throws {
        try await VaultWorld.tell { world in
            let (vault, other) = (world.vault("face", .biometryAny), world.vault("other", .biometryAny))
            _ = try await (vault.rung(), other.rung())
            #expect(await vault.readiness().biometry == .ready)
            await world.mismatches(3, vault)
            #expect(await vault.readiness().biometry == .paused(for: .seconds(10)))
            #expect(await other.readiness().biometry == .ready, "each vault has a ledger of its own")
            let prompts = world.phone.promptCount
            let restarted = world.vault("face", .biometryAny)
            let paused = await failure { _ = try await restarted.rung() }
            #expect(paused == Failure(.paused, recovery: .wait(.seconds(10))))
            #expect(world.phone.promptCount == prompts)
            world.clock.advance(by: .seconds(10))
            expect(try await restarted.rung(), is: .biometric)
            await world.mismatches(2, vault)
            #expect(await vault.readiness().biometry == .ready, "a match empties the ledger")
        }
    }

    @Test func thePasscodeForgivesTheMismatches() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("both", .userPresence)
            _ = try await vault.rung()
            await world.mismatches(3, vault)
            #expect(await vault.readiness().nextRung == .devicePasscode)
            expect(try await vault.rung(), is: .devicePasscode)
            #expect(await vault.readiness().biometry == .ready)
            for _ in 1...50 {
                await world.mismatches(1, vault)
                world.clock.advance(by: .seconds(300))
            }
            #expect(await vault.readiness().biometry == .lockedOut(.untilStrongerRung))
            expect(try await vault.rung(), is: .devicePasscode)
            expect(try await vault.rung(), is: .biometric)
        }
    }

    @Test func aVaultThatOnlyTheSensorOpensIsNeverLostToMismatches() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            try await vault.save("s3cret", as: "token")
            for _ in 1...49 {
                await world.mismatches(1, vault)
                world.clock.advance(by: .seconds(300))
            }
            for _ in 1...3 {
                world.phone.unlockWithPasscode()
                world.phone.next(.noMatch)
                let prompts = world.phone.promptCount
                let slowed = await failure { _ = try await vault.rung() }
                #expect(slowed == Failure(.paused, recovery: .wait(.seconds(300))), "a stronger rung could not do more")
                #expect(world.phone.promptCount == prompts + 1)
                world.clock.advance(by: .seconds(299))
                #expect(await vault.readiness().biometry == .paused(for: .seconds(1)))
                world.clock.advance(by: .seconds(1))
            }
            expect(try await vault.read("token"), is: "s3cret")
        }
    }

    @Test func aMissingLedgerPausesTheSensor() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            _ = try await vault.rung()
            let name = try #require(world.sensor.requests.last).key
            try await world.platform.secrets.delete(CountedSensor.ledgerName(name))
            #expect(await vault.readiness().biometry == .paused(for: .seconds(300)))
        }
    }
}
