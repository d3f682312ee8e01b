import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The contents of a vault: limits, sealed files, damage, crashes, backups and deletion.
@Suite struct VaultContentsTests {
    // MARK: - Secrets

    @Test func updatesOfOneVaultHappenOneAfterTheOther() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            try await vault.unlocked("Open the vault") { first in
                try await vault.unlocked("Open the vault") { second in
                    await withTaskGroup(of: Void.self) { group in
                        for secrets in [first, second] {
                            for _ in 1...20 {
                                group.addTask {
                                    try? await secrets.update("count") { old throws(Failure) in
                                        SecretBytes((old?.bytes ?? []) + [1])
                                    }
                                }
                            }
                        }
                    }
                    expect(try await first.read("count")?.bytes.count, is: 40)
                }
            }
        }
    }

    /// One change holds the gate, the other waits at it, and the person is dismissed meanwhile.
    @Test("a dismissal refuses the changes that wait", arguments: ["stronger rung", "deleted"])
    func aDismissalRefusesTheChangesThatWait(_ act: String) async throws {
        try await VaultWorld.tell { world in
            var platform = world.platform
            let stores = try SlowStores(of: platform, on: world.clock, .init())
            (platform.secrets, platform.vaults) = (stores, stores)
            let vault = world.vault("designs", .userPresence, on: platform)
            let changed = Mutex(0)
            try await vault.save("old", as: "token")
            try? await vault.unlocked("Open the vault") { secrets in
                stores.slowDown(to: .seconds(1))
                let change = { @Sendable in
                    await failure {
                        try await secrets.update("token") { _ in
                            changed.withLock { $0 += 1 }
                            return SecretBytes("new")
                        }
                    }
                }
                async let read = failure { _ = try await secrets.read("token") }
                async let (one, two) = (change(), change())
                try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(500)))
                stores.slowDown(to: .zero)
                if act == "deleted" { try await vault.delete() } else { try await vault.requireStrongerRungNextTime() }
                #expect(await one?.code == .vaultClosed)
                #expect(await two?.code == .vaultClosed)
                #expect(await read?.code == .vaultClosed)
                #expect(changed.withLock { $0 } == 0)
            }
            if act != "deleted" { expect(try await vault.read("token"), is: "old") }
        }
    }

    @Test func aSecretThatIsTooLargeChangesNothing() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            try await vault.unlocked("Open the vault") { secrets in
                // Secrets are kept as base64 in JSON: {"a":"…"} has 8 bytes of framing.
                let most = (Vault.secretsLimit - 8) / 4 * 3
                try await secrets.save(SecretBytes([UInt8](repeating: 7, count: most)), as: "a")
                let tooMuch = SecretBytes([UInt8](repeating: 8, count: most + 3))
                await expectFailure(.tooLarge) { try await secrets.save(tooMuch, as: "a") }
                await expectFailure(.tooLarge) { try await secrets.save(SecretBytes("x"), as: "b") }
                expect(try await secrets.read("a")?.bytes, is: [UInt8](repeating: 7, count: most))
                expect(try await secrets.read("b")?.bytes, is: nil)
                let file = [UInt8](repeating: 0, count: Vault.fileLimit + 1)
                await expectFailure(.tooLarge) { _ = try secrets.seal(file, as: "film", revision: 0) }
                let sealed = [UInt8](repeating: 0, count: Vault.fileLimit + SealedFile.overhead + 1)
                await expectFailure(.tooLarge) { _ = try secrets.open(sealed, as: "film", revision: .any) }
            }
        }
    }

    @Test func containsNeedsNoPrompt() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            #expect(try await !vault.contains("token"))
            #expect(await vault.readiness().usableRungs.isEmpty, "a vault that was not made has no keys")
            try await vault.save("s3cret", as: "token")
            let prompts = world.phone.promptCount
            #expect(try await vault.contains("token"))
            #expect(try await !vault.contains("s3cret"))
            #expect(try await !world.vault("other").contains("token"))
            #expect(await vault.readiness().nextRung == .biometric)
            #expect(await vault.readiness().state(of: .biometric) == .usable)
            #expect(world.phone.promptCount == prompts)
            try await vault.unlocked("Open the vault") { try await $0.delete("token") }
            #expect(try await !vault.contains("token"))
        }
    }

    @Test func namesAndSecretsAreNotReadableBesideTheVault() async throws {
        try await VaultWorld.tell { world in
            try await world.vault().save("s3cret", as: "an unusual name")
            let record = try #require(try await world.platform.secrets.read("vault designs"))
            let text = String(decoding: record, as: UTF8.self)
            #expect(
                !text.contains("unusual") && !text.contains("s3cret") && !text.contains(Base64URL.encode(Array("s3cret".utf8))))
        }
    }

    // MARK: - Sealed files

    @Test func aSealedFileOpensOnlyAsItWasSealed() async throws {
        try await VaultWorld.tell { world in
            let plain: [UInt8] = Array("the plan of a house".utf8)
            let foreign = try await world.vault("other").unlocked("Open the vault") {
                try $0.seal(plain, as: "house", revision: 0)
            }
            try await world.vault().unlocked("Open the vault") { secrets in
                let old = try secrets.seal(plain, as: "house", revision: 1)
                let new = try secrets.seal(plain, as: "house", revision: 2)
                #expect(old.count == plain.count + 41)
                #expect(Array(new[..<13]) == Array("TTVF".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 2])
                #expect(try secrets.open(new, as: "house", revision: .any).bytes == plain)
                #expect(try secrets.open(new, as: "house", revision: 2).bytes == plain)
                #expect(try secrets.open(secrets.seal([], as: "empty", revision: 0), as: "empty", revision: .any).bytes.isEmpty)
                let again = try secrets.seal(plain, as: "house", revision: 2)
                #expect(again != new, "a nonce is used once")

                await expectFailure(.notAuthentic) { _ = try secrets.open(new, as: "garden", revision: .any) }
                await expectFailure(.notAuthentic) { _ = try secrets.open(old, as: "house", revision: 2) }
                await expectFailure(.notAuthentic) { _ = try secrets.open(new, as: "house", revision: 1) }
                await expectFailure(.notAuthentic) { _ = try secrets.open(old, as: "house", revision: .atLeast(2)) }
                for revision in [SealedRevision.atLeast(1), .atLeast(2), .exactly(2), .any] {
                    #expect(try secrets.open(new, as: "house", revision: revision).bytes == plain)
                }
                await expectFailure(.notAuthentic) { _ = try secrets.open(foreign, as: "house", revision: .any) }
                for length in 0..<new.count {
                    let cut = Array(new[..<length])
                    await expectFailure(.notAuthentic) { _ = try secrets.open(cut, as: "house", revision: .any) }
                }
                await expectFailure(.notAuthentic) { _ = try secrets.open(new + [0], as: "house", revision: .any) }
                for index in new.indices {
                    var changed = new
                    changed[index] ^= 1
                    await expectFailure(.notAuthentic) { _ = try secrets.open(changed, as: "house", revision: .any) }
                }
                // An old file under a new file's header names another revision, which the tag authenticates.
                let mixed = Array(new[..<13] + old[13...])
                await expectFailure(.notAuthentic) { _ = try secrets.open(mixed, as: "house", revision: .any) }
            }
        }
    }

    @Test func theBoxOfSecretsIsNotASealedFile() async throws {
        let key = VaultKey()
        let box = try key.seal([1], for: .secrets, bound: [])
        await expectFailure(.notAuthentic) { _ = try key.open(box, for: .files, bound: []) }
        #expect(VaultKey(SecretBytes([UInt8](repeating: 1, count: 31))) == nil)
        #expect(BoundText.bytes("a", "bc") != BoundText.bytes("ab", "c"))
    }

    @Test func onlyTheOwnerCanReadASealedFileAndItIsReplacedAsAWhole() async throws {
        let folder = URL(fileURLWithPath: Built.temporaryFolder())
        defer { try? FileManager.default.removeItem(at: folder) }
        try await VaultWorld.tell { world in
            let file = folder.appendingPathComponent("house.plan")
            try await world.vault().unlocked("Open the vault") { secrets in
                #expect(try secrets.open(contentsOf: file, as: "house", revision: .any) == nil)
                try secrets.seal([1], to: file, as: "house", revision: 1)
                try secrets.seal([2], to: file, as: "house", revision: 2)
                #expect(try secrets.open(contentsOf: file, as: "house", revision: 2)?.bytes == [2])
                await expectFailure(.notAuthentic) { _ = try secrets.open(contentsOf: file, as: "house", revision: 1) }
                #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["house.plan"])

                // A large hole: refused before it is read.
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: UInt64(Vault.fileLimit) * 1000)
                try handle.close()
                await expectFailure(.tooLarge) { _ = try secrets.open(contentsOf: file, as: "house", revision: .any) }
            }
        }
    }

    // MARK: - Damage, backups and deletion

    @Test("a record that is damaged is gone for good, and a new vault can be made", arguments: 0..<5)
    func damage(_ manner: Int) async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            try await world.vault("other").save("other", as: "token")
            try await vault.save("s3cret", as: "token")
            let secrets = world.platform.secrets
            let record = try #require(try await secrets.read("vault designs"))
            var damaged = record
            switch manner {
            case 0: damaged = Array("{}".utf8)
            case 1: damaged = []
            case 2: damaged = record.dropLast(10)
            case 3: damaged = try #require(try await secrets.read("vault other"))
            default:
                let box = try #require(String(decoding: record, as: UTF8.self).range(of: "\"box\":\""))
                let index = String(decoding: record, as: UTF8.self).utf8.distance(
                    from: String(decoding: record, as: UTF8.self).startIndex, to: box.upperBound)
                damaged[index] = damaged[index] == 0x41 ? 0x42 : 0x41
            }
            try await secrets.write(damaged, as: "vault designs")
            let gone = await failure { _ = try await vault.rung() }
            #expect(gone == Failure(.keyInvalidated))
            if manner < 3 { #expect(await vault.readiness().state(of: .biometric) == .invalidated(.unknown)) }
            try await vault.delete()
            expect(try await vault.read("token"), is: nil)
            expect(try await world.vault("other").read("token"), is: "other")
        }
    }

    @Test("a key that is damaged is gone for good too, and it is said", arguments: 0..<3)
    func damagedKey(_ manner: Int) async throws {
        try await VaultWorld.tell { world in
            let folder = Built.temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var platform = world.platform
            platform.vaults = FileVaultStore(folder: folder)
            let vault = world.vault(on: platform)
            try await vault.save("s3cret", as: "token")
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            let bytes = [[], [UInt8](repeating: 7, count: 31), [UInt8](repeating: 7, count: 32)][manner]
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + file))
            #expect(await failure { _ = try await vault.rung() } == Failure(.keyInvalidated))
            try await vault.delete()
            expect(try await vault.read("token"), is: nil)
        }
    }

    @Test func aRecordThatClaimsAnotherAccessDoesNotOpen() async throws {
        try await VaultWorld.tell { world in
            try await world.vault().save("s3cret", as: "token")
            let record = try #require(try await world.platform.secrets.read("vault designs"))
            let text = String(decoding: record, as: UTF8.self)
            let claimed = text.replacing("biometryCurrentSet", with: "biometryAny")
            #expect(claimed != text)
            try await world.platform.secrets.write(Array(claimed.utf8), as: "vault designs")
            await expectFailure(.keyInvalidated) { _ = try await world.vault("designs", .biometryAny).rung() }
        }
    }

    @Test func aRecordThatCannotBeReadYetIsKept() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault()
            try await vault.save("s3cret", as: "token")
            var locked = world.platform
            locked.secrets = UnreadableSecrets()
            let readiness = await world.vault(on: locked).readiness()
            #expect(readiness.state(of: .biometric) == .notYetReadable)
            await expectFailure(.notYetReadable) { _ = try await world.vault(on: locked).rung() }
            expect(try await vault.read("token"), is: "s3cret")
        }
    }

    @Test func aVaultFromABackupReportsThatItsKeyIsGone() async throws {
        try await VaultWorld.tell { world in
            try await world.vault("designs", .userPresence).save("s3cret", as: "token")
            // Another phone, restored from this one's backup.
            var restored = SimulatedPhone(clock: world.clock).platform(transport: NoNetwork())
            restored.secrets = world.platform.secrets
            let vault = world.vault("designs", .userPresence, on: restored)
            #expect(await vault.readiness().state(of: .biometric) == .invalidated(.restored))
            #expect(await vault.readiness().state(of: .passcode) == .invalidated(.restored))
            let gone = await failure { _ = try await vault.rung() }
            #expect(gone == Failure(.keyInvalidated))
            try await vault.delete()
            expect(try await vault.read("token"), is: nil)
        }
    }

    @Test func aDeletedVaultLeavesNothing() async throws {
        try await VaultWorld.tell { world in
            let vault = world.vault("designs", .userPresence)
            try await vault.delete()
            let sealed = try await vault.unlocked("Open the vault") { secrets in
                try await secrets.save(SecretBytes("s3cret"), as: "token")
                return try secrets.seal([1], as: "house", revision: 0)
            }
            await world.mismatches(3, vault)
            let prompts = world.phone.promptCount
            let ledger = CountedSensor.ledgerName(try #require(world.sensor.requests.first).key)
            #expect(try await world.platform.secrets.read(ledger) != nil)
            try await vault.delete()
            #expect(world.phone.promptCount == prompts)
            #expect(await vault.readiness().keys == [.session: .usable])
            #expect(try await !vault.contains("token"))
            #expect(try await world.platform.secrets.read(ledger) == nil)
            try await vault.unlocked("Open the vault") { secrets in
                #expect(secrets.rung == .biometric, "a new vault starts a new count")
                expect(try await secrets.read("token")?.bytes, is: nil)
                await expectFailure(.notAuthentic) { _ = try secrets.open(sealed, as: "house", revision: .any) }
                // Deleted while it is open.
                try await vault.delete()
                await expectFailure(.vaultClosed) { _ = try await secrets.read("token") }
                await expectFailure(.vaultClosed) { try await secrets.save(SecretBytes("a"), as: "token") }
                #expect(try await !vault.contains("token"), "the old vault stays deleted")
            }
        }
    }

    // MARK: - Crashes

    enum Story: CaseIterable, Sendable { case makesTheVault, replacesASecret, addsTheFace, deletesTheVault }

    @Test("a crash at any write leaves the old or the new", arguments: Story.allCases, DyingStores.Manner.allCases)
    func crashes(_ story: Story, _ manner: DyingStores.Manner) async throws {
        var write = 1
        var deaths = 0
        while try await dies(in: story, at: write, manner) {
            deaths += 1
            write += 1
        }
        let writes: [Story: Int] = [.makesTheVault: 7, .replacesASecret: 3, .addsTheFace: 3, .deletesTheVault: 4]
        // The history of the person is written as well; how often does not depend on the vault.
        #expect(deaths >= writes[story] ?? 0)
    }

    /// Whether the app died in the story.
    private func dies(in story: Story, at write: Int, _ manner: DyingStores.Manner) async throws -> Bool {
        let world = VaultWorld()
        return try await world.clock.run {
            let healthy = world.vault("designs", .userPresence)
            if story == .addsTheFace { world.phone.removeFaces() }
            if story != .makesTheVault { try await healthy.save("old", as: "token") }
            if story == .addsTheFace { world.phone.enrolNewFace() }

            let stores = try DyingStores(of: world.platform, at: write, manner)
            var dying = world.platform
            dying.secrets = stores
            dying.vaults = stores
            let vault = world.vault("designs", .userPresence, on: dying)
            switch story {
            case .makesTheVault, .replacesASecret: try? await vault.save("new", as: "token")
            case .addsTheFace: _ = try? await vault.rung()
            case .deletesTheVault: try? await vault.delete()
            }
            let died = stores.isDead

            let restarted = world.vault("designs", .userPresence)
            if story == .deletesTheVault {
                let kept = try? await restarted.read("token")
                #expect(kept == "old" || kept == nil, "write \(write)")
                try await restarted.delete()
            }
            let token = try await restarted.read("token")
            switch story {
            case .makesTheVault: #expect(token == "new" || token == nil && died, "write \(write)")
            case .replacesASecret: #expect(token == "new" || token == "old" && died, "write \(write)")
            case .addsTheFace: #expect(token == "old", "write \(write)")
            case .deletesTheVault: #expect(token == nil, "write \(write)")
            }
            // And the app works as before.
            try await restarted.save("later", as: "token")
            expect(try await restarted.read("token"), is: "later", "write \(write)")
            return died
        }
    }
}

/// A device that has not been unlocked since it started.
private struct UnreadableSecrets: SecretStore {
    func read(_ name: String) throws(Failure) -> [UInt8]? { throw Failure(.notYetReadable) }
    func write(_ secret: [UInt8], as name: String) throws(Failure) { throw Failure(.notYetReadable) }
    func delete(_ name: String) throws(Failure) { throw Failure(.notYetReadable) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) throws(Failure) -> Bool { throw Failure(.notYetReadable) }
}
