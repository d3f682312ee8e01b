import Testing
import ThumbturnCore
@testable import ThumbturnAndroid

/// The table of exceptions, row by row, and what they say about a key.
@Suite struct AndroidThrownTests {
    private static let keyStore = "android.security.KeyStoreException"
    private static let invalidated = "android.security.keystore.KeyPermanentlyInvalidatedException"

    struct Row: CustomTestStringConvertible, Sendable {
        var name: String
        var number: Int?
        var means: Failure.Code
        var next: Recovery

        init(_ name: String, _ number: Int? = nil, means: Failure.Code = .platform, next: Recovery = .retry) {
            (self.name, self.number, self.means, self.next) = (name, number, means, next)
        }
        var testDescription: String { "\(name) \(number.map(String.init) ?? "")" }
        var thrown: AndroidThrown { AndroidThrown(chain: [.init(name: name, code: number ?? -1)]) }
    }

    static let rows: [Row] = [
        Row(invalidated, means: .keyInvalidated, next: .reEnrol),
        Row("javax.crypto.AEADBadTagException", means: .keyInvalidated, next: .reEnrol), Row(keyStore, 2),
        Row(keyStore, 3, means: .notYetReadable), Row(keyStore, 4), Row(keyStore, 5, next: .report),
        Row(keyStore, 6, means: .notEnrolled, next: .reEnrol), Row(keyStore, 7, means: .keyInvalidated, next: .reEnrol),
        Row(keyStore, 8, next: .report), Row(keyStore, 9, next: .report), Row(keyStore, 10), Row(keyStore, 11),
        Row(keyStore, 12, next: .report), Row(keyStore, 13, next: .report), Row(keyStore, 14, next: .report), Row(keyStore, 15),
        Row(keyStore, 16), Row("android.security.keystore.UserNotAuthenticatedException", means: .notYetReadable),
        Row("android.security.keystore.BackendBusyException"), Row("android.security.keystore.StrongBoxUnavailableException"),
        Row("java.security.UnrecoverableKeyException"), Row("java.security.InvalidKeyException"),
        Row("java.security.SignatureException"), Row("javax.crypto.IllegalBlockSizeException"),
        Row("javax.crypto.BadPaddingException"), Row("java.security.ProviderException"),
        Row("java.security.KeyStoreException"), Row(keyStore),
        Row("java.lang.SecurityException", next: .report),
        Row("java.lang.NullPointerException", means: .biometryUnavailable, next: .fallBack(.devicePasscode)),
        Row("thumbturn.bridge.silence"),
    ]

    @Test func eachRowHasATest() {
        #expect(AndroidThrown.rows.map(\.name) == Self.rows.map(\.name))
        #expect(AndroidThrown.rows.map(\.number) == Self.rows.map(\.number))
    }

    @Test(arguments: rows)
    func everyExceptionHasItsMeaningAndIsKept(_ row: Row) {
        let failure = row.thrown.failure
        #expect(failure.code == row.means)
        #expect(failure.recovery == row.next)
        #expect(failure.status == .init(domain: row.name, code: row.number ?? 0))
    }

    @Test("what passes never means enrolling anew, whatever its class", arguments: rows)
    func transient(_ row: Row) {
        var thrown = row.thrown
        thrown.chain.append(.init(name: Self.keyStore, code: 7, isTransient: true))
        #expect(thrown.failure.code == .platform && thrown.failure.recovery == .retry)
        #expect(!thrown.saysInvalidated)
        for exists in [true, false] {
            let look = KeyVerdict.Look(exists: exists, thrown: thrown, biometry: .ready, hasLockScreen: true)
            #expect(KeyVerdict.state(look, of: .biometric) == (exists ? .usable : .missing))
        }
    }

    @Test func aNumberSaysMoreThanTheClassAroundIt() {
        let thrown = AndroidThrown(chain: [
            .init(name: "java.security.SignatureException"), .init(name: Self.keyStore, code: 3),
        ])
        #expect(thrown.failure == Failure(.notYetReadable, status: .init(domain: Self.keyStore, code: 3)))
        let unknown = AndroidThrown(chain: [.init(name: "a.B"), .init(name: Self.keyStore, code: 4711)])
        #expect(unknown.failure == Failure(.platform, recovery: .retry, status: .init(domain: Self.keyStore, code: 4711)))
    }

    @Test("where no exception has a row, the one with a number is reported")
    func aNumberWithoutARow() {
        let thrown = AndroidThrown(chain: [.init(name: "a.B"), .init(name: "c.D", code: 5)])
        #expect(thrown.failure == Failure(.platform, recovery: .report, status: .init(domain: "c.D", code: 5)))
    }

    @Test("a file of another key is lost, though its number is that of a fault that passes")
    func aForeignFileIsLost() {
        let foreign = "javax.crypto.AEADBadTagException"
        let thrown = AndroidThrown(chain: [.init(name: foreign), .init(name: Self.keyStore, code: 10)])
        #expect(thrown.failure == Failure(.keyInvalidated, recovery: .reEnrol, status: .init(domain: foreign, code: 0)))
    }

    @Test(arguments: ["java.lang.OutOfMemoryError", "java.lang.IllegalStateException", "", "thumbturn.bridge.cut"])
    func anExceptionWithoutARowIsReported(_ name: String) {
        let failure = AndroidThrown(chain: [.init(name: name)]).failure
        #expect(failure == Failure(.platform, recovery: .report, status: .init(domain: name, code: 0)))
        #expect(AndroidThrown(chain: []).failure == Failure(.platform, recovery: .report, status: .init(domain: "none", code: 0)))
        #expect(AndroidThrown.malformed(.cut).failure.recovery == .report)
        #expect(AndroidThrown.silence.failure.recovery == .retry)
    }

    @Test func onlyTheFrameworksOwnPairSaysThatNothingIsSetUp() {
        let (parameter, state) = ("java.security.InvalidAlgorithmParameterException", "java.lang.IllegalStateException")
        func says(_ names: String...) -> Bool { AndroidThrown(chain: names.map { .init(name: $0) }).saysNothingIsSetUp }
        #expect(says(parameter, state))
        #expect(!says(parameter) && !says(state) && !says())
    }

    @Test func attestationKeysRunOut() {
        for code in -1...20 {
            let thrown = AndroidThrown(chain: [
                .init(name: "java.security.ProviderException"), .init(name: Self.keyStore, code: code),
            ])
            #expect(thrown.saysNoAttestation == [8, 16].contains(code))
            let passing = AndroidThrown(chain: [.init(name: Self.keyStore, code: code, isTransient: true)])
            #expect(!passing.saysNoAttestation)
        }
    }

    // MARK: The state of a key

    static let states: [BiometryState] = [
        .ready, .notEnrolled, .lockedOut(.temporary), .paused(for: .seconds(1)), .permissionDenied, .weak, .unconfirmed,
        .passcodeNotSet, .lidClosed, .switchedOff, .forbidden, .absent, .unavailable,
    ]

    @Test("a key is dead only where its alias is there and its sensor answers for itself", arguments: states, NewKeyKind.allCases)
    func dead(_ biometry: BiometryState, _ kind: NewKeyKind) {
        func state(_ exists: Bool, lockScreen: Bool = true) -> KeyState {
            KeyVerdict.state(
                .init(exists: exists, thrown: .invalidatedKey, biometry: biometry, hasLockScreen: lockScreen), of: kind)
        }
        #expect(state(false) == .missing, "the same exception is thrown for a key that is not there")
        let answers = [BiometryState.ready, .notEnrolled, .passcodeNotSet].contains(biometry)
        switch kind {
        case .biometric, .vaultBiometric:
            #expect(state(true) == (answers ? .invalidated(.enrolmentChanged) : .usable))
            #expect(state(true, lockScreen: false) == .invalidated(.passcodeRemoved))
        case .vaultAnyBiometric:
            #expect(state(true) == (answers ? .invalidated(.passcodeRemoved) : .usable), "no enrolment ends it")
            #expect(state(true, lockScreen: false) == .invalidated(.passcodeRemoved))
        case .passcode, .vaultPasscode:
            #expect(state(true) == .invalidated(.passcodeRemoved))
        case .session, .pin, .secrets:
            #expect(state(true) == .invalidated(.unknown))
            #expect(state(true, lockScreen: false) == .invalidated(.unknown))
        }
    }

    @Test(arguments: rows)
    func otherExceptionsSayLittleAboutAKey(_ row: Row) {
        let look = KeyVerdict.Look(exists: true, thrown: row.thrown, biometry: .ready, hasLockScreen: true)
        let state = KeyVerdict.state(look, of: .biometric)
        switch (row.name, row.number) {
        case (Self.invalidated, _): #expect(state == .invalidated(.enrolmentChanged))
        case (_, 3), ("android.security.keystore.UserNotAuthenticatedException", _): #expect(state == .notYetReadable)
        case (_, 6): #expect(state == .usable, "its alias is there, and one answer ends no key")
        case (_, 7), ("javax.crypto.AEADBadTagException", _): #expect(state == .invalidated(.unknown))
        default: #expect(state == .usable, "its use will tell")
        }
    }
}
