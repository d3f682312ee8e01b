import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnDevice

/// The descriptions of values: readable, without module names, and without secrets or names of people.
@Suite struct PrintingTests {
    @Test(
        arguments: [
            (UnlockNews.hint(.appPIN), "hint: appPIN"),
            (.offerSetUp(Failure(.biometryNotEnrolled)), "set-up offered: biometryNotEnrolled"),
            (.moved(from: .biometric, to: .appPIN, because: .timeout), "moved from biometric to appPIN: timeout"),
            (.telemetry(.hintShown), "telemetry: hintShown"),
        ] as [(UnlockNews, String)])
    func newsPrintsWithoutModuleNames(_ news: UnlockNews, _ text: String) {
        #expect("\(news)" == text)
    }

    @Test func aKeyNamePrintsWithoutTheAccount() {
        let name = KeyName(server: "https://bank.example", account: "ada@bank.example", enrolment: 7, kind: .biometric)
        #expect("\(name)" == "biometric key of enrolment 7")
    }

    @Test func requestsPrintTheirReasonAndNoBytes() {
        let name = KeyName(server: "https://bank.example", account: "ada", kind: .biometric)
        let prompt = PromptRequest(
            rung: .biometric, reason: "Unlock Acme", cancelButton: .cancel, key: name, message: [1, 2, 3]
        )
        #expect("\(prompt)" == "biometric prompt: Unlock Acme")
        #expect("\(PINRequest(reason: "Unlock Acme", cancelButton: .cancel, wrongInARow: 2))" == "PIN screen, try 3: Unlock Acme")
    }

    @Test func detailsOfAnApprovalPrintWithoutTheirValues() throws {
        let line = ApprovalDetails.Line(label: "To", value: "Ada Lovelace")
        let details = try #require(ApprovalDetails(title: "Payment", lines: [line]))
        #expect("\(details)" == "Payment: To")
    }
}
