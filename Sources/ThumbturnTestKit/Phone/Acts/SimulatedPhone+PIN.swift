#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Synchronization
import ThumbturnCore
import ThumbturnMessages
public import ThumbturnDevice

extension SimulatedPhone {
    /// What the person does at the app's PIN screen. A string literal is an entered PIN.
    public enum PINAct: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The person enters 6 to 32 digits.
        case enter(String)
        /// The person presses the screen's cancel button.
        case cancel
        /// The person does nothing; the screen stays until it is dismissed.
        case ignore

        public init(stringLiteral digits: String) { self = .enter(digits) }
    }

    /// The PIN that the person enters and chooses without other instructions.
    public static let pin = "824193"

    /// Instructs the person at the next PIN screens, in order, whether a PIN is entered there or chosen.
    public func pins(_ acts: PINAct...) {
        state.withLock { $0.pins.acts += acts }
    }

    /// Removes every instruction that no PIN screen has taken yet.
    public func forgetPINs() {
        state.withLock { $0.pins.acts = [] }
    }

    /// The requests that the PIN screen received, in order. Empty on a phone without a PIN screen.
    public var pinRequests: [PINRequest] { state.withLock { $0.pins.requests } }

    struct PINs {
        var acts: [PINAct] = []
        var requests: [PINRequest] = []
        var keys: [KeyName: PINKey] = [:]

        /// The number of operations that the hardware made for guesses.
        var guesses = 0

        struct PINKey {
            var strength: Strength
            var life = KeyLife()
        }

        enum Strength {
            case counted(P256.Signing.PrivateKey, digits: [UInt8], wrongInARow: Int)
            case judged(P256.Signing.PrivateKey, digits: [UInt8])
            /// A key in hardware that makes an HMAC of a PIN. Nothing is stored that a PIN could be tried against.
            case derived(SymmetricKey)
        }
    }

    /// The number of guesses that the hardware made, one operation each. Who counts them depends on the model; see
    /// `Model.PINManner`.
    public var pinGuessCount: Int { state.withLock { $0.pins.guesses } }

    /// The hardware's own limit, as a TPM has it, after which the key accepts no PIN any more, not even the right one.
    private static let pinLimit = 10

    var pinSupport: PINSupport { PINSupport(entry: PhonePINEntry(phone: self), key: PhonePINKeys(phone: self)) }
}

// MARK: - The screen

private struct PhonePINEntry: PINEntry {
    let phone: SimulatedPhone

    func enter(_ request: PINRequest) async -> PINAnswer {
        phone.state.withLock { $0.pins.requests.append(request) }
        return await phone.typePIN()
    }

    func choose() async -> PINAnswer { await phone.typePIN() }
}

extension SimulatedPhone {
    fileprivate func typePIN() async -> PINAnswer {
        switch state.withLock({ $0.pins.acts.isEmpty ? .enter(Self.pin) : $0.pins.acts.removeFirst() }) {
        case .enter(let digits):
            guard let pin = PIN(digits) else { preconditionFailure("a script types 6 to 32 digits") }
            return .entered(pin)
        case .cancel: return .failed(Failure(.cancelledByUser))
        case .ignore:
            try? await clock.sleep(until: clock.now.advanced(by: Self.forever))
            return .failed(Failure(.cancelledByApp))
        }
    }
}

// MARK: - The keys

private struct PhonePINKeys: PINKey {
    let phone: SimulatedPhone

    var judge: PINJudge { phone.state.withLock { $0.model.pin == .derived } ? .server : .key }
    func create(_ name: KeyName, pin: PIN) throws(Failure) -> PublicKey { try phone.createPINKey(name, pin) }
    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) throws(Failure) -> [UInt8] {
        try phone.sign(message, with: name, pin)
    }
    func state(of name: KeyName) -> KeyState { phone.pinKeyState(name) }
    func delete(_ name: KeyName) { phone.state.withLock { $0.pins.keys[name] = nil } }
    func deleteAll(server: String, account: String) {
        phone.state.withLock { $0.pins.keys = $0.pins.keys.filter { ($0.key.server, $0.key.account) != (server, account) } }
    }
}

extension SimulatedPhone {
    fileprivate func createPINKey(_ name: KeyName, _ pin: PIN) throws(Failure) -> PublicKey {
        let made: Result<P256.Signing.PrivateKey, Failure> = state.withLock { state in
            guard state.isReadable else { return .failure(Self.keychainIsLocked(state.model)) }
            let secret = SymmetricKey(size: .bits256)
            let key =
                switch state.model.pin {
                case .counted, .judged: P256.Signing.PrivateKey()
                case .derived: PINs.derived(from: secret, pin)
                }
            let strength: PINs.Strength =
                switch state.model.pin {
                case .counted: .counted(key, digits: pin.digits, wrongInARow: 0)
                case .judged: .judged(key, digits: pin.digits)
                case .derived: .derived(secret)
                }
            state.pins.keys[name] = PINs.PINKey(strength: strength, life: state.life(of: .pin))
            return .success(key)
        }
        return try Self.publicKey(made.get())
    }

    fileprivate func pinKeyState(_ name: KeyName) -> KeyState {
        state.withLock { state in
            guard state.isReadable else { return .notYetReadable }
            let stored = state.pins.keys[name]
            if case .counted(_, _, Self.pinLimit...) = stored?.strength { return .invalidated(.wrongPINs) }
            return state.seen(stored?.life)
        }
    }

    fileprivate func sign(_ message: [UInt8], with name: KeyName, _ pin: PIN) throws(Failure) -> [UInt8] {
        switch pinKeyState(name) {
        case .usable: break
        case .invalidated: throw Failure(.keyInvalidated)
        case .notYetReadable: throw Failure(.notYetReadable)
        case .missing, .paused: throw Failure(.notEnrolled)
        }
        guard let key = state.withLock({ $0.pins.guess(name, pin) }) else { throw Failure(.notMatched) }
        guard let signature = try? key.signature(for: message) else { throw Failure(.platform) }
        return Array(signature.rawRepresentation)
    }
}

extension SimulatedPhone.PINs {
    /// One operation of the hardware: the key that this PIN opens or derives; nil where the hardware judges it wrong.
    fileprivate mutating func guess(_ name: KeyName, _ pin: PIN) -> P256.Signing.PrivateKey? {
        guesses += 1
        switch keys[name]?.strength {
        case .counted(let key, let digits, let wrong):
            let isRight = digits == pin.digits
            keys[name]?.strength = .counted(key, digits: digits, wrongInARow: isRight ? 0 : wrong + 1)
            return isRight ? key : nil
        case .judged(let key, let digits): return digits == pin.digits ? key : nil
        case .derived(let secret): return Self.derived(from: secret, pin)
        case nil: return nil
        }
    }

    /// HKDF (RFC 5869) over the hardware's HMAC of the PIN, again until the number is a private key of P-256.
    fileprivate static func derived(from secret: SymmetricKey, _ pin: PIN) -> P256.Signing.PrivateKey {
        let code = Array(HMAC<SHA256>.authenticationCode(for: pin.digits, using: secret))
        var round = 0
        while true {
            let scalar = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: code), info: Array("round \(round)".utf8), outputByteCount: 32
            )
            let bytes = unsafe scalar.withUnsafeBytes { unsafe Array($0) }
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) { return key }
            round += 1
        }
    }
}
