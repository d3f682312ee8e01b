import Foundation
import Testing
import ThumbturnCore
import ThumbturnDevice

@Suite struct LocalizedFailureTests {
    @Test func aFailureIsAnErrorWithATextForThePerson() {
        let failure = Failure(.keyInvalidated)
        let error: any Error = failure
        let language = MessageLanguage.best(of: Locale.preferredLanguages)
        #expect(error.localizedDescription == failure.message.text(in: language))
        #expect((error as? any LocalizedError)?.recoverySuggestion == failure.recovery.message.text(in: language))
        #expect(failure.message.localized == failure.message.text(in: language))
    }
}
