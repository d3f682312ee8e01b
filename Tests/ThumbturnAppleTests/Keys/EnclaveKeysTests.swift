#if STAND_INS
import Dispatch
import Foundation
import LocalAuthentication
import Security
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnApple

@Suite struct EnclaveKeysTests {
    private static let guarded: [KeyKind] = [.biometric, .passcode]

    @Test func aKeyLives() async throws {
        let world = AppleWorld()
        try await world.run { try await DeviceKeysConformance.aKeyLives(world.parts().keys) }
        #expect(world.device.calls("SecKeyCreateRandomKey") == 9 && world.device.calls("SecKeyCreateSignature") > 0)
        world.expectNothingOnTheSide()
    }

    /// The expected flags and protections are the documented numbers, so that a mistake in the adapter's table shows
    /// too.
    @Test(arguments: [
        (KeyKind.biometric, UInt(0x4000_0008), "akpu"), (.passcode, 0x4000_0010, "akpu"), (.session, 0x4000_0000, "cku"),
    ])
    func everyKeyIsGuardedByItsKind(_ kind: KeyKind, _ flags: UInt, _ protection: String) async throws {
        let world = AppleWorld()
        try await world.run { _ = try await world.parts().keys.create(.of(kind)) }
        let keys = world.items.filter(\.isKey)
        #expect(keys.map(\.protection) == [protection] && keys.map(\.flags?.rawValue) == [flags])
        // A key with user verification has a record of its public half, which needs no prompt.
        let records = world.items.filter { !$0.isKey }
        #expect(records.map(\.protection) == (kind == .session ? [] : ["cku"]) && records.allSatisfy { $0.flags == nil })
        world.expectNothingOnTheSide()
    }

    @Test(arguments: guarded) func oneMatchGivesOneSignature(_ kind: KeyKind) async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            let made = try await platform.keys.create(.of(kind))
            #expect(world.phone.promptCount == 0, "making a key shows no prompt")
            await expectFailure(.notMatched) { _ = try await platform.keys.sign([1], with: .of(kind), presence: nil) }
            let presence = try await ProtectedStoreConformance.presence(.of(kind), .of(kind), platform.sensor, message: [1, 2])
            let signature = try await platform.keys.sign([1, 2], with: .of(kind), presence: presence)
            #expect(try VerifyingKey(made).isValid(signature, for: [1, 2]) && signature.count == 64)
            let again = await failure { _ = try await platform.keys.sign([3], with: .of(kind), presence: presence) }
            #expect(again == Failure(.notMatched))
        }
        #expect(world.phone.promptCount == 1)
        world.expectNothingOnTheSide()
    }

    @Test func deletingAnAccountsKeysLeavesWhatIsNotTheirs() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            for name in [KeyName.of(.biometric), .of(.passcode), .of(.session), .of(.biometric, account: "bob")] {
                _ = try await platform.keys.create(name)
            }
            try await platform.secrets.write([1], as: "a")
            try await platform.keys.deleteAll(server: "https://a.example", account: "ada")
            for kind in [KeyKind.biometric, .passcode, .session] {
                #expect(await platform.keys.state(of: .of(kind)) == .missing, "without a record, a key never existed")
            }
            #expect(await platform.keys.state(of: .of(.biometric, account: "bob")) == .usable)
            expect(try await platform.secrets.read("a"), is: [1])
            #expect(world.items.count == 3, "bob's key with its record, and the secret")
        }
        world.expectNothingOnTheSide()
    }

    @Test func aTagOfAnotherPlaceIsNoAccounts() {
        let (place, owner) = (KeychainPlace(service: "test"), KeyName.owner("https://a.example", "ada"))
        #expect(place.isTag(place.tag(of: .of(.session)), of: owner))
        #expect(!place.isTag(place.tag(of: .of(.session, account: "bob")), of: owner))
        #expect(!place.isTag(KeychainPlace(service: "another").tag(of: .of(.session)), of: owner))
        #expect(!place.isTag(Data("no tag".utf8), of: owner))
    }

    @Test func aMatchForOneKeyOpensNoOther() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            for name in [KeyName.of(.biometric), .of(.biometric, account: "bob"), .of(.passcode)] {
                _ = try await platform.keys.create(name)
            }
            let presence = try await ProtectedStoreConformance.presence(
                .of(.biometric), .biometric, platform.sensor, message: [1])
            for other in [KeyName.of(.biometric, account: "bob"), .of(.passcode)] {
                await expectFailure(.notMatched) { _ = try await platform.keys.sign([1], with: other, presence: presence) }
            }
            await expectFailure(.notMatched) {
                _ = try await platform.keys.sign([1], with: .of(.biometric), presence: Presence(context: true))
            }
            _ = try await platform.keys.sign([1], with: .of(.biometric), presence: presence)
        }
        world.expectNothingOnTheSide()
    }

    @Test func aContextThatEndedOpensNothing() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            let presence = try await ProtectedStoreConformance.presence(
                .of(.biometric), .biometric, platform.sensor, message: [1])
            await (presence.context as? PromptContext)?.end()
            let refused = await failure { _ = try await platform.keys.sign([1], with: .of(.biometric), presence: presence) }
            #expect(refused == Failure(.notMatched))
            #expect(await platform.keys.state(of: .of(.biometric)) == .usable)
            // A match for another message, and a match for the key of another place.
            let signed = try await ProtectedStoreConformance.presence(
                .of(.biometric), .biometric, platform.sensor, message: [1])
            await expectFailure(.notMatched) {
                _ = try await platform.keys.sign([2], with: .of(.biometric), presence: signed)
            }
            let elsewhere = world.parts(KeychainPlace(service: "other"))
            _ = try await elsewhere.keys.create(.of(.biometric))
            await expectFailure(.notMatched) {
                _ = try await elsewhere.keys.sign([1], with: .of(.biometric), presence: signed)
            }
            _ = try await platform.keys.sign([1], with: .of(.biometric), presence: signed)
            // A context that never showed its prompt.
            let unasked = Presence(
                context: PromptContext(
                    world.system, for: .init(key: .of(.biometric), message: [1], place: KeychainPlace(service: "test"))))
            await expectFailure(.notMatched) {
                _ = try await platform.keys.sign([1], with: .of(.biometric), presence: unasked)
            }
        }
        world.expectNothingOnTheSide()
    }

    /// A match that the system does not accept: the key or the secret is refused, without a prompt of the keychain's
    /// own.
    @Test func aMatchThatIsNotAcceptedShowsNoSecondPrompt() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            let secret = KeyName(server: Vault.realm, account: "designs", kind: .biometric)
            _ = try await platform.keys.create(.of(.biometric))
            try await platform.vaults?.protect(SecretBytes("x"), as: secret, access: .biometryAny)
            let failures = [
                await failure {
                    let worthless = Presence(context: await PromptContext.worthless(for: .of(.biometric), on: world.system))
                    _ = try await platform.keys.sign([1], with: .of(.biometric), presence: worthless)
                },
                await failure {
                    let worthless = Presence(context: await PromptContext.worthless(for: secret, on: world.system))
                    _ = try await platform.vaults?.release(secret, presence: worthless)
                },
            ]
            #expect(failures.map { $0?.status?.code } == [-1004, -25308])
            #expect(await platform.keys.state(of: .of(.biometric)) == .usable)
        }
        #expect(world.phone.promptCount == 0)
        world.expectNothingOnTheSide()
    }

    /// Calls that block run neither on the main thread nor on the threads that tasks share.
    @Test func callsThatBlockRunOnTheirExecutor() async throws {
        let world = AppleWorld(), own = OwnThread()
        try await StandIns.$device.withValue(world.device) {
            let system = AppleSystem(executor: own)
            let keys = EnclaveKeys(keychain: Keychain(KeychainPlace(service: "test"), on: system))
            _ = try await keys.create(.of(.session))
            #expect(own.jobs > 0)
            let before = own.jobs
            await PromptContext(system).end()
            #expect(own.jobs > before)
        }
    }

    // MARK: Invalidation

    @Test(arguments: StandInRefusal.ofADeadKey) func anotherFaceEndsTheBiometricKeyAlone(_ refusal: StandInRefusal) async throws {
        let world = AppleWorld { $0.dead = refusal }
        try await world.run {
            let keys = world.parts().keys
            let sensor = world.parts().sensor
            let made = try await keys.create(.of(.biometric))
            for kind in [KeyKind.passcode, .session] { _ = try await keys.create(.of(kind)) }
            #expect(await keys.state(of: .of(.biometric)) == .usable)
            let presence = try await ProtectedStoreConformance.presence(.of(.biometric), .biometric, sensor, message: [1])
            world.phone.enrolNewFace()
            let dead = await failure { _ = try await keys.sign([1], with: .of(.biometric), presence: presence) }
            #expect(dead?.code == .keyInvalidated && dead?.recovery == .reEnrol && dead?.status != nil)
            #expect(await keys.state(of: .of(.biometric)) == .invalidated(.unknown))
            #expect(try await keys.publicKey(of: .of(.biometric)) == made, "the record outlives the key")
            #expect(await keys.state(of: .of(.passcode)) == .usable)
            #expect(await keys.state(of: .of(.session)) == .usable)
            #expect(try await keys.create(.of(.biometric)) != made)
            #expect(await keys.state(of: .of(.biometric)) == .usable)
            world.phone.enrolNewFace()
            try await keys.delete(.of(.biometric))
            #expect(await keys.state(of: .of(.biometric)) == .missing, "a deleted key is not an invalidated one")
        }
        #expect(world.phone.promptCount == 1)
        world.expectNothingOnTheSide()
    }

    /// A lookup needs no prompt, so a refusal there is about the key or about a locked device.
    @Test(arguments: [-26275, -25293, -25308, -25315, -34018, -26276, -909] as [OSStatus])
    func aRefusedLookupHasItsMeaning(_ status: OSStatus) async throws {
        let world = AppleWorld()
        try await world.run {
            let keys = world.parts().keys
            let pin = EnclavePINKeys(keychain: world.keychain(), rounds: 10)
            for kind in [KeyKind.biometric, .passcode, .session] { _ = try await keys.create(.of(kind)) }
            _ = try await pin.create(.of(.pin), pin: try #require(PIN("824193")))
            let isAboutTheKey = status == -26275 || status == -25293
            for kind in KeyKind.allCases {
                world.device.keychain.failNext("SecItemCopyMatching", with: status)
                let whatItIs: KeyState = kind == .pin ? .usable : .invalidated(.unknown)
                #expect(await keys.state(of: .of(kind)) == (isAboutTheKey ? whatItIs : .notYetReadable))
                #expect(await keys.state(of: .of(kind)) == .usable)
            }
            world.phone.setPermission(false)
            world.device.keychain.failNext("SecItemCopyMatching", with: -25293)
            #expect(await keys.state(of: .of(.biometric)) == .usable, "the sensor cannot be asked")
            world.phone.setPermission(true)
            world.phone.removeFaces()
            world.device.keychain.failNext("SecItemCopyMatching", with: -25293)
            #expect(await keys.state(of: .of(.biometric)) == .invalidated(.unknown), "its set is gone")
        }
        world.expectNothingOnTheSide()
    }

    @Test func removingTheFacesInvalidatesTheirKey() async throws {
        let world = AppleWorld()
        try await world.run {
            let keys = world.parts().keys
            _ = try await keys.create(.of(.biometric))
            world.phone.removeFaces()
            #expect(await keys.state(of: .of(.biometric)).isDead)
            await expectFailure(.biometryNotEnrolled) { _ = try await keys.create(.of(.biometric)) }
            #expect(await keys.state(of: .of(.biometric)).isDead, "a failed replacement keeps the record")
        }
    }

    @Test func removingThePasscodeInvalidatesItsKeys() async throws {
        let world = AppleWorld()
        try await world.run {
            let keys = world.parts().keys
            var made: [KeyKind: PublicKey] = [:]
            for kind in [KeyKind.biometric, .passcode, .session] { made[kind] = try await keys.create(.of(kind)) }
            world.phone.removePasscode()
            for kind in Self.guarded {
                #expect(await keys.state(of: .of(kind)) == .invalidated(.unknown))
                expect(try await keys.publicKey(of: .of(kind)), is: made[kind], "the record outlives the key")
                await expectFailure(.passcodeNotSet) { _ = try await keys.create(.of(kind)) }
            }
            #expect(await keys.state(of: .of(.session)) == .usable)
            world.phone.setPasscode()
            #expect(await keys.state(of: .of(.passcode)) == .invalidated(.unknown), "it stays invalidated")
            _ = try await keys.create(.of(.passcode))
            #expect(await keys.state(of: .of(.passcode)) == .usable)
        }
        world.expectNothingOnTheSide()
    }

    /// With a locked sensor and no prompt allowed, it is not known which of the two the system reports.
    @Test(arguments: [true, false]) func aLockoutInvalidatesNoKey(_ obstacleComesFirst: Bool) async throws {
        let world = AppleWorld { $0.obstacleComesFirst = obstacleComesFirst }
        try await world.run {
            let platform = world.parts()
            _ = try await platform.keys.create(.of(.biometric))
            try await platform.vaults?.protect(SecretBytes("x"), as: .of(.biometric), access: .biometryCurrentSet)
            world.phone.next(.noMatch, .noMatch, .noMatch)
            for _ in 1...3 { _ = await world.phone.ask(.biometric, reason: "Test") }
            #expect(world.device.facts.isLockedOut)
            #expect(await platform.keys.state(of: .of(.biometric)) == .usable)
            expect(await platform.vaults?.state(of: .of(.biometric)), is: .usable)
        }
        world.expectNothingOnTheSide()
    }

    @Test func theMeaningOfASilentRefusalDependsOnTheKey() async throws {
        let world = AppleWorld()
        try await world.run {
            let keychain = world.keychain()
            func state(_ code: Int, _ kind: KeyKind) async -> KeyState {
                let refusal = Failure(.platform, status: .init(domain: NSOSStatusErrorDomain, code: code))
                return await keychain.state(afterSilentUse: refusal, of: kind, isOfTheSet: kind == .biometric)
            }
            #expect(await state(-25308, .biometric) == .usable)
            #expect(await state(-25308, .passcode) == .usable)
            #expect(await state(-25308, .session) == .notYetReadable, "it waits only for the first unlock")
            for kind in [KeyKind.biometric, .passcode, .session] {
                #expect(await state(-25300, kind) == .invalidated(.unknown))
                #expect(await state(-25293, kind) == .invalidated(.unknown))
                #expect(await state(-34018, kind) == .notYetReadable)
            }
            world.phone.setPermission(false)
            #expect(await state(-25293, .biometric) == .usable)
            #expect(await state(-25293, .passcode) == .invalidated(.unknown))
        }
    }

    @Test(arguments: [true, false]) func beforeTheFirstUnlockNoKeyIsReportedGone(_ isPrewarmed: Bool) async throws {
        let world = AppleWorld()
        try await world.run {
            let keys = world.parts().keys
            for kind in [KeyKind.biometric, .passcode, .session] { _ = try await keys.create(.of(kind)) }
            if isPrewarmed { world.phone.prewarm() } else { world.phone.reboot() }
            for kind in [KeyKind.biometric, .passcode, .session] {
                #expect(await keys.state(of: .of(kind)) == .notYetReadable)
            }
            #expect(await keys.state(of: .of(.pin)) == .missing, "a key that never existed is missing, not locked")
            await expectFailure(.notYetReadable) { _ = try await keys.publicKey(of: .of(.biometric)) }
            await expectFailure(.notYetReadable) { _ = try await keys.create(.of(.session)) }
            await expectFailure(.notYetReadable) { try await keys.delete(.of(.session)) }
            await expectFailure(.notYetReadable) { _ = try await keys.sign([1], with: .of(.session), presence: nil) }
            world.phone.unlockWithPasscode()
            for kind in [KeyKind.biometric, .passcode, .session] { #expect(await keys.state(of: .of(kind)) == .usable) }
        }
        world.expectNothingOnTheSide()
    }

    // MARK: Creation

    @Test func aKeyThatCouldNeverBeUsedIsNotMade() async throws {
        let world = AppleWorld(hasSensor: false)
        try await world.run {
            await expectFailure(.biometryUnavailable) { _ = try await world.parts().keys.create(.of(.biometric)) }
            await expectFailure(.policyDenies) { _ = try await world.parts().keys.create(.of(.pin)) }
        }
        #expect(world.items.isEmpty)
    }

    @Test func aDeniedPermissionPreventsNoKeyFromBeingMade() async throws {
        let world = AppleWorld()
        try await world.run {
            world.phone.setPermission(false)
            _ = try await world.parts().keys.create(.of(.biometric))
        }
        #expect(world.items.filter(\.isKey).count == 1)
    }

    @Test func everyNameHasOneKey() async throws {
        let world = AppleWorld()
        try await world.run {
            let keys = world.parts().keys
            for kind in [KeyKind.biometric, .session] {
                for _ in 1...3 {
                    let made = try await keys.create(.of(kind))
                    #expect(try await keys.publicKey(of: .of(kind)) == made)
                }
            }
        }
        #expect(world.items.filter(\.isKey).count == 2 && world.items.count == 3)
    }

    /// The state after a crash between making the key and writing its record.
    @Test func aKeyWithoutItsRecordIsUsable() async throws {
        let world = AppleWorld()
        try await world.run {
            let keychain = world.keychain()
            let keys = EnclaveKeys(keychain: keychain)
            let made = try await keys.create(.of(.biometric))
            try await keychain.delete(.keyRecord(.of(.biometric)))
            #expect(await keys.state(of: .of(.biometric)) == .usable)
            #expect(try await keys.publicKey(of: .of(.biometric)) == made)
        }
        world.expectNothingOnTheSide()
    }

    @Test func aRecordNeverDescribesAnotherKey() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            let old = try await platform.keys.create(.of(.biometric))
            world.device.keychain.failNext("SecItemUpdate", with: -34)
            let full = await failure { _ = try await platform.keys.create(.of(.biometric)) }
            #expect(full?.status?.code == -34)
            let kept = try await platform.keys.publicKey(of: .of(.biometric))
            let presence = try await ProtectedStoreConformance.presence(
                .of(.biometric), .biometric, platform.sensor, message: [1])
            let signature = try await platform.keys.sign([1], with: .of(.biometric), presence: presence)
            #expect(try VerifyingKey(kept).isValid(signature, for: [1]) && kept != old)
        }
    }

    @Test func accountsServersEnrolmentsAndPlacesShareNothing() async throws {
        let world = AppleWorld()
        try await world.run {
            let places = [
                KeychainPlace(service: "a"), KeychainPlace(service: "b"), KeychainPlace(service: "a", accessGroup: "T.g"),
                KeychainPlace(service: "b", accessGroup: "T.g"),
            ]
            let names = [
                KeyName.of(.biometric), .of(.session), .of(.session, account: "bob"),
                KeyName(server: "https://b.example", account: "ada", kind: .session),
                KeyName(server: "https://a.example", account: "ada", enrolment: 2, kind: .session),
                // The same letters, divided differently.
                KeyName(server: "https://a.example3", account: "ada", kind: .session),
                KeyName(server: "https://a.example", account: "3:ada", kind: .session), .of(.session, account: "ada1"),
                KeyName(server: "https://a.example", account: "ada", enrolment: 11, kind: .session),
            ]
            var made: Set<PublicKey> = []
            for place in places {
                for name in names {
                    let keys = world.parts(place).keys
                    #expect(await keys.state(of: name) == .missing)
                    made.insert(try await keys.create(name))
                }
            }
            #expect(made.count == places.count * names.count)
            try await world.parts(places[0]).keys.delete(names[0])
            #expect(await world.parts(places[2]).keys.state(of: names[0]) == .usable)
        }
        world.expectNothingOnTheSide()
    }

    @Test func aMissingEntitlementForAGroupIsReported() async throws {
        let world = AppleWorld { $0.accessGroups = ["T.mine"] }
        try await world.run {
            let foreign = world.parts(KeychainPlace(service: "a", accessGroup: "T.theirs"))
            let status = Failure.PlatformStatus(domain: NSOSStatusErrorDomain, code: -34018)
            let failures = [
                await failure { _ = try await foreign.keys.create(.of(.session)) },
                await failure { _ = try await foreign.keys.publicKey(of: .of(.session)) },
                await failure { try await foreign.secrets.write([1], as: "a") },
                await failure { try await foreign.vaults?.protect(SecretBytes("a"), as: .of(.biometric), access: .biometryAny) },
            ]
            #expect(failures.allSatisfy { $0?.status == status })
            #expect(await foreign.keys.state(of: .of(.session)) == .notYetReadable, "this must not sign the person out")
            _ = try await world.parts(KeychainPlace(service: "a", accessGroup: "T.mine")).keys.create(.of(.session))
        }
        let groups = world.device.keychain.contents.map { $0.attributes[kSecAttrAccessGroup as String] as? String }
        #expect(groups == ["T.mine"])
    }

    @Test func aRestoredDeviceHasNoKeys() async throws {
        let world = AppleWorld()
        try await world.run {
            let platform = world.parts()
            for kind in [KeyKind.biometric, .passcode, .session] { _ = try await platform.keys.create(.of(kind)) }
            try await platform.secrets.write([1], as: "a")
            world.device.keychain.restored()
            for kind in [KeyKind.biometric, .passcode, .session] {
                #expect(await platform.keys.state(of: .of(kind)) == .missing)
            }
            expect(try await platform.secrets.read("a"), is: nil)
        }
        #expect(world.items.isEmpty)
    }
}

extension PromptContext {
    /// A context that claims a match without a prompt.
    fileprivate static func worthless(for key: KeyName, on system: AppleSystem) async -> PromptContext {
        let context = PromptContext(
            system,
            for: .init(key: key, message: key.server == Vault.realm ? [] : [1], place: KeychainPlace(service: "test")))
        await context.pretend()
        return context
    }

    private func pretend() { didMatch = true }
}

/// Counts the jobs that it runs.
private final class OwnThread: SerialExecutor {
    private let queue = DispatchQueue(label: "test")
    private let count = Mutex(0)
    var jobs: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        count.withLock { $0 += 1 }
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

@Suite struct SilentRefusalTests {
    private static let (la, os, tokens) = ("com.apple.LocalAuthentication", NSOSStatusErrorDomain, "CryptoTokenKit")

    @Test(arguments: [
        (la, -1004, SilentRefusal.asks), (la, -8, .asks), (la, -5, .isGone), (la, -1009, .refused), (os, -25308, .asks),
        (os, -25300, .isGone),
        (os, -26275, .isGone), (os, -25293, .refused), (os, -34018, .unclear), (os, -25291, .unclear), (tokens, -3, .refused),
        (tokens, -5, .refused), (tokens, -6, .isGone), (tokens, -7, .unclear), (tokens, -9, .asks), (tokens, -2, .unclear),
    ])
    func everySilentRefusalHasItsMeaning(_ domain: String, _ code: Int, _ meaning: SilentRefusal) {
        #expect(SilentRefusal(.init(domain: domain, code: code)) == meaning)
        #expect(SilentRefusal(.init(domain: "elsewhere", code: code)) == .unclear, "a number means nothing without its domain")
        #expect(SilentRefusal(nil) == .unclear)
    }

    @Test func theSecureEnclaveSaysWhetherAKeyIsDead() {
        let dead = Failure.PlatformStatus(domain: Self.tokens, code: -3, hardware: -536_362_999)
        #expect(SilentRefusal(dead) == .isGone)
        #expect(SilentRefusal(.init(domain: Self.tokens, code: -3, hardware: -1)) == .refused)
        #expect(SilentRefusal(.init(domain: Self.os, code: -3, hardware: -536_362_999)) == .unclear)
        #expect(SilentRefusal.mayBeAWrongPassword(dead), "a PIN key is not bound to a set of faces or fingers")
        let asked = Failure.PlatformStatus(domain: Self.os, code: -34018, hardware: -1)
        #expect(SilentRefusal.mayBeAWrongPassword(asked))
    }

    @Test(arguments: [
        (KeyKind.biometric, BiometryState.ready, true, true), (.biometric, .ready, false, true),
        (.biometric, .passcodeNotSet, false, true), (.biometric, .notEnrolled, true, true),
        (.biometric, .notEnrolled, false, false),
        (.biometric, .lockedOut(.untilPasscode), true, false), (.biometric, .permissionDenied, true, false),
        (.biometric, .lidClosed, true, false), (.passcode, .lidClosed, false, true), (.session, .unavailable, false, true),
    ])
    func aRefusedKeyIsInvalidatedOnlyIfTheSensorCouldBeAsked(
        _ kind: KeyKind, _ sensor: BiometryState, _ isOfTheSet: Bool, _ isDead: Bool
    ) {
        #expect(SilentRefusal.isDead(kind, whileSensorIs: sensor, isOfTheSet: isOfTheSet) == isDead)
    }

    @Test(arguments: [
        (os, -25293, true), (os, -25308, true), (la, -1, true), (la, -1004, true), (tokens, -5, true), (tokens, -9, true),
        (tokens, -3, true), (la, -1009, true), (os, -25330, true), ("elsewhere", 1, true),
        (os, -34, true), (os, -36, true), (os, -108, true), (la, -9, true), (tokens, -2, true),
        (os, -50, true), (os, -25300, true), (tokens, -6, true), (tokens, -7, true), (os, -34018, false), (la, -10, false),
    ])
    func everyAmbiguousStatusCountsAsAWrongPIN(_ domain: String, _ code: Int, _ isWrong: Bool) {
        #expect(SilentRefusal.mayBeAWrongPassword(.init(domain: domain, code: code)) == isWrong)
        #expect(!SilentRefusal.mayBeAWrongPassword(nil), "the failure does not come from the system")
    }
}
#endif
