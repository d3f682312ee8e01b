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

    @Test func timeStopsAtItsEnds() {
        let end = UnixTime(seconds: .max)
        #expect(end + .seconds(1) == end)
        #expect(UnixTime(seconds: .min) + .seconds(-1) == UnixTime(seconds: .min))
        #expect(UnixTime(seconds: 5) - UnixTime(seconds: 2) == .seconds(3))
        #expect((UnixTime(seconds: .min) - end) < .zero)
    }
}
