import Testing
import ThumbturnCore
import ThumbturnMatcher

@Suite struct FprintStatusTests {
    /// Every status in fprintd 1.94's interface description, with its meaning.
    @Test(arguments: [
        ("verify-match", FprintStatus.Verdict.matched),
        ("verify-no-match", .notMatched),
        ("verify-retry-scan", .poor(.tooPoor)),
        ("verify-swipe-too-short", .poor(.tooShort)),
        ("verify-finger-not-centered", .poor(.notCentered)),
        ("verify-remove-and-retry", .poor(.removeAndRetry)),
    ]) func aStatusHasOneMeaning(_ status: String, _ verdict: FprintStatus.Verdict) {
        #expect(FprintStatus.verdict(ofStatus: status) == verdict)
    }

    @Test(arguments: ["verify-disconnected", "verify-unknown-error", "", "verify-match ", "VERIFY-MATCH", "enroll-completed"])
    func aStatusWithoutAVerdictNeverMatches(_ status: String) {
        guard case .failed(let failure) = FprintStatus.verdict(ofStatus: status) else {
            Issue.record("“\(status)” is taken for a verdict")
            return
        }
        #expect(failure.code == .biometryUnavailable)
        #expect(failure.status?.domain == status, "the name is kept for reports")
    }

    @Test(arguments: [
        (
            "net.reactivated.Fprint.Error.PermissionDenied", Failure.Code.biometryForbidden,
            Recovery.fallBack(.appPIN), BiometryState.forbidden
        ),
        ("net.reactivated.Fprint.Error.NoSuchDevice", .biometryAbsent, .fallBack(.appPIN), .absent),
        ("net.reactivated.Fprint.Error.NoEnrolledPrints", .biometryNotEnrolled, .openSettings, .notEnrolled),
        ("net.reactivated.Fprint.Error.AlreadyInUse", .biometryUnavailable, .retry, .unavailable),
        ("net.reactivated.Fprint.Error.ClaimDevice", .biometryUnavailable, .retry, .unavailable),
        ("net.reactivated.Fprint.Error.NoActionInProgress", .biometryUnavailable, .retry, .unavailable),
        ("net.reactivated.Fprint.Error.Internal", .biometryUnavailable, .retry, .unavailable),
        ("net.reactivated.Fprint.Error.InvalidFingername", .platform, .report, .unavailable),
        ("org.freedesktop.DBus.Error.ServiceUnknown", .biometryUnavailable, .fallBack(.appPIN), .unavailable),
        ("org.freedesktop.DBus.Error.AccessDenied", .biometryForbidden, .fallBack(.appPIN), .forbidden),
        ("org.freedesktop.DBus.Error.NoReply", .biometryUnavailable, .retry, .unavailable),
        ("com.example.Unheard", .platform, .report, .unavailable),
    ]) func anErrorHasACodeAndANextStep(_ name: String, _ code: Failure.Code, _ recovery: Recovery, _ state: BiometryState) {
        #expect(FprintStatus.failure(ofError: name) == Failure(code, recovery: recovery, status: .init(domain: name, code: 0)))
        #expect(FprintStatus.state(ofError: name) == state)
    }

    @Test func everyErrorKeepsItsNameAndHasANextStep() {
        #expect(FprintStatus.errors.count >= 21)
        for (name, (code, recovery)) in FprintStatus.errors {
            #expect(
                FprintStatus.failure(ofError: name) == Failure(code, recovery: recovery, status: .init(domain: name, code: 0)))
        }
    }

    @Test func noErrorIsTakenForAMismatchOrACancel() {
        for name in FprintStatus.errors.keys {
            let code = FprintStatus.failure(ofError: name).code
            #expect(![.notMatched, .cancelledByUser, .cancelledByApp, .cancelledBySystem].contains(code), "\(name)")
        }
    }
}
