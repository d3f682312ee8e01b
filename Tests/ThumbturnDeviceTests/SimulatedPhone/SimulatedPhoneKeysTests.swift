import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnVerifier

/// The lives of keys on each model, and what invalidates them.
@Suite struct SimulatedPhoneKeysTests {
    typealias Model = SimulatedPhone.Model

    /// Models whose keys the sensor may unlock.
    static let strong = Model.catalogue.filter(\.isStrong)

    @Test("the conformance of keys holds on every model", arguments: Model.catalogue)
    func keysConform(_ model: Model) async throws {
        try await DeviceKeysConformance.aKeyLives(SimulatedPhone(model).platform().keys)
    }

    @Test("the conformance of PIN keys holds on every model, for each judge of PINs", arguments: Model.catalogue)
    func pinKeysConform(_ model: Model) async throws {
        let keys = try #require(SimulatedPhone(model, hasPIN: true).platform().pin).key
        try await PINKeyConformance.aKeyLives(keys)
        guard model.pin != .derived else { return try await PINKeyConformance.onlyTheServerCanTellAWrongPIN(keys) }
        try await PINKeyConformance.aWrongPINIsRefused(keys)
        try await PINKeyConformance.aRightPINForgetsTheWrongOnes(keys)
        if model.pin == .counted { try await PINKeyConformance.theHardwareEndsAKeyByItself(keys) }
    }

    @Test("one match is one use of one key (CryptoObject)", arguments: strong)
    func oneUse(_ model: Model) async throws {
        try await Asked.run(model) { asked in
            let keys = asked.platform.keys
            let made = try await keys.create(Asked.name(.biometric))
            let presence = await asked.prompt().presence
            await expectFailure(.notMatched) { _ = try await keys.sign([2], with: Asked.name(.biometric), presence: presence) }
            let signature = try await keys.sign([1], with: Asked.name(.biometric), presence: presence)
            #expect(try VerifyingKey(made).isValid(signature, for: [1]))
            await expectFailure(.notMatched) { _ = try await keys.sign([1], with: Asked.name(.biometric), presence: presence) }
        }
    }

    @Test("one match gives out one secret of a vault, once", arguments: strong)
    func oneRelease(_ model: Model) async throws {
        try await Asked.run(model) { asked in
            let store = try #require(asked.platform.vaults)
            let name = Asked.name(.biometric)
            try await store.protect(SecretBytes("s"), as: name, access: .biometryCurrentSet)
            let presence = await asked.prompt(message: []).presence
            expect(try await store.release(name, presence: try #require(presence)).bytes, is: Array("s".utf8))
            await expectFailure(.notMatched) { _ = try await store.release(name, presence: try #require(presence)) }
        }
    }

    @Test("a vault's key dies as visibly as any other (SecItem.m, KeyPermanentlyInvalidatedException)", arguments: strong)
    func deadSecrets(_ model: Model) async throws {
        for access in VaultAccess.allCases where access != .passcode {
            try await Asked.run(model) { asked in
                let (store, name) = (try #require(asked.platform.vaults), Asked.name(.biometric))
                _ = try await asked.platform.keys.create(name)
                try await store.protect(SecretBytes("s"), as: name, access: access)
                asked.phone.enrolNewFace()
                let seen = access == .biometryCurrentSet ? await asked.state(.biometric) : .usable
                #expect(await store.state(of: name) == seen, "\(access)")
                try await store.protect(SecretBytes("s"), as: name, access: access)
                _ = try await asked.platform.keys.create(name)
                guard model.hasPasscode else { return }
                asked.phone.removePasscode()
                #expect(await store.state(of: name) == (await asked.state(.biometric)), "\(access)")
                asked.phone.setPasscode()
                #expect(await store.state(of: name) != .usable)
            }
        }
    }

    // MARK: The enrolled set

    @Test("a new face or finger ends a biometric key, and no other (biometryCurrentSet, KeyGenParameterSpec)", arguments: strong)
    func newFace(_ model: Model) async throws {
        try await Asked.run(model) { asked in
            for kind in [KeyKind.session, .biometric] { _ = try await asked.platform.keys.create(Asked.name(kind)) }
            if model.hasPasscode, model.passcodeUnlocksKeys { _ = try await asked.platform.keys.create(Asked.name(.passcode)) }
            asked.phone.enrolNewFace()
            #expect(await asked.state(.biometric).isDead)
            #expect(await asked.state(.session) == .usable)
            #expect(await asked.state(.passcode).isDead == false)
            let refused = await failure {
                _ = try await asked.platform.keys.sign([1], with: Asked.name(.biometric), presence: await asked.prompt().presence)
            }
            #expect(refused == Failure(.keyInvalidated))
            asked.phone.removeOneFace()
            #expect(await asked.state(.biometric).isDead, "and removing it again restores nothing")
            try await asked.platform.keys.delete(Asked.name(.biometric))
            #expect(await asked.state(.biometric) == .missing, "an invalidated key is deleted without a prompt (pain 14)")
        }
    }

    @Test(
        "Apple: removing one of several ends the key; Android: only removing all does (biometryCurrentSet, setInvalidatedByBiometricEnrollment)"
    )
    func removingOne() async throws {
        for (model, isDead) in [(Model.iPhone(), true), (.android(), false)] {
            try await Asked.run(model) { asked in
                asked.phone.enrolNewFace()
                _ = try await asked.platform.keys.create(Asked.name(.biometric))
                asked.phone.removeOneFace()
                #expect(await asked.state(.biometric).isDead == isDead)
                asked.phone.removeOneFace()
                #expect(await asked.state(.biometric).isDead)
                await expectFailure(.biometryNotEnrolled) { _ = try await asked.platform.keys.create(Asked.name(.biometric)) }
                asked.phone.removeOneFace()
                asked.phone.enrolNewFace()
                _ = try await asked.platform.keys.create(Asked.name(.biometric))
                #expect(await asked.state(.biometric) == .usable)
            }
        }
    }

    @Test(
        "Apple: after a change of the set, -25293 and -25300 are both seen (SecItem.m)", arguments: Model.DeadKey.allCases
    )
    func bothWays(_ dead: Model.DeadKey) async throws {
        var model = Model.iPhone()
        model.afterEnrolmentChange = dead
        try await Asked.run(model) { asked in
            _ = try await asked.platform.keys.create(Asked.name(.biometric))
            asked.phone.enrolNewFace()
            let state = await asked.state(.biometric)
            let sign = await failure {
                _ = try await asked.platform.keys.sign([1], with: Asked.name(.biometric), presence: nil)
            }
            switch dead {
            case .explained: #expect(state == .invalidated(.enrolmentChanged) && sign?.code == .keyInvalidated)
            case .unexplained: #expect(state == .invalidated(.unknown) && sign?.code == .keyInvalidated)
            case .gone: #expect(state == .missing && sign?.code == .notEnrolled)
            }
        }
    }

    // MARK: The passcode

    @Test(
        "without a passcode every key that asks for one is gone, for good (WhenPasscodeSetThisDeviceOnly, KeyGenParameterSpec)",
        arguments: strong.filter(\.hasPasscode))
    func passcodeRemoved(_ model: Model) async throws {
        try await Asked.run(model) { asked in
            let kinds: [KeyKind] = model.passcodeUnlocksKeys ? [.biometric, .passcode] : [.biometric]
            for kind in kinds + [.session] { _ = try await asked.platform.keys.create(Asked.name(kind)) }
            asked.phone.removePasscode()
            #expect(await asked.platform.sensor.isPasscodeSet() == false)
            #expect(await asked.biometry() != .ready, "the faces are removed with it")
            await expectFailure(.passcodeNotSet) { _ = try await asked.platform.keys.create(Asked.name(.passcode, enrolment: 2)) }
            asked.phone.setPasscode()
            asked.phone.enrolNewFace()
            for kind in kinds {
                let state = await asked.state(kind)
                #expect(model.system == .apple ? state == .missing : state.isDead, "\(kind)")
            }
            #expect(await asked.state(.session) == .usable)
            for kind in kinds { _ = try await asked.platform.keys.create(Asked.name(kind)) }
            for kind in kinds { #expect(await asked.state(kind) == .usable) }
        }
    }

    // MARK: Hardware

    @Test("without StrongBox a key goes to the trusted environment, with a reason (StrongBoxUnavailableException; pain 29)")
    func strongBox() async throws {
        for (model, hardware, missing) in [
            (
                Model.androidWithoutStrongBox(), SimulatedPhone.KeyPlace.Hardware.trustedEnvironment,
                SimulatedPhone.KeyPlace.Missing.strongBox
            ),
            (.android(), .strongBox, nil), (.iPhone(), .secureEnclave, nil), (.linux, .tpm, nil),
        ] {
            let phone = SimulatedPhone(model)
            #expect(phone.keyPlace(of: Asked.name(.session)) == nil)
            _ = try await phone.platform().keys.create(Asked.name(.session))
            let place = try #require(phone.keyPlace(of: Asked.name(.session)))
            #expect(place.hardware == hardware && place.missing == missing)
        }
    }

    @Test("Android: a weak sensor unlocks no key, and none is made for it (Android biometric security, classes; pain 28)")
    func weak() async throws {
        try await Asked.run(.weakAndroid()) { asked in
            await expectFailure(.biometryTooWeak) { _ = try await asked.platform.keys.create(Asked.name(.biometric)) }
            _ = try await asked.platform.keys.create(Asked.name(.passcode))
            #expect(await asked.ask() == "biometryTooWeak")
            #expect(await asked.ask(.devicePasscode) == "matched")
        }
    }

    @Test(
        "Android 28 and 29: no prompt takes the credential for a key (BiometricPrompt.authenticate; pain 27)",
        arguments: [28, 29, 30])
    func credentialForKeys(_ api: Int) async throws {
        try await Asked.run(.android(api: api)) { asked in
            let isTaken = api >= 30
            #expect(await asked.platform.sensor.isPasscodeSet() == isTaken)
            let made = await failure { _ = try await asked.platform.keys.create(Asked.name(.passcode)) }
            #expect((made == nil) == isTaken)
            #expect(await asked.ask(.devicePasscode) == (isTaken ? "matched" : "platform"))
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("Android: the combinations that PromptInfo and authenticate take (AuthenticatorUtils)")
    func combinations() {
        for api in [27, 28, 29, 30, 35] {
            let old = api < 30
            func takes(_ biometry: Model.AndroidClass?, _ credential: Bool, key: Bool = false) -> Bool {
                Model.androidTakes(biometry: biometry, credential: credential, forKey: key, api: api)
            }
            #expect(takes(.strong, false) && takes(.weak, false) && takes(.weak, true) && takes(nil, false))
            #expect(takes(nil, true) == !old)
            #expect(takes(.strong, true) == ![28, 29].contains(api))
            #expect(takes(.strong, false, key: true) && !takes(.weak, false, key: true))
            #expect(takes(nil, true, key: true) == !old && takes(.strong, true, key: true) == !old)
        }
    }

    // MARK: PINs

    private static let (right, wrong) = (PIN("824193")!, PIN("824194")!)

    @Test("Apple: the hardware judges each guess, one operation each, and never shuts a key", arguments: [Model.iPhone()])
    func judgedPIN(_ model: Model) async throws {
        let phone = SimulatedPhone(model, hasPIN: true)
        let keys = try #require(phone.platform().pin).key
        _ = try await keys.create(Asked.name(.pin), pin: Self.right)
        for _ in 1...30 {
            await expectFailure(.notMatched) { _ = try await keys.sign([1], with: Asked.name(.pin), pin: Self.wrong) }
        }
        #expect(await keys.state(of: Asked.name(.pin)) == .usable)
        _ = try await keys.sign([1], with: Asked.name(.pin), pin: Self.right)
        #expect(phone.pinGuessCount == 31)
    }

    @Test("Android: each PIN signs, each with a key of its own, and only the server can tell")
    func derivedPIN() async throws {
        let phone = SimulatedPhone(.android(), hasPIN: true)
        let keys = try #require(phone.platform().pin).key
        let made = try VerifyingKey(await keys.create(Asked.name(.pin), pin: Self.right))
        let genuine = try await keys.sign([1], with: Asked.name(.pin), pin: Self.right)
        let stranger = try await keys.sign([1], with: Asked.name(.pin), pin: Self.wrong)
        #expect(made.isValid(genuine, for: [1]) && !made.isValid(stranger, for: [1]))
        #expect(phone.pinGuessCount == 2)
        expect(try await keys.create(Asked.name(.pin, enrolment: 2), pin: Self.right).x963 == made.x963, is: false)
        let again = try VerifyingKey(await keys.create(Asked.name(.pin), pin: Self.right))
        #expect(!again.isValid(genuine, for: [1]), "the same PIN gives another key")
        try await keys.delete(Asked.name(.pin))
        await expectFailure(.notEnrolled) { _ = try await keys.sign([1], with: Asked.name(.pin), pin: Self.right) }
    }

    @Test("a TPM counts by itself, and ten wrong PINs disable the key") func countedPIN() async throws {
        let keys = try #require(SimulatedPhone(.linux, hasPIN: true).platform().pin).key
        _ = try await keys.create(Asked.name(.pin), pin: Self.right)
        for _ in 1...10 {
            await expectFailure(.notMatched) { _ = try await keys.sign([1], with: Asked.name(.pin), pin: Self.wrong) }
        }
        #expect(await keys.state(of: Asked.name(.pin)) == .invalidated(.wrongPINs))
    }
}
