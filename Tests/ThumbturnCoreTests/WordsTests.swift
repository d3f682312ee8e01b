import Testing
import ThumbturnCore

@Suite struct WordsTests {
    @Test func bothHalvesOfAnAssuranceMustReach() {
        for protection in KeyProtection.allCases {
            for verification in UserVerification.allCases {
                let given = Assurance(protection: protection, verification: verification)
                let demanded = Assurance(protection: .hardware, verification: .passcode)
                #expect(given.meets(demanded) == (protection >= .hardware && verification >= .passcode))
            }
        }
    }

    @Test("amr says only what is known")
    func amr() {
        #expect(Assurance(protection: .software, verification: .biometric).amr == ["swk", "pop"])
        #expect(Assurance(protection: .attestedHardware, verification: .biometric).amr == ["hwk", "pop", "user", "mfa"])
        #expect(Assurance(protection: .hardware, verification: .pin).amr == ["hwk", "pop", "pin", "mfa"])
        #expect(Assurance(protection: .none, verification: .none).amr == [])
        #expect(Assurance(protection: .software, verification: .pin).acr == "urn:thumbturn:acr:software:pin")
    }

    @Test func enrolledIsDerivedFromTheKeys() {
        let ladder: [Rung] = [.biometric, .devicePasscode, .fullCredentials]
        func readiness(_ keys: [KeyKind: KeyState], _ biometry: BiometryState = .ready) -> Readiness {
            Readiness(biometry: biometry, keys: keys, ladder: ladder)
        }
        #expect(readiness([:]).isEnrolled == false)
        #expect(readiness([:]).nextRung == .fullCredentials)
        #expect(readiness([.session: .usable, .biometric: .usable]).nextRung == .biometric)
        #expect(
            readiness([.session: .usable, .biometric: .usable, .passcode: .usable], .lockedOut(.temporary)).nextRung
                == .devicePasscode)
        #expect(readiness([.session: .usable, .biometric: .invalidated(.enrolmentChanged)]).isEnrolled == false)
        #expect(
            readiness([.session: .usable, .biometric: .invalidated(.enrolmentChanged), .passcode: .usable]).nextRung
                == .devicePasscode)
        let paused = Readiness(
            biometry: .ready, keys: [.session: .usable, .pin: .paused(for: .seconds(30))], ladder: [.appPIN, .fullCredentials])
        #expect(paused.isEnrolled && paused.nextRung == .fullCredentials, "a key that pauses is a key, but not now")
        #expect(readiness([.biometric: .usable]).nextRung == .fullCredentials, "without the session key no proof can be redeemed")
    }

    @Test func timeStopsAtItsEnds() {
        let end = UnixTime(seconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(UnixTime(seconds: .min) + .seconds(-1) == UnixTime(seconds: .min))
        #expect(UnixTime(seconds: 5) - UnixTime(seconds: 2) == .seconds(3))
        #expect((UnixTime(seconds: .min) - end) < .zero)
    }

    @Test func aFailureSaysWhatToDoNext() {
        let failure = Failure(.keyInvalidated, status: .init(domain: "Phone", code: -7))
        #expect(failure.description == "keyInvalidated: Sign in once to set this device up again.")
        #expect(failure.debugDescription.contains("Phone -7"))
        #expect(Recovery.wait(.seconds(30)).advice == "Try again in 30 seconds.")
    }
}
