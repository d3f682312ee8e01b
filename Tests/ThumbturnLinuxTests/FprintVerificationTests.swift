import Testing
import ThumbturnCore

@testable import ThumbturnMatcher

/// Verifications with the signals in every order in which a bus may deliver them.
@Suite struct FprintVerificationTests {
    private func status(_ name: String, sender: String = ":1.4", path: String = "/reader") -> BusSignal {
        BusSignal(sender: sender, path: path, interface: "net.reactivated.Fprint.Device", member: "VerifyStatus", texts: [name])
    }

    private func owner(_ name: String, was: String, now: String, sender: String = "org.freedesktop.DBus") -> BusSignal {
        BusSignal(
            sender: sender, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
            texts: [name, was, now]
        )
    }

    private func verdict(after signals: [BusSignal]) -> FprintStatus.Verdict? {
        var verification = FprintVerification(owner: ":1.4", reader: "/reader")
        for signal in signals { _ = verification.handle(signal) }
        return verification.verdict
    }

    @Test func theFirstVerdictCountsAndLateAndDoubledOnesDoNot() {
        #expect(verdict(after: []) == nil)
        #expect(verdict(after: [status("verify-match")]) == .matched)
        #expect(verdict(after: [status("verify-match"), status("verify-match")]) == .matched)
        #expect(verdict(after: [status("verify-no-match"), status("verify-match")]) == .notMatched, "a late match opens nothing")
        #expect(verdict(after: [status("verify-match"), status("verify-no-match")]) == .matched)
        #expect(verdict(after: [status("verify-no-match"), owner(":1.4", was: ":1.4", now: "")]) == .notMatched)
    }

    @Test func eachPoorReadingIsReturnedAndIsNoVerdict() {
        var verification = FprintVerification(owner: ":1.4", reader: "/reader")
        #expect(verification.handle(status("verify-swipe-too-short")) == .tooShort)
        #expect(verification.handle(status("verify-swipe-too-short")) == .tooShort)
        #expect(verification.verdict == nil)
        #expect(verification.handle(status("verify-match")) == nil)
        #expect(verification.handle(status("verify-retry-scan")) == nil, "too late")
        #expect(verification.verdict == .matched)
    }

    @Test func signalsOfOtherProcessesAreIgnored() {
        var member = status("verify-match")
        member.member = "EnrollStatus"
        var interface = status("verify-match")
        interface.interface = "com.example.Device"
        var silent = status("verify-match")
        silent.texts = []
        let others = [
            status("verify-match", sender: ":1.5"), status("verify-match", sender: "net.reactivated.Fprint"),
            status("verify-match", path: "/another"), member, interface, silent,
        ]
        for other in others { #expect(verdict(after: [other]) == nil, "\(other)") }
        #expect(verdict(after: others + [status("verify-no-match")]) == .notMatched)
    }

    @Test func theEndOfTheDaemonEndsTheVerificationAndTheEndOfAnotherProcessDoesNot() {
        guard case .failed(let failure) = verdict(after: [owner(":1.4", was: ":1.4", now: "")]) else {
            Issue.record("the verification still waits")
            return
        }
        #expect(failure.code == .biometryUnavailable)
        #expect(verdict(after: [owner(":1.5", was: ":1.5", now: "")]) == nil)
        #expect(verdict(after: [owner(":1.4", was: ":1.4", now: "", sender: ":1.5")]) == nil, "only the bus reports owners")
        #expect(
            verdict(after: [owner("net.reactivated.Fprint", was: "", now: ":1.9"), status("verify-match", sender: ":1.9")]) == nil
        )
    }
}
