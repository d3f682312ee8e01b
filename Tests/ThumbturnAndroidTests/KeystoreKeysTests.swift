import Crypto
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnAndroid

@Suite struct KeystoreKeysTests {
    @Test(arguments: [28, 29, 30, 31, 33, 35, 36])
    func aKeyLives(_ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            try await DeviceKeysConformance.aKeyLives(try await world.platform().keys)
            #expect(world.android.calls(.prompt) == 0)
        }
    }

    @Test func aPINKeyLives() async throws {
        let world = AndroidWorld(hasPIN: true)
        try await world.run {
            let key = try #require(try await world.platform().pin).key
            try await PINKeyConformance.aKeyLives(key)
            try await PINKeyConformance.onlyTheServerCanTellAWrongPIN(key)
            #expect(world.android.calls(.prompt) == 0)
        }
    }

    @Test func aPINKeyIsOfAnotherKindThanItsNeighbours() async throws {
        let world = AndroidWorld(hasPIN: true)
        try await world.run {
            let platform = try await world.platform()
            await expectFailure(.policyDenies) { _ = try await platform.keys.create(.of(.pin)) }
            let key = try #require(platform.pin).key
            _ = try await key.create(.of(.pin), pin: #require(PIN("824193")))
            _ = try await platform.keys.create(.of(.session))
            try await platform.keys.deleteAll(server: "https://a.example", account: "ada")
            #expect(await key.state(of: .of(.pin)) == .usable)
            _ = try await platform.keys.create(.of(.session))
            try await key.deleteAll(server: "https://a.example", account: "ada")
            #expect(await platform.keys.state(of: .of(.session)) == .usable)
        }
    }

    @Test("an HMAC of another length is none", arguments: [0, 31, 33])
    func shortCode(_ count: Int) async throws {
        let world = AndroidWorld(hasPIN: true)
        try await world.run {
            let key = try #require(try await world.platform().pin).key
            _ = try await key.create(.of(.pin), pin: #require(PIN("824193")))
            var writer = BridgeWriter()
            writer.put(Int64(0))
            writer.put([UInt8](repeating: 1, count: count))
            world.android.state.withLock { $0.answering[.mac] = [writer.message] }
            await expectFailure(.platform) { _ = try await key.sign([1], with: .of(.pin), pin: #require(PIN("824193"))) }
        }
    }

    @Test func twoAccountsAndTwoServersHaveTheirOwnKeys() async throws {
        let world = AndroidWorld()
        try await world.run {
            let keys = try await world.platform().keys
            let (ada, bob) = (KeyName.of(.biometric), KeyName.of(.biometric, account: "bob"))
            let first = try await keys.create(ada)
            #expect(try await keys.create(bob) != first)
            try await keys.deleteAll(server: "https://a.example", account: "ada")
            #expect(await keys.state(of: ada) == .missing)
            #expect(await keys.state(of: bob) == .usable)
        }
    }

    @Test("no name of a person or of a server reaches the Keystore, and every alias fits into a file's name")
    func aliases() async throws {
        let account = String(repeating: "ada.lovelace@example.com", count: 20)
        for kind in KeyKind.allCases {
            for area in [KeyAlias.Area.key, .pin, .vault] {
                let name = KeyName(server: "https://a.example", account: account, enrolment: .max, kind: kind)
                let alias = KeyAlias.of(name, in: area)
                #expect(alias.utf8.count <= 98 && !alias.contains("ada") && !alias.contains("example"))
                #expect(alias.hasPrefix(KeyAlias.prefix(area, server: name.server, account: name.account)))
                #expect(alias.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
            }
        }
        #expect(KeyAlias.owner(server: "ab", account: "c") != KeyAlias.owner(server: "a", account: "bc"))
    }

    // MARK: How a key dies

    @Test(arguments: [28, 29, 30, 31, 36])
    func aNewFingerAndARemovedLockScreen(_ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            let keys = try await world.platform().keys
            for kind in [KeyKind.biometric, .session] { _ = try await keys.create(.of(kind)) }
            if level >= 30 { _ = try await keys.create(.of(.passcode)) }
            world.phone.enrolNewFace()
            #expect(await keys.state(of: .of(.biometric)) == .invalidated(.enrolmentChanged))
            #expect(await keys.state(of: .of(.session)) == .usable)
            if level >= 30 { #expect(await keys.state(of: .of(.passcode)) == .usable) }
            world.phone.removePasscode()
            #expect(await keys.state(of: .of(.biometric)) == .invalidated(.passcodeRemoved))
            if level >= 30 { #expect(await keys.state(of: .of(.passcode)) == .invalidated(.passcodeRemoved)) }
            #expect(await keys.state(of: .of(.session)) == .usable)
        }
    }

    @Test("a sensor that is not ready looks like a new finger, and is asked again")
    func falseAlarm() async throws {
        let world = AndroidWorld()
        try await world.run {
            let keys = try await world.platform().keys
            _ = try await keys.create(.of(.biometric))
            world.android.state.withLock { $0.falseAlarms = 1 }
            #expect(await keys.state(of: .of(.biometric)) == .usable, "the second look")
            world.android.state.withLock { ($0.falseAlarms, $0.strong) = (100, 1) }
            #expect(await keys.state(of: .of(.biometric)) == .usable, "no sensor that could be believed")
            world.android.state.withLock { ($0.falseAlarms, $0.strong) = (100, -1) }
            #expect(await keys.state(of: .of(.biometric)) == .usable, "a sensor that cannot tell")
            world.android.state.withLock { ($0.falseAlarms, $0.strong) = (100, 1) }
            let prompts = world.android.calls(.prompt)
            let answer = await AndroidWorldPrompt.ask(try await world.platform())
            #expect(answer?.code == .platform && answer?.recovery == .retry, "and never enrolling anew")
            #expect(world.android.calls(.prompt) == prompts + 1)
            world.android.state.withLock { $0.strong = nil }
            #expect(await keys.state(of: .of(.biometric)) == .invalidated(.enrolmentChanged))
        }
    }

    @Test("what passes is no reason to enrol anew")
    func transient() async throws {
        let world = AndroidWorld()
        try await world.run {
            let keys = try await world.platform().keys
            _ = try await keys.create(.of(.session))
            for code in [3, 4, 7, 10, 11, 15] {
                world.android.failNext(
                    .signNow, "java.security.SignatureException", AndroidThrown.keyStore, code: code, isTransient: true)
                let failed = await failure { _ = try await keys.sign([1], with: .of(.session), presence: nil) }
                #expect(failed?.recovery == .retry && failed?.code == .platform)
                world.android.failNext(.probeKey, AndroidThrown.keyStore, code: code, isTransient: true)
                #expect(await keys.state(of: .of(.session)) == .usable)
            }
            world.android.failNext(.probeKey, "java.security.ProviderException")
            world.android.failNext(.keyExists, "java.security.ProviderException")
            #expect(await keys.state(of: .of(.session)) == .notYetReadable, "nothing is known")
            _ = try await keys.sign([1], with: .of(.session), presence: nil)
        }
    }

    @Test func aKeyThatDiesBetweenItsPromptAndItsUse() async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            _ = try await platform.keys.create(.of(.biometric))
            guard case .matched(let presence) = await platform.sensor.prompt(AndroidSensorTests.request(), hearing: { _ in })
            else {
                Issue.record("no match")
                return
            }
            world.phone.enrolNewFace()
            await expectFailure(.keyInvalidated) {
                _ = try await platform.keys.sign(AndroidSensorTests.message, with: .of(.biometric), presence: presence)
            }
        }
    }

    @Test("the use of a match that fails for now can be tried again with another prompt")
    func failedUse() async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            _ = try await platform.keys.create(.of(.biometric))
            for code in [2, 7, 10, 15] {
                guard case .matched(let presence) = await platform.sensor.prompt(AndroidSensorTests.request(), hearing: { _ in })
                else { continue }
                world.android.failNext(.useHandle, "java.security.SignatureException", AndroidThrown.keyStore, code: code)
                let failed = await failure {
                    _ = try await platform.keys.sign(AndroidSensorTests.message, with: .of(.biometric), presence: presence)
                }
                #expect(failed?.code == .platform && failed?.recovery == .retry, "the key itself is alive")
                #expect(failed?.status == .init(domain: AndroidThrown.keyStore, code: code))
            }
        }
    }

    @Test func beforeTheFirstUnlockNothingIsMissing() async throws {
        let world = AndroidWorld()
        try await world.run {
            let before = try await world.platform().keys
            _ = try await before.create(.of(.session))
            world.phone.prewarm()
            let platform = try await world.platform()
            for kind in [KeyKind.session, .biometric] { #expect(await platform.keys.state(of: .of(kind)) == .notYetReadable) }
            world.phone.unlockWithPasscode()
            #expect(await platform.keys.state(of: .of(.session)) == .usable)
            #expect(await platform.keys.state(of: .of(.biometric)) == .missing)
        }
    }

    // MARK: What the Keystore returns

    @Test(arguments: [FakeAndroid.StrongBox.present, .absent, .failing], [28, 30, 31, 36])
    func aKeyIsMadeWithAndWithoutStrongBox(_ strongBox: FakeAndroid.StrongBox, _ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            world.android.state.withLock { $0.strongBox = strongBox }
            let keystore = Keystore(on: world.android)
            let made = try await keystore.make(.biometric, as: "thumbturn.key.test")
            #expect(made.place == (strongBox == .present && level >= 31 ? .strongBox : .trustedEnvironment))
            #expect((made.strongBoxRefusal == nil) == (strongBox == .present))
        }
    }

    @Test("developers hear of a key in software")
    func software() async throws {
        let world = AndroidWorld()
        try await world.run {
            let heard = Mutex<[String]>([])
            let keys = KeystoreKeys(keystore: Keystore(on: world.android)) { sentence in heard.withLock { $0.append(sentence) } }
            _ = try await keys.create(.of(.biometric))
            #expect(heard.withLock { $0 }.isEmpty)
            let spki = try #require(FakeKey(kind: .session, secret: .ec(.init()), level: 0).spki)
            for level in [Int64(0), -2] {
                var writer = BridgeWriter()
                writer.put(Int64(0))
                writer.put(spki)
                writer.put(level)
                writer.put(nil as String?)
                world.android.state.withLock { $0.answering[.createKey] = [writer.message] }
                _ = try await keys.create(.of(.biometric))
            }
            #expect(heard.withLock { $0.count } == 2)
        }
    }

    @Test("a public key of another kind, or beside the curve, is none")
    func publicKeys() throws {
        let spki = try #require(FakeKey(kind: .session, secret: .ec(.init()), level: 0).spki)
        #expect(KeystoreP256.publicKey(spki: spki)?.x963 == Array(spki.suffix(65)))
        for place in spki.indices where place < 27 {
            var other = spki
            other[place] ^= 1
            #expect(KeystoreP256.publicKey(spki: other) == nil, "byte \(place)")
        }
        for other in [[], Array(spki.dropLast()), spki + [0], Array(spki.dropLast(64)) + [UInt8](repeating: 1, count: 64)] {
            #expect(KeystoreP256.publicKey(spki: other) == nil)
        }
    }

    @Test("a signature is taken in its one DER encoding")
    func signatures() throws {
        for _ in 0..<200 {
            let der = try FakeKey(kind: .session, secret: .ec(.init()), level: 0).sign([1])
            let raw = try #require(KeystoreP256.rawSignature(der: der))
            #expect(raw.count == 64)
            #expect(KeystoreP256.rawSignature(der: der + [0]) == nil)
            #expect(KeystoreP256.rawSignature(der: Array(der.dropLast())) == nil)
            #expect(KeystoreP256.rawSignature(der: raw) == nil)
            // An integer with a zero too many.
            var long = der
            long.insert(0, at: 4)
            long[1] += 1
            long[3] += 1
            #expect(KeystoreP256.rawSignature(der: long) == nil)
        }
        #expect(KeystoreP256.rawSignature(der: []) == nil)
        #expect(KeystoreP256.rawSignature(der: [0x30, 6, 2, 1, 1, 2, 1, 1])?.count == 64, "small numbers are filled up")
    }
}

/// One prompt for the biometric key.
enum AndroidWorldPrompt {
    /// The failure of the prompt; nil where the person matched, or did not.
    static func ask(_ platform: DevicePlatform) async -> Failure? {
        if case .failed(let failure) = await platform.sensor.prompt(AndroidSensorTests.request(), hearing: { _ in }) {
            failure
        } else {
            nil
        }
    }
}
