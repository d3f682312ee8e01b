import Testing
import ThumbturnCore

@Suite struct AssuranceTests {
    @Test func bothPartsOfAnAssuranceMustReachTheDemand() {
        for protection in KeyProtection.allCases {
            for verification in UserVerification.allCases {
                let given = Assurance(protection: protection, verification: verification)
                let demanded = Assurance(protection: .attestedApp, verification: .passcode)
                #expect(given.meets(demanded) == (protection >= .attestedApp && verification >= .passcode))
            }
        }
    }

    @Test func amrContainsOnlyWhatIsKnown() {
        #expect(Assurance(protection: .software, verification: .biometric).amr == ["swk", "pop"])
        #expect(Assurance(protection: .attestedHardware, verification: .biometric).amr == ["hwk", "pop", "user", "mfa"])
        #expect(Assurance(protection: .attestedApp, verification: .pin).amr == ["pop", "pin", "mfa"])
        #expect(Assurance(protection: .none, verification: .none).amr == [])
        #expect(Assurance(protection: .software, verification: .pin).acr == "urn:thumbturn:acr:software:pin")
    }
}
