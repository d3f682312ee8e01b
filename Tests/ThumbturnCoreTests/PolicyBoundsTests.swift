import Testing
import ThumbturnCore

@Suite struct PolicyBoundsTests {
    private static func changed(_ change: (inout UnlockPolicy) -> Void) -> UnlockPolicy {
        var policy = UnlockPolicy.unlock
        change(&policy)
        return policy
    }

    private let bounds = PolicyBounds(around: .unlock)

    @Test func theAppsOwnPolicyIsWithinItsBounds() {
        for policy in UnlockPolicy.presets.values { #expect(PolicyBounds(around: policy).problem(in: policy) == nil) }
    }

    @Test func theTimesAndTheButtonAreFree() {
        let policy = Self.changed {
            $0.firstButton = .nextRung
            ($0.hintAfter, $0.earliestHint, $0.fallbackAfter, $0.earliestFallback) = (
                .seconds(3), .seconds(3), .seconds(60), .seconds(5)
            )
            ($0.retryWindow, $0.retryLimit, $0.arm) = (.seconds(20), .seconds(9), "b")
        }
        #expect(bounds.problem(in: policy) == nil)
        #expect(bounds.problem(in: Self.changed { $0.name = nil }) == nil)
    }

    /// Another limit counts mismatches anew, so a server would reopen a sensor that three mismatches have switched off.
    @Test func delaysAreTheAppsOwn() {
        let others: [(inout MismatchDelays) -> Void] = [
            { $0.burst = 4 }, { $0.window = .seconds(61) }, { $0.afterBurst = .seconds(11) }, { $0.afterNext = .seconds(29) },
            { $0.afterMore = .seconds(600) }, { ($0.floorFrom, $0.floor) = (3, .seconds(60)) }, { $0.limit -= 1 },
        ]
        for change in others {
            let policy = Self.changed { change(&$0.delays) }
            #expect(bounds.problem(in: policy) == "delays: are not the app's own", "\(policy.delays)")
        }
    }

    @Test func timesAreNotSoShortThatTheSensorIsOff() {
        let refused: [(name: String, (inout UnlockPolicy) -> Void)] = [
            ("hint_after", { ($0.hintAfter, $0.earliestHint) = (.milliseconds(2999), .seconds(2)) }),
            (
                "fallback_after",
                {
                    ($0.hintAfter, $0.earliestHint, $0.retryWindow, $0.retryLimit) = (
                        .seconds(3), .seconds(3), .seconds(1), .seconds(2)
                    )
                    ($0.fallbackAfter, $0.earliestFallback) = (.milliseconds(4999), .milliseconds(4999))
                }
            ),
            ("earliest_hint", { $0.earliestHint = .milliseconds(2999) }),
            ("earliest_fallback", { $0.earliestFallback = .milliseconds(4999) }),
            ("retry_window", { $0.retryWindow = .milliseconds(999) }), ("retry_limit", { $0.retryLimit = .milliseconds(1999) }),
        ]
        for (name, change) in refused {
            let problem = bounds.problem(in: Self.changed(change))
            #expect(problem?.hasPrefix("\(name): ") == true, "\(name): \(problem ?? "no problem")")
        }
    }

    @Test func everythingElseIsTheAppsOwn() {
        let refused: [(name: String, (inout UnlockPolicy) -> Void)] = [
            ("ladder", { $0.ladder = [.biometric, .devicePasscode, .fullCredentials] }), ("ladder", { $0.ladder.swapAt(0, 1) }),
            (
                "also",
                { ($0.ladder, $0.additionalRungs) = ([.biometric, .devicePasscode, .appPIN, .fullCredentials], [.appPIN]) }
            ),
            ("automatic_prompt", { $0.automaticPrompt = nil }), ("automatic_prompt", { $0.automaticPrompt = .milliseconds(300) }),
            ("mismatch_limit", { $0.mismatchLimit = 4 }), ("mismatch_limit", { $0.mismatchLimit = 2 }),
            ("pin_mismatch_limit", { $0.pinMismatchLimit = 6 }), ("transition", { $0.transition = .milliseconds(200) }),
            ("reuse", { $0.reuse = .seconds(1) }), ("name", { $0.name = "other" }),
        ]
        for (name, change) in refused {
            let problem = bounds.problem(in: Self.changed(change))
            #expect(problem?.hasPrefix("\(name): ") == true, "\(name): \(problem ?? "no problem")")
        }
    }

    @Test func aDemandedKeyStays() {
        var two = UnlockPolicy(ladder: [.biometric, .fullCredentials])
        two.additionalRungs = [.appPIN]
        var one = two
        one.additionalRungs = []
        #expect(PolicyBounds(around: two).problem(in: one) == "also: are not the app's own")
    }

    @Test func theAppMayAllowMore() {
        var bounds = bounds
        (bounds.mayChangeAutomaticPrompt, bounds.longestReuse) = (true, .seconds(30))
        (bounds.mismatchLimit, bounds.pinMismatchLimit) = (2...4, 3...5)
        bounds.transition = .milliseconds(200) ... .milliseconds(300)
        let policy = Self.changed {
            ($0.automaticPrompt, $0.reuse, $0.mismatchLimit, $0.pinMismatchLimit) = (nil, .seconds(30), 4, 3)
            $0.transition = .milliseconds(200)
        }
        #expect(bounds.problem(in: policy) == nil)
        #expect(bounds.problem(in: Self.changed { $0.reuse = .seconds(31) }) == "reuse: is longer than the app allows")
    }

    @Test func theAppMayNarrowTheTimes() {
        var bounds = bounds
        let narrow = Duration.seconds(5) ... .seconds(8)
        bounds.hintAfter = narrow
        #expect(bounds.problem(in: .unlock) == nil, "the app's own earliest hint stays")
        bounds.hintAfter = .seconds(5) ... .seconds(7)
        #expect(bounds.problem(in: .unlock)?.hasPrefix("hint_after: ") == true)
        bounds = self.bounds
        bounds.fallbackAfter = narrow
        #expect(bounds.problem(in: .unlock)?.hasPrefix("fallback_after: ") == true)
        bounds = self.bounds
        bounds.retryWindow = .seconds(9) ... .seconds(10)
        #expect(bounds.problem(in: .unlock)?.hasPrefix("retry_window: ") == true)
        bounds = self.bounds
        bounds.retryLimit = .seconds(9) ... .seconds(10)
        #expect(bounds.problem(in: .unlock)?.hasPrefix("retry_limit: ") == true)
    }

    @Test func aPolicyThatContradictsItselfIsNone() {
        #expect(bounds.problem(in: Self.changed { $0.hintAfter = .seconds(13) })?.hasPrefix("hint_after: ") == true)
    }

    @Test func anExperimentIsWithinTheBoundsWhereAllOfItsArmsAre() throws {
        let longer = Self.changed { $0.reuse = .seconds(60) }
        let experiment = try Experiment(
            "e", arms: [.init("a", weight: 1, policy: .unlock), .init("b", weight: 1, policy: longer)])
        #expect(bounds.problem(in: experiment) == "arms[1].policy.reuse: is longer than the app allows")
        let sound = try Experiment(
            "e",
            arms: [
                .init("a", weight: 1, policy: .unlock),
                .init("b", weight: 1, policy: Self.changed { $0.hintAfter = .seconds(6) }),
            ])
        #expect(bounds.problem(in: sound) == nil)
    }
}
