#if Tools
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnServer

/// Requests to the token endpoint are parsed into one case for each grant, before anything is judged.
@Suite struct TokenRequestTests {
    private func read(
        _ fields: String, judgesLiveness: Bool = false, exchangesTokens: Bool = false, takesUnlocks: Bool = false,
        opensVisits: Bool = true
    ) throws -> TokenRequest {
        let form = try #require(Form(Array(fields.utf8)))
        return try TokenRequest(
            form,
            .init(
                judgesLiveness: judgesLiveness, exchangesTokens: exchangesTokens, takesUnlocks: takesUnlocks,
                opensVisits: opensVisits))
    }

    private func refusal(_ fields: String, judgesLiveness: Bool = false) -> String? {
        do {
            _ = try read(fields, judgesLiveness: judgesLiveness)
            return nil
        } catch {
            return (error as? RequestError)?.problem.error
        }
    }

    private static let proof = "grant_type=urn:thumbturn:grant-type:proof"
    private static let ticket = "grant_type=urn:thumbturn:grant-type:ticket"
    private static let exchange = "grant_type=urn:ietf:params:oauth:grant-type:token-exchange"
    private static let idToken = "subject_token_type=urn:ietf:params:oauth:token-type:id_token"
    private static let accessToken = "subject_token_type=urn:ietf:params:oauth:token-type:access_token"
    private static let assertionType = "client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    @Test func eachGrantHasItsFields() throws {
        #expect(try read("\(Self.proof)&proof=a") == .signIn(proof: "a", second: nil))
        #expect(try read("\(Self.proof)&proof=a&also=b") == .signIn(proof: "a", second: "b"))
        #expect(
            try read("\(Self.proof)&proof=a&also=b&act=pay") == .stepUp(proof: "a", second: "b", act: "pay", liveness: nil))
        #expect(
            try read("\(Self.proof)&proof=a&act=pay&liveness=c", judgesLiveness: true)
                == .stepUp(proof: "a", second: nil, act: "pay", liveness: "c"))
        #expect(try read("grant_type=refresh_token&refresh_token=a") == .refresh(token: "a"))
        #expect(
            try read("\(Self.exchange)&subject_token=a&\(Self.idToken)", exchangesTokens: true)
                == .exchange(idToken: "a", challenge: nil))
        #expect(
            try read("\(Self.exchange)&subject_token=a&\(Self.idToken)&challenge=b", exchangesTokens: true)
                == .exchange(idToken: "a", challenge: "b"))
        #expect(
            try read("grant_type=client_credentials&client_assertion=a&\(Self.assertionType)&scope=b")
                == .clientCredentials(assertion: "a", scope: "b"))
    }

    @Test(arguments: [
        ("a=b", OAuthError.invalidRequest), ("grant_type=password", .unsupportedGrantType), (proof, .invalidRequest),
        ("grant_type=refresh_token", .invalidRequest), ("\(exchange)&subject_token=a", .invalidRequest),
        ("\(exchange)&subject_token=a&\(idToken)&requested_token_type=b", .invalidRequest),
    ])
    func aGrantThatCannotBeReadSaysWhy(_ fields: String, _ error: OAuthError) throws {
        #expect(try read(fields, exchangesTokens: true) == .unreadable(error))
    }

    @Test func aTicketIsRedeemedOnlyWhereThereAreVisits() throws {
        #expect(try read("\(Self.ticket)&ticket=a") == .visit(ticket: "a"))
        #expect(try read(Self.ticket) == .unreadable(.invalidRequest))
        #expect(try read("\(Self.ticket)&ticket=a", opensVisits: false) == .unreadable(.unsupportedGrantType))
    }

    @Test func tokensAreExchangedOnlyWhereThereIsAProvider() throws {
        #expect(try read("\(Self.exchange)&subject_token=a&\(Self.idToken)") == .unreadable(.unsupportedGrantType))
    }

    @Test func anUnlockStandsForAnActionOnlyWhereARuleTakesOne() throws {
        let asked = "\(Self.exchange)&subject_token=a&\(Self.accessToken)&act=pay"
        #expect(try read(asked, takesUnlocks: true) == .stepUpByUnlock(token: "a", act: "pay"))
        #expect(try read(asked) == .unreadable(.unsupportedGrantType))
        #expect(try read(asked, exchangesTokens: true) == .unreadable(.invalidRequest), "it is no ID token")
        for wrong in ["&\(Self.accessToken)", "&subject_token=a", "&subject_token=a&\(Self.idToken)"] {
            let fields = "\(Self.exchange)\(wrong)&act=pay"
            #expect(try read(fields, exchangesTokens: true, takesUnlocks: true) == .unreadable(.invalidRequest), "\(wrong)")
        }
        #expect(try read("\(asked)&requested_token_type=b", takesUnlocks: true) == .unreadable(.invalidRequest))
    }

    @Test func evidenceThatIsNotJudgedIsRefused() {
        #expect(refusal("\(Self.proof)&proof=a&act=pay&liveness=c") == "invalid_request", "the server judges no liveness")
        #expect(refusal("\(Self.proof)&proof=a&liveness=c", judgesLiveness: true) == "invalid_request", "it is no step-up")
        #expect(refusal("grant_type=refresh_token&refresh_token=a&liveness=c", judgesLiveness: true) == "invalid_request")
    }

    @Test func aBackEndAuthenticatesByAnAssertion() {
        #expect(refusal("grant_type=client_credentials") == "invalid_client")
        #expect(refusal("grant_type=client_credentials&client_assertion=a&client_assertion_type=b") == "invalid_request")
    }
}
#endif
