#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// A model of a phone: a person with a face, a sensor that locks after five mismatches, a passcode, and keys that die when
/// another face is enrolled. Where the app has a PIN, the hardware counts wrong ones. It follows the rules of the operating system, so an app's tests meet what its users will meet.
///
///     let phone = SimulatedPhone()
///     let auth = try Authenticator(server: url, platform: phone.platform())
///     phone.next(.noMatch, .match)
///     phone.enrolNewFace()
///
/// The keys are in memory and nothing protects them: this is for tests.
public final class SimulatedPhone: Sendable {
    /// What happens at the next prompt.
    public enum Act: Sendable, Hashable {
        /// The enrolled person looks at the sensor, or types the right passcode.
        case match
        /// A stranger: one mismatch.
        case noMatch
        /// The sensor sees too little for a verdict, and goes on asking: the same prompt takes the next act.
        case readPoorly(PoorReading)
        /// The person presses the prompt's cancel button.
        case cancel
        /// The system takes the prompt away: a call, another app in front.
        case systemCancel
        /// Another prompt takes this one's place.
        case supersede
        /// Nobody does anything; the prompt stays until it is dismissed.
        case ignore
    }

    /// The phone's clock.
    public let clock: any DeviceClock
    let state: Mutex<State>

    struct State {
        var hasSensor: Bool
        var hasPasscode: Bool
        /// Rises whenever the set of enrolled faces changes, and never repeats.
        var enrolment = 1
        var hasFace: Bool
        var mismatchesInARow = 0
        var permissionDenied = false
        var acts: [(act: Act, after: Duration)] = []
        var keys: [KeyName: StoredKey] = [:]
        var secrets: [String: [UInt8]] = [:]
        var prompts = 0
        var pins = PINs()
        var vaults: [KeyName: ProtectedSecret] = [:]
    }

    struct StoredKey {
        var key: P256.Signing.PrivateKey
        /// The enrolment under which a biometric key was made; it dies with it.
        var enrolment: Int?
    }

    private let hasPIN: Bool

    /// A phone with a passcode and one enrolled face.
    ///
    /// - Parameters:
    ///   - clock: virtual in tests, so that no prompt takes real time.
    ///   - hasPIN: whether the app on it has a PIN of its own; see `pins`.
    public init(
        clock: any DeviceClock = SystemClock(), hasSensor: Bool = true, hasPasscode: Bool = true, hasPIN: Bool = false
    ) {
        self.clock = clock
        self.hasPIN = hasPIN
        state = Mutex(State(hasSensor: hasSensor, hasPasscode: hasPasscode, hasFace: hasSensor))
    }

    /// This phone as the device library sees it.
    public func platform(transport: any Transport = URLSessionTransport()) -> Platform {
        Platform(
            sensor: PhoneSensor(phone: self), keys: PhoneKeys(phone: self), secrets: PhoneSecrets(phone: self), clock: clock,
            transport: transport, pin: hasPIN ? pinSupport : nil, vaults: vaultStore,
            // The sheets of this phone are gone at once.
            promptGap: .zero
        )
    }

    /// What the person does at the next prompts, in order, each after a time. Without instructions the person matches at once.
    public func next(_ acts: Act..., after: Duration = .zero) {
        state.withLock { $0.acts += acts.map { ($0, after) } }
    }

    /// Takes back every instruction that no prompt has taken yet.
    public func forgetActs() {
        state.withLock { $0.acts = [] }
    }

    /// Another face is enrolled: every biometric key dies.
    public func enrolNewFace() {
        state.withLock { state in
            state.enrolment += 1
            state.hasFace = true
        }
    }

    /// All faces are removed: every biometric key dies.
    public func removeFaces() {
        state.withLock { state in
            state.enrolment += 1
            state.hasFace = false
        }
    }

    /// The person allows the app to use the sensor, or no longer does.
    public func setPermission(_ isGranted: Bool) {
        state.withLock { $0.permissionDenied = !isGranted }
    }

    /// The phone is unlocked with its passcode somewhere else, which ends a lockout.
    public func unlockWithPasscode() {
        state.withLock { $0.mismatchesInARow = 0 }
    }

    /// How many prompts the person has seen.
    public var promptCount: Int { state.withLock { $0.prompts } }

    /// How many keys the phone holds.
    public var keyCount: Int { state.withLock { $0.keys.count + $0.pins.keys.count } }

    /// Five mismatches in a row lock the sensor until the passcode is entered.
    private static let lockoutLimit = 5
}

// MARK: - Sensor

private struct PhoneSensor: Sensor {
    let phone: SimulatedPhone

    func biometry() -> BiometryState { phone.biometry }
    func isPasscodeSet() -> Bool { phone.isPasscodeSet }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PoorReading) -> Void) async -> PromptAnswer {
        await phone.prompt(request, hearing)
    }
}

extension SimulatedPhone {
    fileprivate var isPasscodeSet: Bool { state.withLock { $0.hasPasscode } }
    fileprivate var biometry: BiometryState { state.withLock { Self.biometry($0) } }

    private static func biometry(_ state: borrowing State) -> BiometryState {
        if !state.hasSensor { return .unavailable }
        if state.permissionDenied { return .permissionDenied }
        if !state.hasFace { return .notEnrolled }
        if state.mismatchesInARow >= lockoutLimit { return .lockedOut(.untilPasscode) }
        return .ready
    }

    fileprivate func prompt(_ request: PromptRequest, _ hearing: (PoorReading) -> Void) async -> PromptAnswer {
        let obstacle: Failure? = state.withLock { state in
            if request.rung == .biometric, let obstacle = Self.biometry(state).obstacle { return obstacle }
            if request.rung == .devicePasscode, !state.hasPasscode {
                return Failure(.passcodeNotSet, recovery: .setPasscode)
            }
            state.prompts += 1
            return nil
        }
        if let obstacle { return .failed(obstacle) }
        while true {
            let (act, delay) = state.withLock { $0.acts.isEmpty ? (.match, .zero) : $0.acts.removeFirst() }
            let wait = act == .ignore ? Self.forever : delay
            do {
                try await clock.sleep(until: clock.now.advanced(by: wait))
            } catch {
                return .failed(Failure(.cancelledByApp, recovery: .retry))
            }
            guard case .readPoorly(let reading) = act else { return state.withLock { Self.answer(act, request, &$0) } }
            hearing(reading)
        }
    }

    /// Longer than any test: some thirty years.
    static let forever = Duration.seconds(1_000_000_000)

    private static func answer(_ act: Act, _ request: PromptRequest, _ state: inout State) -> PromptAnswer {
        switch act {
        case .readPoorly: preconditionFailure("a poor reading answers nothing; the prompt goes on")
        case .match:
            state.mismatchesInARow = 0
            return .matched(Presence(context: Verified(rung: request.rung, key: request.key, message: request.message)))
        case .noMatch:
            guard request.rung == .biometric else { return .notMatched }
            state.mismatchesInARow += 1
            return biometry(state).obstacle.map { .failed($0) } ?? .notMatched
        case .cancel: return .failed(Failure(.cancelledByUser, recovery: .retry))
        case .systemCancel: return .failed(Failure(.cancelledBySystem, recovery: .retry))
        case .supersede: return .failed(Failure(.superseded, recovery: .retry))
        case .ignore: return .failed(Failure(.cancelledByApp, recovery: .retry))
        }
    }

    /// One match allows one use of one key for one message, as Android's bound prompts do; the strictest of the platforms.
    struct Verified: Sendable {
        var rung: Rung
        var key: KeyName
        var message: [UInt8]
    }
}

// MARK: - Keys

private struct PhoneKeys: DeviceKeys {
    let phone: SimulatedPhone

    func create(_ name: KeyName) throws(Failure) -> JWK { try phone.createKey(name) }
    func state(of name: KeyName) -> KeyState { phone.keyState(name) }
    func publicKey(of name: KeyName) throws(Failure) -> JWK { try phone.publicKey(name) }
    func delete(_ name: KeyName) { phone.deleteKey(name) }

    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) throws(Failure) -> [UInt8] {
        try phone.sign(message, with: name, presence)
    }
}

extension SimulatedPhone {
    fileprivate func createKey(_ name: KeyName) throws(Failure) -> JWK {
        // As on real phones: a key that a face unlocks needs a face.
        guard name.kind != .biometric || state.withLock({ $0.hasFace }) else {
            throw Failure(.biometryNotEnrolled, recovery: .openSettings)
        }
        let key = P256.Signing.PrivateKey()
        state.withLock { state in
            state.keys[name] = StoredKey(key: key, enrolment: name.kind == .biometric ? state.enrolment : nil)
        }
        return try Self.jwk(key)
    }

    fileprivate func keyState(_ name: KeyName) -> KeyState {
        state.withLock { state in
            guard let stored = state.keys[name] else { return .missing }
            if name.kind == .biometric, stored.enrolment != state.enrolment { return .invalidated(.enrolmentChanged) }
            if name.kind == .passcode, !state.hasPasscode { return .invalidated(.passcodeRemoved) }
            return .usable
        }
    }

    fileprivate func publicKey(_ name: KeyName) throws(Failure) -> JWK {
        guard let stored = state.withLock({ $0.keys[name] }) else { throw Failure(.notEnrolled, recovery: .signInAgain) }
        return try Self.jwk(stored.key)
    }

    fileprivate func sign(_ message: [UInt8], with name: KeyName, _ presence: Presence?) throws(Failure) -> [UInt8] {
        switch keyState(name) {
        case .usable: break
        case .invalidated: throw Failure(.keyInvalidated, recovery: .reEnrol)
        case .missing, .notYetReadable, .paused: throw Failure(.notEnrolled, recovery: .signInAgain)
        }
        if name.kind.userVerification > .none {
            guard let verified = presence?.context as? Verified, verified.rung.key == name.kind, verified.key == name,
                verified.message == message
            else { throw Failure(.notMatched, recovery: .retry) }
        }
        guard let stored = state.withLock({ $0.keys[name] }), let signature = try? stored.key.signature(for: message) else {
            throw Failure(.notEnrolled, recovery: .signInAgain)
        }
        return Array(signature.rawRepresentation)
    }

    fileprivate func deleteKey(_ name: KeyName) {
        state.withLock { $0.keys[name] = nil }
    }

    static func jwk(_ key: P256.Signing.PrivateKey) throws(Failure) -> JWK {
        guard let jwk = JWK(x963: Array(key.publicKey.x963Representation)) else { throw Failure(.platform, recovery: .report) }
        return jwk
    }
}

// MARK: - Secrets

private struct PhoneSecrets: SecretStore {
    let phone: SimulatedPhone

    func read(_ name: String) -> [UInt8]? { phone.secret(name) }
    func write(_ secret: [UInt8], as name: String) { phone.setSecret(secret, name) }
    func delete(_ name: String) { phone.setSecret(nil, name) }
}

extension SimulatedPhone {
    fileprivate func secret(_ name: String) -> [UInt8]? { state.withLock { $0.secrets[name] } }
    fileprivate func setSecret(_ secret: [UInt8]?, _ name: String) { state.withLock { $0.secrets[name] = secret } }
}
