#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import Testing
import ThumbturnCore
@testable import ThumbturnApple

/// The table of the statuses of Apple's systems, row by row.
@Suite struct AppleStatusTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var domain: String
        var code: Int
        var means: Failure.Code
        var next: Recovery

        init(_ domain: String, _ code: Int, _ means: Failure.Code, _ next: Recovery) {
            (self.domain, self.code, self.means, self.next) = (domain, code, means, next)
        }

        var testDescription: String { "\(domain) \(code)" }
    }

    static let authentication = [
        row(-1, .notMatched, .retry), row(-2, .cancelledByUser, .retry), row(-3, .cancelledByUser, .fallBack(.devicePasscode)),
        row(-4, .cancelledBySystem, .retry), row(-5, .passcodeNotSet, .setPasscode),
        row(-6, .biometryUnavailable, .fallBack(.devicePasscode)), row(-7, .biometryNotEnrolled, .openSettings),
        row(-8, .lockedOut, .fallBack(.devicePasscode)), row(-9, .cancelledByApp, .retry), row(-10, .cancelledByApp, .retry),
        row(-11, .biometryUnavailable, .fallBack(.devicePasscode)), row(-12, .biometryUnavailable, .openSettings),
        row(-13, .biometryUnavailable, .fallBack(.devicePasscode)), row(-14, .platform, .report),
        row(-1004, .cancelledBySystem, .retry), row(-1009, .keyInvalidated, .reEnrol), row(-4711, .platform, .report),
        row(0, .platform, .report),
    ]

    static let keychain =
        [
            (-34, .platform, .retry), (-36, .platform, .retry), (-50, .platform, .report), (-108, .platform, .retry),
            (-128, .cancelledByUser, .retry), (-25291, .platform, .retry), (-25293, .platform, .retry),
            (-25299, .platform, .retry), (-25300, .notEnrolled, .reEnrol), (-25308, .notYetReadable, .retry),
            (-25315, .notYetReadable, .retry), (-25320, .notYetReadable, .retry), (-26275, .keyInvalidated, .reEnrol),
            (-34018, .platform, .report), (-4, .platform, .report), (-909, .platform, .report), (-2070, .platform, .report),
            (-25292, .platform, .report), (-25294, .platform, .report), (-25302, .platform, .report),
            (-25303, .platform, .report), (-34020, .platform, .report), (-67588, .platform, .report),
            (-67808, .platform, .report), (-1, .platform, .report),
        ].map { (code: Int, means: Failure.Code, next: Recovery) in Row("NSOSStatusErrorDomain", code, means, next) }

    static let token =
        [
            (-1, .platform, .report), (-2, .platform, .retry), (-3, .keyInvalidated, .reEnrol), (-4, .cancelledByUser, .retry),
            (-5, .platform, .retry), (-6, .notEnrolled, .reEnrol), (-7, .notEnrolled, .reEnrol), (-8, .platform, .report),
            (-9, .platform, .retry), (-10, .platform, .report),
        ].map { (code: Int, means: Failure.Code, next: Recovery) in Row("CryptoTokenKit", code, means, next) }

    private static func row(_ code: Int, _ means: Failure.Code, _ next: Recovery) -> Row {
        Row("com.apple.LocalAuthentication", code, means, next)
    }

    @Test(arguments: authentication + keychain + token + [Row("NSCocoaErrorDomain", -2, .platform, .report)])
    func everyStatusHasItsMeaningAndIsKept(row: Row) {
        let failure = AppleStatus(domain: row.domain, code: row.code).failure
        #expect(failure.code == row.means)
        #expect(failure.recovery == row.next)
        #expect(failure.status == .init(domain: row.domain, code: row.code))
    }

    @Test func theDomainsAreThoseOfTheFrameworks() {
        #expect(AppleStatus.localAuthentication == LAErrorDomain)
        #expect(AppleStatus(errSecUserCanceled) == AppleStatus(domain: "NSOSStatusErrorDomain", code: -128))
        #expect(AppleStatus(nil).failure == Failure(.platform, status: .init(domain: "none", code: 0)))
        #expect(AppleStatus(NSError(domain: LAErrorDomain, code: -4)).failure.code == .cancelledBySystem)
    }

    @Test func onlyItemsThatNeedAPasscodeReportItMissing() {
        let failure = AppleStatus(-25291).failureOfMaking(needsPasscode: true)
        #expect(failure.code == .passcodeNotSet && failure.recovery == .setPasscode)
        #expect(failure.status == .init(domain: NSOSStatusErrorDomain, code: -25291))
        #expect(AppleStatus(-25291).failureOfMaking(needsPasscode: false).code == .platform)
        for other in [AppleStatus(-25293), AppleStatus(-25308), AppleStatus(domain: AppleStatus.cryptoTokenKit, code: -25291)] {
            #expect(other.failureOfMaking(needsPasscode: true) == other.failure)
        }
    }

    // MARK: A refusal after a match

    struct VerificationError: CustomTestStringConvertible, Sendable {
        var kind: KeyKind
        var biometry: BiometryState
        var means: Failure.Code
        var next: Recovery
        var testDescription: String { "\(kind), \(biometry)" }
    }

    static let refusals = [
        VerificationError(kind: .biometric, biometry: .ready, means: .keyInvalidated, next: .reEnrol),
        VerificationError(
            kind: .biometric, biometry: .lockedOut(.untilPasscode), means: .lockedOut, next: .fallBack(.devicePasscode)),
        VerificationError(kind: .biometric, biometry: .notEnrolled, means: .biometryNotEnrolled, next: .openSettings),
        VerificationError(kind: .biometric, biometry: .permissionDenied, means: .permissionDenied, next: .openSettings),
        VerificationError(kind: .biometric, biometry: .lidClosed, means: .biometryUnavailable, next: .fallBack(.devicePasscode)),
        VerificationError(kind: .biometric, biometry: .passcodeNotSet, means: .passcodeNotSet, next: .setPasscode),
        VerificationError(kind: .passcode, biometry: .ready, means: .keyInvalidated, next: .reEnrol),
        VerificationError(kind: .passcode, biometry: .lockedOut(.untilPasscode), means: .keyInvalidated, next: .reEnrol),
        VerificationError(kind: .passcode, biometry: .unavailable, means: .keyInvalidated, next: .reEnrol),
        VerificationError(kind: .passcode, biometry: .passcodeNotSet, means: .passcodeNotSet, next: .setPasscode),
    ]

    @Test(
        arguments: refusals,
        [
            AppleStatus(-25293), AppleStatus(-25300), AppleStatus(domain: "CryptoTokenKit", code: -3),
            AppleStatus(domain: "CryptoTokenKit", code: -5), AppleStatus(domain: "CryptoTokenKit", code: -6),
            // The Secure Enclave gives another reason, or the code means another thing elsewhere.
            AppleStatus(domain: "CryptoTokenKit", code: -3, hardware: -536_870_203),
            AppleStatus(domain: "CryptoTokenKit", code: -5, hardware: -536_362_999),
            AppleStatus(domain: "com.apple.LocalAuthentication", code: -1009),
        ])
    func theSensorExplainsARefusalAfterAMatch(row: VerificationError, status: AppleStatus) {
        let failure = status.failure(of: row.kind, biometry: row.biometry)
        #expect(failure.code == row.means)
        #expect(failure.recovery == row.next)
        #expect(failure.status == status.status)
    }

    @Test("a key that the Secure Enclave calls dead is dead, whatever the sensor says", arguments: refusals)
    func dead(row: VerificationError) {
        let status = AppleStatus(domain: "CryptoTokenKit", code: -3, hardware: -536_362_999)
        let failure = status.failure(of: row.kind, biometry: row.biometry)
        #expect(failure.code == .keyInvalidated && failure.recovery == .reEnrol)
        #expect(failure.status == .init(domain: "CryptoTokenKit", code: -3, hardware: -536_362_999))
        #expect(failure.debugDescription.hasSuffix("(CryptoTokenKit -3, hardware -536362999)"))
        #expect(!failure.description.contains("536362999"))
    }

    @Test("the Secure Enclave's code is kept from the error or from the one beneath it")
    func hardware() {
        func status(_ own: [String: Any]) -> AppleStatus {
            AppleStatus(NSError(domain: "CryptoTokenKit", code: -3, userInfo: own))
        }
        let beneath = NSError(domain: "AKS", code: 1, userInfo: ["AKSError": -536_362_999])
        #expect(status(["AKSError": -536_362_999]).hardware == -536_362_999)
        #expect(status(["AKSError": 0xe007_c009]).hardware == -536_362_999, "the same bits without a sign")
        #expect(status([NSUnderlyingErrorKey: beneath]).hardware == -536_362_999)
        #expect(status(["AKSError": -1, NSUnderlyingErrorKey: beneath]).hardware == -1)
        #expect(status(["AKSError": "much"]).hardware == nil && status([:]).hardware == nil)
        #expect(AppleStatus(status(["AKSError": -1]).status).hardware == -1)
        #expect(status(["AKSError": -1]).pair == AppleStatus(domain: "CryptoTokenKit", code: -3))
    }

    @Test(arguments: [-128, -25308, -34018, -50].map { AppleStatus($0) })
    func everyOtherStatusKeepsItsMeaning(status: AppleStatus) {
        #expect(status.failure(of: .biometric, biometry: .ready) == status.failure)
    }
}
#endif
