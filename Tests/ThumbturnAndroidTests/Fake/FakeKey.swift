import Crypto
import Foundation
import Synchronization
import ThumbturnCore
@testable import ThumbturnAndroid
@testable import ThumbturnTestKit

/// A key of the fake Keystore.
struct FakeKey: Sendable {
    var kind: NewKeyKind
    var secret: Secret
    /// The challenge of its attestation.
    var challenge: [UInt8]?
    /// The enrolled set and the lock screen that it is bound to; nil for what does not matter.
    var enrolment: Int?
    var passcode: Int?
    var level: Int64

    enum Secret: Sendable {
        case ec(P256.Signing.PrivateKey)
        /// In place of RSA: the public half is a name, under whose hash a box is sealed. Java's tests wrap with RSA.
        case pair(id: [UInt8])
        case symmetric(SymmetricKey)
    }

    var spki: [UInt8]? {
        switch secret {
        case .ec(let key): Array(key.publicKey.derRepresentation)
        case .pair(let id): id
        case .symmetric: nil
        }
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
        guard case .ec(let key) = secret else { throw Self.wrongKind }
        return Array(try key.signature(for: message).derRepresentation)
    }

    func mac(_ message: [UInt8]) throws -> [UInt8] {
        guard case .symmetric(let key) = secret else { throw Self.wrongKind }
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    func encrypt(_ plain: [UInt8]) throws -> (nonce: [UInt8], ciphertext: [UInt8]) {
        guard case .symmetric(let key) = secret else { throw Self.wrongKind }
        let box = try AES.GCM.seal(plain, using: key)
        return (Array(box.nonce), Array(box.ciphertext) + Array(box.tag))
    }

    func decrypt(_ nonce: [UInt8], _ box: [UInt8]) throws -> [UInt8] {
        guard case .symmetric(let key) = secret else { throw Self.wrongKind }
        guard let sealed = try? AES.GCM.SealedBox(combined: nonce + box), let plain = try? AES.GCM.open(sealed, using: key) else {
            // KEYMINT_FAILURE, as Android has it from API 33 on.
            throw AndroidThrown(chain: [
                .init(name: "javax.crypto.AEADBadTagException"), .init(name: AndroidThrown.keyStore, code: 10),
            ])
        }
        return Array(plain)
    }

    static func wrap(_ spki: [UInt8], to plain: [UInt8]) throws -> [UInt8] {
        guard plain.count <= 190 else { throw AndroidThrown(chain: [.init(name: "javax.crypto.IllegalBlockSizeException")]) }
        guard let box = try AES.GCM.seal(plain, using: pairKey(spki)).combined else { throw wrongKind }
        return Array(box)
    }

    func unwrap(_ box: [UInt8]) throws -> [UInt8] {
        guard case .pair(let id) = secret else { throw Self.wrongKind }
        guard let sealed = try? AES.GCM.SealedBox(combined: box), let plain = try? AES.GCM.open(sealed, using: Self.pairKey(id))
        else {
            throw AndroidThrown(chain: [.init(name: "javax.crypto.BadPaddingException")])
        }
        return Array(plain)
    }

    private static func pairKey(_ id: [UInt8]) -> SymmetricKey { SymmetricKey(data: SHA256.hash(data: id)) }

    private static let wrongKind = AndroidThrown(chain: [.init(name: "java.security.InvalidKeyException")])
}

/// An object that a prompt has authorised.
struct FakeHandle: Sendable {
    var alias: String
    var use: Int64
}

extension AndroidThrown {
    static let invalidatedKey = AndroidThrown(chain: [.init(name: invalidated)])
}

extension FakeAndroid {
    func create(
        _ alias: String, _ number: Int64, _ challenge: [UInt8]?
    ) throws -> (spki: [UInt8]?, level: Int64, refusal: String?) {
        guard let kind = NewKeyKind(rawValue: number) else {
            preconditionFailure("a kind of key that the contract does not have")
        }
        precondition(
            alias.utf8.count <= 100 && alias.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 47 }, "an alias of the contract")
        precondition(challenge.map { $0.count == 32 } ?? true, "a challenge of 32 bytes")
        let facts = phone.facts()
        let nothing = AndroidThrown(chain: [
            .init(name: "java.security.InvalidAlgorithmParameterException"), .init(name: "java.lang.IllegalStateException"),
        ])
        // The Keystore refuses a key that nothing on the phone could unlock.
        if kind.kind == .biometric, facts.enrolment == nil || facts.biometry == .weak || facts.passcode == nil { throw nothing }
        if kind.kind == .passcode {
            precondition(level >= 30, "before API 30 a key for one use takes a biometric only")
            if facts.passcode == nil { throw nothing }
        }
        let (strongBox, isKept) = (state.withLock { $0.strongBox }, kind != .vaultAnyBiometric)
        let key = FakeKey(
            kind: kind, secret: Self.secret(of: kind), challenge: challenge,
            enrolment: kind.kind == .biometric && isKept ? facts.enrolment : nil,
            passcode: kind.kind == .biometric || kind.kind == .passcode ? facts.passcode : nil,
            level: strongBox == .present ? 2 : 1)
        state.withLock { $0.keys[alias] = key }
        let refusal: String? =
            switch strongBox {
            case .present: nil
            case .absent: "android.security.keystore.StrongBoxUnavailableException"
            case .failing: "java.security.ProviderException"
            }
        return (key.spki, level >= 31 ? key.level : min(key.level, 1), refusal)
    }

    private static func secret(of kind: NewKeyKind) -> FakeKey.Secret {
        switch kind {
        case .biometric, .passcode, .session: .ec(P256.Signing.PrivateKey())
        case .pin, .secrets: .symmetric(SymmetricKey(size: .bits256))
        case .vaultBiometric, .vaultPasscode, .vaultAnyBiometric: .pair(id: Array(UUID().uuidString.utf8))
        }
    }

    /// The key, as far as an operation with it can begin. As the Keystore does, it says of a key that is not there that it is
    /// invalidated.
    func usable(_ alias: String) throws -> FakeKey {
        let facts = phone.facts()
        let (key, isFalseAlarm) = state.withLock { state in
            let isFalse = state.falseAlarms > 0
            if isFalse { state.falseAlarms -= 1 }
            return (state.keys[alias], isFalse)
        }
        guard let key, !isFalseAlarm else { throw AndroidThrown.invalidatedKey }
        if !facts.isReadable {
            throw AndroidThrown(chain: [.init(name: "android.security.keystore.UserNotAuthenticatedException")])
        }
        if let enrolment = key.enrolment, enrolment != facts.enrolment { throw AndroidThrown.invalidatedKey }
        if let passcode = key.passcode, passcode != facts.passcode { throw AndroidThrown.invalidatedKey }
        return key
    }

    /// One use of what a prompt has authorised.
    func use(handle number: Int64, _ bytes: [UInt8]) throws -> [UInt8] {
        guard let handle = state.withLock({ $0.handles.removeValue(forKey: number) }) else {
            throw AndroidThrown(chain: [.init(name: "java.lang.IllegalStateException")])
        }
        let key = try usable(handle.alias)
        return handle.use == 1 ? try key.sign(bytes) : try key.unwrap(bytes)
    }

    /// The certificates of a key: attested ones under a test root, or the key's own alone.
    func chain(of alias: String) -> [[UInt8]] {
        guard let key = state.withLock({ $0.keys[alias] }), case .ec(let secret) = key.secret else { return [] }
        guard let challenge = key.challenge else { return [[0x30, 0x00]] }
        var description = MintedKeyDescription(challenge: challenge, app: Self.app)
        if key.kind == .passcode { description.hardwareEnforced[504] = .integer(1) }
        description.setLevel(Int(key.level))
        var mint = AndroidMint(
            root: Self.root, claim: key.level == 2 ? "StrongBox" : "TEE", key: .p256(secret), description: description)
        (mint.intermediateKey, mint.serverKey) = (.p256(), .p256())
        return mint.chain()
    }

    static let root = TestAuthority.root(key: .p256())
    static let app = MintedApplication(package: "com.example.bank", signingDigest: [UInt8](repeating: 1, count: 32))
}
