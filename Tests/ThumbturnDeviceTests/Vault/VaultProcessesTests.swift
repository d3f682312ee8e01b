import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// A vault that an app shares with its extension: two processes of one phone.
@Suite struct VaultProcessesTests {
    /// One process and its stores, through which it reaches the vault.
    private struct Process: Sendable {
        let stores: SlowStores
        let platform: DevicePlatform
    }

    private struct Pair: Sendable {
        let world = VaultWorld()
        let copies = SlowStores.Copies()

        func process(_ name: String) throws -> Process {
            var platform = world.phone.platform(transport: NoNetwork(), process: name)
            let stores = try SlowStores(of: platform, on: world.clock, copies)
            platform.secrets = stores
            platform.vaults = stores
            return Process(stores: stores, platform: platform)
        }

        func vault(of process: Process, _ access: VaultAccess = .userPresence) -> Vault {
            world.vault("designs", access, on: process.platform)
        }

        func wait(_ duration: Duration) async throws {
            try await world.clock.sleep(until: world.clock.now.advanced(by: duration))
        }

        func number(_ vault: Vault) async throws -> Int? {
            try await world.platform.secrets.read("vault designs").flatMap { VaultRecord($0) }?.number
        }

        static func tell(
            _ story: @escaping @Sendable (Pair, _ app: Process, _ other: Process) async throws -> Void
        ) async throws {
            let pair = Pair()
            try await pair.world.clock.run { try await story(pair, pair.process("app"), pair.process("extension")) }
        }
    }

    @Test("two first unlocks make one vault", arguments: VaultAccess.allCases)
    func twoFirstUnlocksMakeOneVault(_ access: VaultAccess) async throws {
        try await Pair.tell { pair, app, other in
            let (first, second) = (pair.vault(of: app, access), pair.vault(of: other, access))
            app.stores.slowDown(to: .milliseconds(10))
            other.stores.slowDown(to: .milliseconds(15))
            async let one: Void = first.save("of the app", as: "app")
            async let two: Void = second.save("of the extension", as: "extension")
            _ = try await (one, two)
            app.stores.slowDown(to: .zero)
            expect(try await first.read("app"), is: "of the app")
            expect(try await first.read("extension"), is: "of the extension")
            #expect(pair.copies.names.count == access.rungs.count, "the copies of the slower one are gone")
            try await first.delete()
            #expect(pair.copies.names.isEmpty)
        }
    }

    @Test func changesOfTwoValuesAreBothKept() async throws {
        try await Pair.tell { pair, app, other in
            let vaults = [pair.vault(of: app), pair.vault(of: app), pair.vault(of: other)]
            try await vaults[0].unlocked("Open") { first in
                try await vaults[1].unlocked("Open") { second in
                    try await vaults[2].unlocked("Open") { third in
                        for process in [app, other] { process.stores.slowDown(to: .milliseconds(10)) }
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for secrets in [first, second, third] {
                                for _ in 1...4 {
                                    group.addTask {
                                        try await secrets.update("count") { SecretBytes(($0?.bytes ?? []) + [1]) }
                                    }
                                }
                            }
                            try await group.waitForAll()
                        }
                        expect(try await first.read("count")?.bytes.count, is: 12)
                    }
                }
            }
        }
    }

    /// The steps of a deletion take 10 ms each, and the change comes before, between and after them.
    @Test("deleting during a change leaves nothing", arguments: 0..<30)
    func deletingDuringAChangeLeavesNothing(_ step: Int) async throws {
        try await Pair.tell { pair, app, other in
            let (changing, deleting) = (pair.vault(of: app), pair.vault(of: other))
            try await changing.unlocked("Open") { secrets in
                for process in [app, other] { process.stores.slowDown(to: .milliseconds(10)) }
                async let deleted: Void = deleting.delete()
                try await pair.wait(.milliseconds(10 * step + 5))
                let refused = await failure { try await secrets.save(SecretBytes("late"), as: "token") }
                #expect(refused == nil || refused?.code == .vaultClosed)
                try await deleted
                let closed = await failure { try await secrets.save(SecretBytes("later"), as: "token") }
                #expect(closed?.code == .vaultClosed)
            }
            #expect(pair.copies.names.isEmpty)
            expect(try await deleting.contains("token"), is: false)
            expect(try await changing.read("token"), is: nil, "the vault is new and empty")
        }
    }

    /// A vault that was deleted and made anew is another one.
    @Test func anOpenVaultThatWasMadeAnewIsClosed() async throws {
        try await Pair.tell { pair, app, other in
            try await pair.vault(of: app).unlocked("Open") { secrets in
                try await secrets.save(SecretBytes("old"), as: "token")
                try await pair.vault(of: other).delete()
                try await pair.vault(of: other).save("new", as: "token")
                await expectFailure(.vaultClosed) { _ = try await secrets.read("token") }
                await expectFailure(.vaultClosed) { try await secrets.save(SecretBytes("old"), as: "token") }
            }
            expect(try await pair.vault(of: app).read("token"), is: "new")
        }
    }

    @Test("a copy that is added during a deletion goes with the vault", arguments: 0..<30)
    func addingDuringADeletion(_ step: Int) async throws {
        try await Pair.tell { pair, app, other in
            let (adding, deleting) = (pair.vault(of: app), pair.vault(of: other))
            pair.world.phone.removeFaces()
            try await adding.save("old", as: "token")
            pair.world.phone.enrolNewFace()
            for process in [app, other] { process.stores.slowDown(to: .milliseconds(10)) }
            async let rung = try? adding.rung()
            try await pair.wait(.milliseconds(10 * step + 5))
            try await deleting.delete()
            _ = await rung
            // The unlock may have come first, or have made a new vault after the deletion.
            let number = try await pair.number(adding)
            #expect(pair.copies.names.allSatisfy { $0.enrolment == number })
            expect(try await deleting.read("token"), is: nil)
        }
    }

    @Test("a deletion while the vault is made leaves one that opens, or none", arguments: 0..<30)
    func deletingWhileTheVaultIsMade(_ step: Int) async throws {
        try await Pair.tell { pair, app, other in
            let (making, deleting) = (pair.vault(of: app), pair.vault(of: other))
            for process in [app, other] { process.stores.slowDown(to: .milliseconds(10)) }
            async let made = failure { _ = try await making.rung() }
            try await pair.wait(.milliseconds(10 * step + 5))
            try await deleting.delete()
            let refused = await made
            let ends: [Failure.Code?] = [nil, .vaultClosed, .keyInvalidated, .notEnrolled, .paused]
            #expect(ends.contains(refused?.code))
            let number = try await pair.number(making)
            #expect(pair.copies.names.allSatisfy { $0.enrolment == number })
            try await deleting.save("new", as: "token")
            expect(try await making.read("token"), is: "new")
        }
    }

    @Test("a decline that comes while an unlock adds the sensor's copy is the last word", arguments: 0..<25)
    func decliningWhileTheCopyIsAdded(_ step: Int) async throws {
        try await Pair.tell { pair, app, other in
            let (adding, declining) = (pair.vault(of: app), pair.vault(of: other))
            _ = try await adding.rung()
            try await declining.declineBiometrics()
            try await declining.answerBiometricOffer(.setUp)
            for process in [app, other] { process.stores.slowDown(to: .milliseconds(10)) }
            async let rung = adding.rung()
            try await pair.wait(.milliseconds(10 * step + 5))
            try await declining.declineBiometrics()
            _ = try await rung
            try await pair.wait(.seconds(5))
            #expect(await declining.readiness().state(of: .biometric) == .missing)
            #expect(pair.copies.names.allSatisfy { $0.kind == .passcode })
            expect(try await adding.rung(), is: .devicePasscode)
        }
    }

    @Test("a decline that comes while the vault is made is the last word", arguments: 0..<25)
    func decliningWhileTheVaultIsMade(_ step: Int) async throws {
        try await Pair.tell { pair, app, other in
            let (making, declining) = (pair.vault(of: app), pair.vault(of: other))
            for process in [app, other] { process.stores.slowDown(to: .milliseconds(10)) }
            async let rung = failure { _ = try await making.rung() }
            try await pair.wait(.milliseconds(10 * step + 5))
            try await declining.declineBiometrics()
            _ = await rung
            expect(try await making.rung(), is: .devicePasscode)
            #expect(await declining.readiness().state(of: .biometric) == .missing)
        }
    }

    @Test func aProcessThatWasKilledLeavesNothingAfterADeletion() async throws {
        try await Pair.tell { pair, app, other in
            app.stores.slowDown(to: .seconds(1))
            async let killed = failure { _ = try await pair.vault(of: app).rung() }
            var waited = 0
            while pair.copies.names.isEmpty, waited < 60 {
                try await pair.wait(.milliseconds(500))
                waited += 1
            }
            #expect(!pair.copies.names.isEmpty)
            app.stores.slowDown(to: .seconds(100_000))
            try await pair.vault(of: other).save("s3cret", as: "token")
            try await pair.vault(of: other).delete()
            #expect(pair.copies.names.isEmpty)
            _ = await killed
        }
    }

    @Test func aVaultOfAnEarlierVersionKeepsOpening() async throws {
        try await Pair.tell { pair, app, _ in
            let vault = pair.vault(of: app)
            let key = VaultKey()
            let name = KeyName(server: Vault.realm, account: "designs", kind: .passcode)
            try await app.stores.protect(key.secret, as: name, access: .userPresence)
            let record = try VaultRecord(access: .userPresence, number: 1, rungs: [.devicePasscode], vault: "designs", key: key)
            let text = String(decoding: StoredRecord.encode(record), as: UTF8.self)
            let earlier = text.replacing("\"number\":1,", with: "")
            #expect(earlier != text)
            try await app.stores.write(Array(earlier.utf8), as: "vault designs")

            try await vault.save("s3cret", as: "token")
            expect(try await vault.rung(), is: .biometric, "the passcode has added the face")
            expect(try await vault.read("token"), is: "s3cret")
            #expect(pair.copies.names.map(\.enrolment) == [1, 1])
            try await vault.delete()
            #expect(pair.copies.names.isEmpty)
            expect(try await vault.read("token"), is: nil)
        }
    }
}
