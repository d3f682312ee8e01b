#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Synchronization
import ThumbturnCore
public import ThumbturnDevice

extension SimulatedPhone {
    /// What the person does at the app's PIN screen. A literal is what they type.
    public enum PINAct: Sendable, Hashable, ExpressibleByStringLiteral {
        /// 6 to 32 digits.
        case enter(String)
        /// The person presses the screen's cancel button.
        case cancel
        /// Nobody does anything; the screen stays until it is dismissed.
        case ignore

        public init(stringLiteral digits: String) { self = .enter(digits) }
    }

    /// The PIN of the person: what is typed and chosen where a script says nothing else.
    public static let pin = "824193"

    /// What the person does at the next PIN screens, in order, whether a PIN is entered there or chosen.
    public func pins(_ acts: PINAct...) {
        state.withLock { $0.pins.acts += acts }
    }

    /// What the PIN screen was told, each time that it asked for the PIN. It is empty on a phone without one.
    public var pinRequests: [PINRequest] { state.withLock { $0.pins.requests } }

    struct PINs {
        var acts: [PINAct] = []
        var requests: [PINRequest] = []
        var keys: [KeyName: PINKey] = [:]

        struct PINKey {
            var key: P256.Signing.PrivateKey
            var digits: [UInt8]
            var wrongInARow = 0
        }
    }

    /// The hardware's own limit, as a TPM counts it: then the key takes no PIN any more, not even the right one.
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
        case .cancel: return .failed(Failure(.cancelledByUser, recovery: .retry))
        case .ignore:
            try? await clock.sleep(until: clock.now.advanced(by: Self.forever))
            return .failed(Failure(.cancelledByApp, recovery: .retry))
        }
    }
}

// MARK: - The keys

private struct PhonePINKeys: PINKey {
    let phone: SimulatedPhone

    func create(_ name: KeyName, pin: PIN) throws(Failure) -> JWK { try phone.createPINKey(name, pin) }
    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) throws(Failure) -> [UInt8] {
        try phone.sign(message, with: name, pin)
    }
    func state(of name: KeyName) -> KeyState { phone.pinKeyState(name) }
    func delete(_ name: KeyName) { phone.state.withLock { $0.pins.keys[name] = nil } }
}

extension SimulatedPhone {
    fileprivate func createPINKey(_ name: KeyName, _ pin: PIN) throws(Failure) -> JWK {
        let key = P256.Signing.PrivateKey()
        state.withLock { $0.pins.keys[name] = PINs.PINKey(key: key, digits: pin.digits) }
        return try Self.jwk(key)
    }

    fileprivate func pinKeyState(_ name: KeyName) -> KeyState {
        state.withLock { state in
            guard let stored = state.pins.keys[name] else { return .missing }
            return stored.wrongInARow < Self.pinLimit ? .usable : .invalidated(.wrongPINs)
        }
    }

    fileprivate func sign(_ message: [UInt8], with name: KeyName, _ pin: PIN) throws(Failure) -> [UInt8] {
        switch pinKeyState(name) {
        case .usable: break
        case .invalidated: throw Failure(.keyInvalidated, recovery: .reEnrol)
        case .missing, .notYetReadable, .paused: throw Failure(.notEnrolled, recovery: .signInAgain)
        }
        let key = state.withLock { state in
            guard var stored = state.pins.keys[name] else { return nil as P256.Signing.PrivateKey? }
            let isRight = stored.digits == pin.digits
            stored.wrongInARow = isRight ? 0 : stored.wrongInARow + 1
            state.pins.keys[name] = stored
            return isRight ? stored.key : nil
        }
        guard let key else { throw Failure(.notMatched, recovery: .retry) }
        guard let signature = try? key.signature(for: message) else { throw Failure(.platform, recovery: .report) }
        return Array(signature.rawRepresentation)
    }
}
