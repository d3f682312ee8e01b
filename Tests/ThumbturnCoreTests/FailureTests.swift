import Testing
import ThumbturnCore

@Suite struct FailureTests {
    /// A closure of an app, which may throw anything.
    private func untyped(_ failure: Failure) throws { throw failure }
    private func typed(_ failure: Failure) throws(Failure) { throw failure }

    @Test func aCodeIsCaughtByItsName() {
        var caught: [String] = []
        do {
            try typed(Failure(.cancelledByUser))
        } catch .lockedOut {
            caught.append("another code")
        } catch .cancelledByUser {
            caught.append("typed")
        } catch {
            caught.append("\(error)")
        }
        do {
            try untyped(Failure(.lockedOut))
        } catch .cancelledByUser {
            caught.append("another code")
        } catch Failure.Code.lockedOut {
            caught.append("untyped")
        } catch {
            caught.append("\(error)")
        }
        #expect(caught == ["typed", "untyped"])
    }

    @Test func anErrorThatIsNoFailureHasNoCode() {
        struct OtherError: Error {}
        let other: any Error = OtherError()
        #expect(!(Failure.Code.lockedOut ~= other))
        let failure: any Error = Failure(.lockedOut)
        #expect(Failure.Code.lockedOut ~= failure && !(Failure.Code.paused ~= failure))
    }

    @Test func aSwitchOverAFailureMatchesItsCode() {
        let isLockout =
            switch Failure(.lockedOut, recovery: .signInAgain) {
            case .lockedOut: true
            default: false
            }
        #expect(isLockout)
    }

    @Test func aCodeCarriesItsUsualRecovery() {
        #expect(Failure(.notEnrolled).recovery == .signInAgain)
        #expect(Failure(.notEnrolled, recovery: .retry).recovery == .retry)
        #expect(Failure.Code.keyInvalidated.usualRecovery == .reEnrol)
    }

    @Test func aFailurePrintsItsTextAndNoStructure() {
        let failure = Failure(.keyInvalidated, status: .init(domain: "Phone", code: -7))
        let text = "Something changed on this device. Please set it up once more."
        #expect("\(failure.message)" == text)
        #expect("\(failure)" == "keyInvalidated: \(text)")
        #expect(String(reflecting: failure) == "keyInvalidated: \(text) (Phone -7)")
        #expect("\(Failure(.paused, recovery: .wait(.seconds(1))))" == "paused: Please wait 1\u{A0}second, then try again.")
        #expect("\(failure.code)" == "keyInvalidated")
    }

    @Test(arguments: [
        (Recovery.retry, "retry"), (.wait(.seconds(30)), "wait for 30.0 seconds"), (.fallBack(.appPIN), "fall back to app PIN"),
        (.reEnrol, "enrol again"), (.openSettings, "open the settings"), (.setPasscode, "set a device passcode"),
        (.signInAgain, "sign in again"), (.report, "report to the developers"),
    ]) func aRecoveryPrintsAsAStep(_ recovery: Recovery, _ text: String) {
        #expect("\(recovery)" == text)
    }
}
