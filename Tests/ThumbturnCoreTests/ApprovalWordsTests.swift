import Testing
import ThumbturnCore

@Suite struct ApprovalWordsTests {
    @Test func aLabelHasItsWordsInEveryLanguage() {
        for label in TransactionLabel.allCases {
            for language in MessageLanguage.allCases {
                let text = label.text(in: language)
                #expect(ShownText.line.holds(text), "\(label) \(language)")
                #expect(BannedWords.found(in: text, language).isEmpty)
            }
        }
    }

    @Test func aDemandIsOfFewForms() throws {
        #expect(
            ApprovalDemand(keys: [.pin]) == nil && ApprovalDemand(keys: []) == nil && ApprovalDemand(keys: [.passcode]) == nil)
        let both = try #require(ApprovalDemand(keys: [.biometric, .pin], liveness: .high))
        #expect(!both.isMet(by: [.biometric]) && !both.isMet(by: [.pin]) && both.isMet(by: [.pin, .biometric]))
        #expect(both.wantsLiveness(with: .biometric) && !both.wantsLiveness(with: .pin))
        let one = ApprovalDemand.oneKey
        #expect(one.isMet(by: [.pin]) && one.isMet(by: [.biometric]) && !one.isMet(by: [.passcode, .session]))
        #expect(!one.takes(.passcode) && !one.takes(.session) && !one.wantsLiveness(with: .biometric))
    }
}
