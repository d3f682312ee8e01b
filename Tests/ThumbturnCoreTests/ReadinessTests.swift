import Testing
import ThumbturnCore

@Suite struct ReadinessTests {
    private let ladder: [Rung] = [.biometric, .devicePasscode, .fullCredentials]

    private func readiness(_ keys: [KeyKind: KeyState], _ biometry: BiometryState = .ready) -> Readiness {
        Readiness(biometry: biometry, keys: keys, ladder: ladder)
    }

    @Test func enrolledIsDerivedFromTheKeys() {
        #expect(!readiness([:]).isEnrolled)
        #expect(readiness([:]).nextRung == .fullCredentials)
        #expect(readiness([.session: .usable, .biometric: .usable]).nextRung == .biometric)
        #expect(!readiness([.session: .usable, .biometric: .invalidated(.enrolmentChanged)]).isEnrolled)
        for kind in [KeyKind.biometric, .passcode, .pin] {
            #expect(readiness([.session: .usable, kind: .usable]).isEnrolled, "\(kind)")
            #expect(!readiness([kind: .usable]).isEnrolled, "\(kind)")
        }
        #expect(KeyState.invalidated(.unknown).isDead && !KeyState.missing.isDead && !KeyState.paused(for: .seconds(30)).isDead)
    }

    @Test func aRungThatCannotBeAskedGivesWay() {
        let locked = readiness([.session: .usable, .biometric: .usable, .passcode: .usable], .lockedOut(.temporary))
        #expect(locked.nextRung == .devicePasscode)
        let dead = readiness([.session: .usable, .biometric: .invalidated(.enrolmentChanged), .passcode: .usable])
        #expect(dead.nextRung == .devicePasscode)
    }

    @Test func aKeyThatPausesIsStillAKey() {
        let paused = Readiness(
            biometry: .ready, keys: [.session: .usable, .pin: .paused(for: .seconds(30))], ladder: [.appPIN, .fullCredentials])
        #expect(paused.isEnrolled && paused.nextRung == .fullCredentials)
    }

    @Test func withoutTheSessionKeyNoProofCanBeRedeemed() {
        #expect(readiness([.biometric: .usable]).nextRung == .fullCredentials)
    }

    @Test func readinessPrintsInWords() {
        #expect("\(readiness([:], .notEnrolled))" == "next: full sign-in; sensor: not enrolled; keys: none")
        let enrolled = readiness(
            [
                .session: .usable, .biometric: .invalidated(.enrolmentChanged), .passcode: .usable,
                .pin: .paused(for: .seconds(30)),
            ])
        #expect(
            "\(enrolled)"
                == "next: device passcode; sensor: ready; keys: biometric invalidated (enrolmentChanged), passcode usable, "
                + "pin paused for 30.0 seconds, session usable")
    }

    @Test(arguments: [
        (BiometryState.ready, "ready"), (.notEnrolled, "not enrolled"), (.lockedOut(.temporary), "locked out for a while"),
        (.lockedOut(.untilPasscode), "locked out until the device passcode is entered"),
        (.lockedOut(.untilStrongerRung), "locked out until a stronger rung succeeds"),
        (.paused(for: .seconds(10)), "paused for 10.0 seconds"), (.permissionDenied, "not permitted"), (.weak, "too weak"),
        (.unconfirmed, "unconfirmed after a system upgrade"), (.passcodeNotSet, "no device passcode"),
        (.lidClosed, "covered by the lid"), (.switchedOff, "switched off"),
        (.forbidden, "not allowed by the device's management"), (.absent, "no sensor"), (.unavailable, "unavailable"),
    ]) func aSensorsStatePrintsInWords(_ state: BiometryState, _ text: String) {
        #expect("\(state)" == text)
    }

    @Test(arguments: [
        (BiometryState.ready, EnrolmentMark.Change.changed, KeyLoss.enrolmentChanged),
        (.notEnrolled, .unknown, .enrolmentChanged),
        (.passcodeNotSet, .unknown, .passcodeRemoved), (.ready, .none, .unknown), (.ready, .afterUpgrade, .unknown),
        (.lockedOut(.untilPasscode), .unknown, .unknown),
    ]) func theSensorExplainsAKeyThatIsGone(_ biometry: BiometryState, _ change: EnrolmentMark.Change, _ loss: KeyLoss) {
        #expect(KeyState.invalidated(.unknown).explained(by: biometry, change) == .invalidated(loss))
        for known: KeyState in [.usable, .missing, .invalidated(.restored), .notYetReadable] {
            #expect(known.explained(by: biometry, change) == known)
        }
    }

    private func locked(
        _ ladder: [Rung], _ biometry: BiometryState = .lockedOut(.untilPasscode), isLocal: Bool = false, lifts: Bool = false
    ) -> Readiness {
        var readiness = Readiness(
            biometry: biometry, keys: [.session: .usable, .biometric: .usable, .passcode: .usable], ladder: ladder)
        if isLocal { readiness.isLocal = true }
        if lifts { readiness.liftsLockout = true }
        return readiness
    }

    @Test func aLockoutNamesTheRungThatCanBeAskedInstead() {
        func recovery(_ readiness: Readiness) -> Recovery? { readiness.obstacle(to: .biometric)?.recovery }
        #expect(recovery(locked([.biometric])) == .fallBack(.fullCredentials))
        #expect(locked([.biometric]).nextRung == .fullCredentials)
        #expect(recovery(locked([.biometric, .devicePasscode])) == .fallBack(.devicePasscode))
        #expect(recovery(locked([.biometric], .lockedOut(.temporary))) == .wait(.seconds(30)))
        #expect(recovery(locked([])) == .fallBack(.devicePasscode), "there is no ladder that could name another one")
        let other = Failure(.biometryUnavailable).recovery
        #expect(recovery(locked([.biometric, .appPIN], .unavailable)) == other, "it is no lockout")
    }

    @Test func aVaultNamesNoFullSignIn() {
        let (stuck, lifted) = (locked([.biometric], isLocal: true), locked([.biometric], isLocal: true, lifts: true))
        #expect(stuck.nextRung == .biometric && stuck.obstacle(to: .biometric)?.recovery == .retry)
        #expect(lifted.nextRung == .devicePasscode)
        #expect(lifted.obstacle(to: .biometric)?.recovery == .fallBack(.devicePasscode))
        #expect(locked([.biometric], .ready, isLocal: true, lifts: true).nextRung == .biometric)
    }

    @Test func anUpgradeOfTheSystemIsConfirmedByAStrongerRungWhereThereIsOne() {
        func noted(
            _ change: EnrolmentMark.Change, _ biometry: BiometryState = .ready, _ needsConfirmation: Bool? = nil
        ) -> Readiness {
            var readiness = Readiness(
                biometry: biometry, keys: [.session: .usable, .biometric: .invalidated(.unknown)], ladder: [.biometric])
            if let needsConfirmation {
                readiness.note(change, needsConfirmation: needsConfirmation)
            } else {
                readiness.note(change)
            }
            return readiness
        }
        #expect(noted(.afterUpgrade).biometry == .unconfirmed && noted(.afterUpgrade).enrolment == .afterUpgrade)
        #expect(noted(.afterUpgrade, .ready, false).biometry == .ready)
        #expect(noted(.afterUpgrade, .notEnrolled).biometry == .notEnrolled)
        #expect(noted(.changed).biometry == .ready)
        #expect(noted(.changed).state(of: .biometric) == .invalidated(.enrolmentChanged))
    }

    @Test(arguments: [
        (KeyState.usable, "usable"), (.missing, "missing"), (.invalidated(.restored), "invalidated (restored)"),
        (.paused(for: .seconds(30)), "paused for 30.0 seconds"), (.notYetReadable, "not yet readable"),
    ]) func aKeysStatePrintsInWords(_ state: KeyState, _ text: String) {
        #expect("\(state)" == text)
    }

    @Test(arguments: zip(Rung.allCases, ["biometric", "device passcode", "app PIN", "full sign-in"]))
    func aRungPrintsInWords(_ rung: Rung, _ text: String) {
        #expect("\(rung)" == text)
    }
}
