import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit

/// The step-ups that resources demand (RFC 9470).
@Suite struct StepUpChallengeTests {
    private struct Examples: Decodable {
        struct Figure: Decodable {
            var caption: String
            var text: String
        }
        var figures: [Figure]
    }

    /// The header's value of one of the standard's figures, unfolded.
    private static func example(_ caption: String) throws -> String {
        let figures = try TestSupport.Vectors.load("rfc9470-stepup/examples.json", as: Examples.self).figures
        let text = try #require(figures.first { $0.caption.contains(caption) }?.text)
        return try #require(text.split(separator: "WWW-Authenticate: ").last).replacing("\n", with: "").description
    }

    @Test(.enabled(if: TestSupport.Vectors.areHere)) func theStandardsExamplesAreRead() throws {
        let age = try #require(StepUpChallenge(try Self.example("indicating `max_age` {")))
        #expect(age.maximumAge == .seconds(5) && age.acrValues.isEmpty && age.ask == nil)
        let acr = try #require(StepUpChallenge(try Self.example("indicating `acr_values` {")))
        #expect(acr.maximumAge == nil && acr.acrValues == ["myACR"])
    }

    /// The value of a figure's header with its lines joined, as a server writes it.
    @Test(.enabled(if: TestSupport.Vectors.areHere)) func theStandardsExamplesAreWritten() throws {
        func unfolded(_ caption: String) throws -> String {
            try Self.example(caption).split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(
            try unfolded("indicating `acr_values` {") == StepUpChallenge(acrValues: ["myACR"]).header(scheme: .bearer))
        #expect(
            try unfolded("indicating `max_age` {") == StepUpChallenge(maximumAge: .seconds(5)).header(scheme: .bearer))
    }

    @Test func aWrittenChallengeIsReadBack() {
        let both = StepUpChallenge(
            maximumAge: .zero, acrValues: ["urn:a", "urn:b"], ask: ActionAsk("pay", amount: Money(minor: 5, currency: "EUR")))
        let header = both.header(scheme: .dpop)
        #expect(
            header == #"DPoP error="insufficient_user_authentication", "#
                + #"error_description="A different authentication level is required", acr_values="urn:a urn:b", "#
                + #"max_age="0", action="pay:EUR:5", algs="ES256""#)
        #expect(StepUpChallenge(header) == both)
    }

    @Test func anotherChallengeIsNotRead() {
        let good = #"DPoP error="insufficient_user_authentication", max_age=0, action="pay:EUR:5", algs="ES256""#
        #expect(StepUpChallenge(good)?.ask == ActionAsk("pay", amount: Money(minor: 5, currency: "EUR")))
        #expect(StepUpChallenge(#"bearer Error="insufficient_\user_authentication",x="a\"b, c=d""#) != nil)
        for bad in [
            "", "DPoP", "DPoP ", #"Basic error="insufficient_user_authentication""#, #"DPoP error="invalid_token""#,
            #"DPoP error="insufficient_user_authentication", error="x""#, #"DPoP error="insufficient_user_authentication"#,
            #"DPoP error="insufficient_user_authentication" max_age="5""#, #"DPoP error="insufficient_user_authentication","#,
            #"DPoP error="insufficient_user_authentication", max_age="-5""#,
            #"DPoP error="insufficient_user_authentication", max_age="soon""#,
            #"DPoP error="insufficient_user_authentication", action="Pay""#, #"DPoP error="insufficient_user_authentication\"#,
        ] { #expect(StepUpChallenge(bad) == nil, "\(bad)") }
    }

    private static let wants = #"DPoP error="insufficient_user_authentication", max_age="0""#

    @Test func aResourceThatDemandsAStepUpGetsOne() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let prompts = world.phone.promptCount
            world.server.state.withLock { $0.wanted = [Self.wants] }
            let amount = Money(minor: 1250, currency: "EUR")
            _ = try await world.auth.send("GET", to: "/v1/me", for: .newRecipient, amount: amount, reason: "Pay 12.50 EUR")
            #expect(world.phone.promptCount == prompts + 1)
            #expect(world.server.state.withLock { $0.redeemed.last?.claims.act } == "new-recipient:EUR:1250")
            _ = try await world.auth.send("GET", to: "/v1/me", for: .newRecipient, amount: amount, reason: "Pay 12.50 EUR")
            #expect(world.phone.promptCount == prompts + 1, "a resource that demands no step-up gets none")
        }
    }

    @Test func aStepUpThatTheServerRefusesIsNotReused() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show")
            let prompts = world.phone.promptCount
            world.server.state.withLock { $0.wanted = [Self.wants] }
            _ = try await world.auth.send("GET", to: "/v1/me", for: .cardDetails, reason: "Show")
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func aResourceThatKeepsDemandingStepUpsIsAskedTwice() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            world.server.state.withLock { $0.wanted = [Self.wants, Self.wants, Self.wants] }
            await expectFailure(.refused) {
                _ = try await world.auth.send("GET", to: "/v1/me", for: .cardDetails, reason: "Show")
            }
            #expect(world.server.state.withLock { $0.wanted.count } == 1)
        }
    }

    @Test(
        "the resource does not choose what is signed",
        arguments: [
            (#"action="new-recipient:EUR:999999""#, Failure.Code.unexpectedAnswer),
            (#"action="card-details""#, .unexpectedAnswer),
            (#"acr_values="urn:thumbturn:acr:attestedHardware:biometric""#, .refused),
        ])
    func choosing(_ parameter: String, _ code: Failure.Code) async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let prompts = world.phone.promptCount
            world.server.state.withLock { $0.wanted = ["\(Self.wants), \(parameter)"] }
            await expectFailure(code) {
                _ = try await world.auth.send(
                    "GET", to: "/v1/me", for: .newRecipient, amount: Money(minor: 1, currency: "EUR"),
                    reason: "Pay 0.01 EUR")
            }
            #expect(world.phone.promptCount == prompts)
        }
    }
}
