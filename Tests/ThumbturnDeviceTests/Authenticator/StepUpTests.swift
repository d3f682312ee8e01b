import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit

/// A fresh proof for one action. No proof for anything else is accepted instead.
@Suite struct StepUpTests {
    /// A check that takes its time and returns the evidence that it was given, or throws.
    final class Check: LivenessCheck {
        let asked = Mutex<[(challenge: String, action: StepUpAction)]>([])
        let ends: Result<LivenessEvidence, Failure>
        let clock: VirtualClock
        let takes: Duration

        init(_ ends: Result<LivenessEvidence, Failure>, _ world: World, takes: Duration = .seconds(5)) {
            self.ends = ends
            self.takes = takes
            clock = world.clock
        }

        func evidence(for challenge: String, action: StepUpAction) async throws(Failure) -> LivenessEvidence {
            asked.withLock { $0.append((challenge, action)) }
            try? await clock.sleep(until: clock.now.advanced(by: takes))
            return try ends.get()
        }
    }

    static let signed = "eyJhbGciOiJFUzI1NiJ9.bm90IGV2ZW4gSlNPTg.AAAA"

    /// Whether a step-up asks the person.
    static func asks(_ world: World, _ action: StepUpAction, _ policy: UnlockPolicy = .highRisk) async throws -> Bool {
        let prompts = world.phone.promptCount
        _ = try await world.auth.stepUp(for: action, reason: "Show your card", policy: policy)
        return world.phone.promptCount > prompts
    }

    @Test func aStepUpPromptsAndItsTokenNamesTheAction() async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            let grant = try await world.auth.stepUp(for: .cardDetails, reason: "Show your card")
            #expect(grant.rung == .biometric && world.phone.promptCount == prompts + 1)
            let claims = try #require(world.server.state.withLock { $0.redeemed.last?.claims })
            #expect(claims.purpose == .stepUp && claims.act == "card-details" && claims.exp - claims.iat == .seconds(120))
            #expect(world.server.state.withLock { $0.redeemed.last?.liveness } == nil)
        }
    }

    @Test func aStepUpIsReusedForTheSameActionUntilItIsTooOld() async throws {
        try await World.enrolled { world in
            world.phone.next(.match, after: .seconds(2))
            expect(try await Self.asks(world, .cardDetails), is: true)
            world.clock.advance(by: .seconds(117))
            expect(try await Self.asks(world, .cardDetails), is: false)
            world.clock.advance(by: .seconds(1))
            expect(try await Self.asks(world, .cardDetails), is: true)
        }
    }

    @Test func theMaximumAgeIsTheOneOfTheLaterAction() async throws {
        try await World.enrolled { world in
            let (long, short) = (
                StepUpAction("export", maximumAge: .seconds(300))!, StepUpAction("export", maximumAge: .seconds(10))!
            )
            expect(try await Self.asks(world, long), is: true)
            world.clock.advance(by: .seconds(10))
            expect(try await Self.asks(world, long), is: false)
            expect(try await Self.asks(world, short), is: true)
        }
    }

    @Test func anActionWithMaximumAgeZeroAlwaysAsks() async throws {
        try await World.enrolled { world in
            for _ in 1...3 { expect(try await Self.asks(world, .newRecipient), is: true) }
        }
    }

    @Test func aStepUpIsNotReusedForAnotherAction() async throws {
        try await World.enrolled { world in
            expect(try await Self.asks(world, .cardDetails), is: true)
            expect(try await Self.asks(world, .statementExport), is: true)
            expect(try await Self.asks(world, .cardDetails), is: true)
        }
    }

    @Test func anUnlockIsNotReusedForAnActionThatTakesNone() async throws {
        try await World.enrolled { world in
            var lax = UnlockPolicy.unlock
            lax.reuse = .seconds(300)
            _ = try await world.auth.authenticate("Unlock", policy: lax)
            expect(try await Self.asks(world, .cardDetails), is: true)
            // The unlock's session has replaced the step-up's.
            _ = try await world.auth.authenticate("Unlock")
            expect(try await Self.asks(world, .cardDetails), is: true)
            await expectFailure(.policyDenies) { _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show", policy: lax) }
            await expectFailure(.reasonMissing) { _ = try await world.auth.stepUp(for: .cardDetails, reason: " ") }
        }
    }

    private static let wants = #"DPoP error="insufficient_user_authentication", max_age="60""#
    private static let balance = StepUpAction("balance", maximumAge: .seconds(60), takesUnlock: true)!

    @Test func anUnlockStandsInForAnActionThatTakesOneUntilItIsTooOld() async throws {
        try await World.enrolled { world in
            world.server.state.withLock { $0.takesUnlocks = true }
            _ = try await world.auth.authenticate("Unlock")
            world.clock.advance(by: .seconds(59))
            let prompts = world.phone.promptCount
            let grant = try await world.auth.stepUp(for: Self.balance, reason: "Show your balance", policy: .unlock)
            #expect(grant.rung == .biometric && grant.session.accessToken == "access-2")
            #expect(world.phone.promptCount == prompts)
            expect(try await Self.asks(world, .cardDetails), is: true)
            world.clock.advance(by: .seconds(1))
            expect(try await Self.asks(world, Self.balance), is: true)
            expect(try await Self.asks(world, Self.balance), is: false)
        }
    }

    @Test func aRequestForAnActionThatTakesAnUnlockAsksOnlyWhereItsTokenIsRefused() async throws {
        try await World.enrolled { world in
            world.server.state.withLock { $0.takesUnlocks = true }
            _ = try await world.auth.authenticate("Unlock")
            let prompts = world.phone.promptCount
            func send() async throws {
                world.server.state.withLock { $0.wanted = [Self.wants] }
                _ = try await world.auth.send(
                    "GET", to: "/v1/me", for: Self.balance, reason: "Show your balance", policy: .unlock)
            }
            try await send()
            #expect(world.phone.promptCount == prompts, "the session's token was refused, and the unlock stands in")
            try await send()
            #expect(world.phone.promptCount == prompts + 1, "the unlock's token was refused, so the person is asked")
            _ = try await world.auth.authenticate("Unlock")
            world.server.state.withLock { $0.wanted = [Self.wants, Self.wants] }
            _ = try await world.auth.send("GET", to: "/v1/me", for: Self.balance, reason: "Show your balance", policy: .unlock)
            #expect(world.phone.promptCount == prompts + 3, "both were refused within one call")
        }
    }

    @Test func onlyAnActionThatTakesAnUnlockReusesOneGrantedByIt() async throws {
        try await World.enrolled { world in
            world.server.state.withLock { $0.takesUnlocks = true }
            _ = try await world.auth.authenticate("Unlock")
            expect(try await Self.asks(world, Self.balance), is: false)
            let other = StepUpAction("balance", maximumAge: .seconds(60))!
            expect(try await Self.asks(world, other), is: true)
        }
    }

    @Test func thePersonIsAskedWhereTheServerTakesNoUnlockAndAfterALock() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            expect(try await Self.asks(world, Self.balance), is: true)
            world.server.state.withLock { $0.takesUnlocks = true }
            await world.auth.forgetRecentAuthentication()
            expect(try await Self.asks(world, Self.balance), is: true)
            // A step-up is no unlock.
            let limit = StepUpAction("limit", maximumAge: .seconds(60), takesUnlock: true)!
            expect(try await Self.asks(world, limit), is: true)
        }
    }

    @Test func theUnlocksOwnSessionIsExchangedWhicheverOneIsStoredNow() async throws {
        try await World.enrolled { world in
            world.server.state.withLock { $0.takesUnlocks = true }
            let unlock = try await world.auth.authenticate("Unlock")
            _ = try await world.anotherProcess().authenticate("Unlock", policy: UnlockPolicy(ladder: [.devicePasscode]))
            expect(try await Self.asks(world, Self.balance), is: false)
            let body = try #require(world.server.state.withLock { $0.requests.last?.body })
            #expect(String(decoding: body, as: UTF8.self).contains("subject_token=\(unlock.session.accessToken)&"))
        }
    }

    @Test func anUnlockByARungThatThePolicyLacksIsNoneForIt() async throws {
        try await World.enrolled { world in
            world.server.state.withLock { $0.takesUnlocks = true }
            _ = try await world.auth.authenticate("Unlock", policy: UnlockPolicy(ladder: [.devicePasscode]))
            expect(try await Self.asks(world, Self.balance), is: true)
        }
    }

    /// The token of the last request, and the refresh token of the last refresh.
    private static func sent(_ world: World) -> (token: String?, refresh: String?) {
        world.server.state.withLock { state in
            (
                state.requests.last?.headers["Authorization"].map { String($0.dropFirst(5)) },
                state.requests.last { $0.url.hasSuffix("/v1/token") && $0.body.starts(with: Array("grant_type=refresh".utf8)) }
                    .map { String(String(decoding: $0.body, as: UTF8.self).suffix(11)) }
            )
        }
    }

    @Test func theStepUpsTokenIsUsedForItsActionAndTheSessionGoesOn() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let grant = try await world.auth.stepUp(for: .cardDetails, reason: "Show your card")
            #expect(grant.session.accessToken == "access-2")
            _ = try await world.auth.me()
            #expect(Self.sent(world).token == "access-1", "the session is the sign-in's")
            _ = try await world.auth.send("GET", to: "/v1/me", for: .cardDetails, reason: "Show your card")
            #expect(Self.sent(world).token == "access-2", "the token of the last step-up is tried first")
            _ = try await world.auth.send("GET", to: "/v1/me", for: .statementExport, reason: "Export")
            #expect(Self.sent(world).token == "access-1", "and for nothing else")
            let prompts = world.phone.promptCount
            expect(try await Self.asks(world, .cardDetails), is: false)
            _ = try await world.auth.refresh()
            #expect(Self.sent(world).refresh == "refresh%201" && world.phone.promptCount == prompts)
        }
    }

    @Test func theSessionIsUsedWhereTheStepUpsTokenIsOver() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show your card")
            world.server.state.withLock { $0.endedTokens = ["access-2"] }
            _ = try await world.auth.send("GET", to: "/v1/me", for: .cardDetails, reason: "Show your card")
            #expect(Self.sent(world).token == "access-1")
            // By the device's clock the token has expired, so the step-up is not reused.
            world.phone.moveWallClock(by: .seconds(301))
            expect(try await Self.asks(world, .cardDetails), is: true)
        }
    }

    @Test func aStepUpByAWeakerRungIsNotReusedForAStrongerPolicy() async throws {
        try await World.enrolled { world in
            let passcode = UnlockPolicy(ladder: [.devicePasscode])
            expect(try await Self.asks(world, .cardDetails, passcode), is: true)
            expect(try await Self.asks(world, .cardDetails, passcode), is: false)
            expect(try await Self.asks(world, .cardDetails), is: true)
        }
    }

    @Test func aRestartEndsAStepUp() async throws {
        try await World.enrolled { world in
            expect(try await Self.asks(world, .statementExport), is: true)
            // This process outlives the restart, as no real one does, and the new boot's time is soon later than the old one's.
            world.phone.reboot()
            world.phone.unlockWithPasscode()
            world.clock.advance(by: .seconds(60))
            expect(try await Self.asks(world, .statementExport), is: true)
        }
    }

    @Test func settingTheClockChangesNothing() async throws {
        try await World.enrolled { world in
            expect(try await Self.asks(world, .cardDetails), is: true)
            world.clock.advance(by: .seconds(120))
            world.phone.moveWallClock(by: .seconds(-120))
            expect(try await Self.asks(world, .cardDetails), is: true)
        }
    }

    @Test func switchingTheSensorOffOrEnrollingAnewEndsAStepUp() async throws {
        try await World.enrolled { world in
            let policy = UnlockPolicy(ladder: [.biometric, .devicePasscode])
            expect(try await Self.asks(world, .statementExport, policy), is: true)
            try await world.auth.requireStrongerRungNextTime()
            expect(try await Self.asks(world, .statementExport, policy), is: true)
            try await world.auth.revoke()
            try await world.auth.enrol(with: World.signIn)
            expect(try await Self.asks(world, .statementExport, policy), is: true)
        }
    }

    @Test func aStepUpEndsWithItsEnrolment() async throws {
        try await World.enrolled { world in
            expect(try await Self.asks(world, .statementExport), is: true)
            let other = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: world.server))
            try await other.revoke()
            try await other.enrol(with: World.signIn)
            _ = try await other.authenticate("Unlock")
            expect(try await Self.asks(world, .statementExport), is: true)
        }
    }

    @Test func stepUpsNeverShareAPrompt() async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            world.phone.next(.match, .match, .match, after: .seconds(1))
            async let unlock = world.auth.authenticate("Pay", policy: .highRisk)
            async let one = world.auth.stepUp(for: .newRecipient, reason: "Pay")
            async let other = world.auth.stepUp(for: .newRecipient, reason: "Pay")
            _ = try await (unlock, one, other)
            #expect(world.phone.promptCount == prompts + 3)
        }
    }

    @Test func aCancellationGivesNoStepUp() async throws {
        try await World.enrolled { world in
            world.phone.next(.cancel)
            await expectFailure(.cancelledByUser) { _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show your card") }
            expect(try await Self.asks(world, .cardDetails), is: true)
        }
    }

    @Test("the device signs what it asked for", arguments: [0, 1, 2])
    func tampered(_ change: Int) async throws {
        try await World.enrolled { world in
            world.server.state.withLock {
                $0.tamper = { claims in
                    switch change {
                    case 0: claims.act = "new-recipient"
                    case 1: claims.purpose = .signIn
                    default: claims.exp = claims.iat + .seconds(121)
                    }
                }
            }
            let prompts = world.phone.promptCount
            await expectFailure(.unexpectedAnswer) {
                _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show your card")
            }
            #expect(world.phone.promptCount == prompts)
        }
    }

    // MARK: Liveness

    @Test func evidenceIsPassedOnUnchanged() async throws {
        try await World.enrolled { world in
            let evidence = try #require(LivenessEvidence(jws: Self.signed))
            let check = Check(.success(evidence), world)
            _ = try await world.auth.stepUp(for: .newRecipient, reason: "Pay", liveness: check)
            let sent = try #require(world.server.state.withLock { $0.redeemed.last })
            #expect(sent.liveness == Self.signed)
            let asked = check.asked.withLock { $0 }
            #expect(asked.map(\.challenge) == [sent.challenge] && asked.map(\.action) == [.newRecipient])
            #expect(!"\(evidence)".contains("eyJ"))
        }
    }

    @Test func aStepUpWithoutEvidenceIsNotReusedForOneThatDemandsIt() async throws {
        try await World.enrolled { world in
            let check = Check(.success(try #require(LivenessEvidence(jws: Self.signed))), world)
            expect(try await Self.asks(world, .cardDetails), is: true)
            _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show your card", liveness: check)
            #expect(check.asked.withLock { $0.count } == 1)
            _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show your card", liveness: check)
            #expect(check.asked.withLock { $0.count } == 1)
            expect(try await Self.asks(world, .cardDetails), is: false)
        }
    }

    @Test func noKeySignsAfterACheckWithoutEvidence() async throws {
        try await World.enrolled { world in
            let prompts = world.phone.promptCount
            let missed = Check(.failure(Failure(.notMatched)), world)
            await expectFailure(.notMatched) {
                _ = try await world.auth.stepUp(for: .newRecipient, reason: "Pay", liveness: missed)
            }
            let slow = Check(.success(try #require(LivenessEvidence(jws: Self.signed))), world, takes: .seconds(61))
            await expectFailure(.timedOut) { _ = try await world.auth.stepUp(for: .newRecipient, reason: "Pay", liveness: slow) }
            #expect(world.phone.promptCount == prompts && !world.server.paths.contains("POST /v1/token"))
            await expectFailure(.reasonMissing) {
                _ = try await world.auth.stepUp(for: .newRecipient, reason: "", liveness: missed)
            }
            #expect(missed.asked.withLock { $0.count } == 1, "no camera is opened for nothing")
        }
    }

    @Test func evidenceIsACompactJWSOfLimitedSize() {
        #expect(LivenessEvidence(jws: "") == nil && LivenessEvidence(jws: "score: 0.97") == nil)
        #expect(LivenessEvidence(jws: "e30.e30.") == nil)
        #expect(LivenessEvidence(jws: "e30." + String(repeating: "A", count: 16 * 1024) + ".AA") == nil)
    }

    // MARK: Actions

    @Test func actionsHaveOneSpellingAndBounds() {
        for name in ["", "Card", "card details", "card_details", "cärd", String(repeating: "a", count: 65)] {
            #expect(StepUpAction(name, maximumAge: .zero) == nil, "\(name)")
        }
        #expect(StepUpAction(String(repeating: "a", count: 64), maximumAge: .seconds(300)) != nil)
        #expect(StepUpAction("a-1", maximumAge: .seconds(301)) == nil && StepUpAction("a-1", maximumAge: .seconds(-1)) == nil)
    }

    @Test func thePresetsAreTheDefaults() {
        let ages = { (actions: [StepUpAction]) in Dictionary(uniqueKeysWithValues: actions.map { ($0.name, $0.maximumAge) }) }
        #expect(
            ages(StepUpAction.presets) == [
                "new-recipient": .zero, "existing-recipient": .seconds(300), "card-details": .seconds(120),
                "statement-export": .seconds(300), "change-password": .zero,
            ])
        #expect(
            ages(StepUpAction.regulated)["existing-recipient"] == .zero && ages(StepUpAction.regulated)["new-recipient"] == .zero)
        #expect(ages(StepUpAction.regulated)["card-details"] == .seconds(120) && StepUpAction.regulated.count == 5)
        #expect(StepUpAction.presets.allSatisfy { StepUpAction($0.name, maximumAge: $0.maximumAge) == $0 })
    }
}
