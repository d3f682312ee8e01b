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
                .seconds(3), .seconds(1), .seconds(60), .seconds(2)
            )
            ($0.retryWindow, $0.retryLimit, $0.arm) = (.seconds(20), .seconds(9), "b")
        }
        #expect(bounds.problem(in: policy) == nil)
        #expect(bounds.problem(in: Self.changed { $0.name = nil }) == nil)
    }

    @Test func delaysMayBeStrongerAndNeverWeaker() {
        #expect(bounds.problem(in: Self.changed { ($0.delays.afterMore, $0.delays.limit) = (.seconds(600), 5) }) == nil)
        let weaker: [(name: String, (inout MismatchDelays) -> Void)] = [
            ("burst", { $0.burst = 4 }), ("window", { $0.window = .seconds(59) }),
            ("after_burst", { $0.afterBurst = .seconds(9) }),
            ("after_next", { $0.afterNext = .seconds(29) }), ("after_more", { $0.afterMore = .seconds(299) }),
        ]
        for (name, change) in weaker {
            #expect(bounds.problem(in: Self.changed { change(&$0.delays) })?.hasPrefix("delays.\(name): ") == true, "\(name)")
        }
        var strict = UnlockPolicy.unlock
        (strict.delays.floorFrom, strict.delays.floor, strict.delays.limit) = (3, .seconds(60), 3)
        let strictBounds = PolicyBounds(around: strict)
        for (name, change) in [
            ("floor_from", { $0.floorFrom = 5 }), ("floor", { $0.floor = .seconds(59) }), ("limit", { $0.limit = 4 }),
        ] as [(String, (inout MismatchDelays) -> Void)] {
            var policy = strict
            change(&policy.delays)
            #expect(strictBounds.problem(in: policy)?.hasPrefix("delays.\(name): ") == true, "\(name)")
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
        bounds.rungs = [.biometric, .devicePasscode, .appPIN, .fullCredentials]
        (bounds.mayChangeAutomaticPrompt, bounds.longestReuse) = (true, .seconds(30))
        (bounds.mismatchLimit, bounds.pinMismatchLimit) = (2...4, 3...5)
        bounds.transition = .milliseconds(200) ... .milliseconds(300)
        bounds.weakestDelays.afterMore = .seconds(100)
        let policy = Self.changed {
            $0.ladder = [.appPIN, .biometric, .fullCredentials]
            ($0.automaticPrompt, $0.reuse, $0.mismatchLimit, $0.pinMismatchLimit) = (nil, .seconds(30), 4, 3)
            ($0.transition, $0.delays.afterMore) = (.milliseconds(200), .seconds(100))
        }
        #expect(bounds.problem(in: policy) == nil)
        #expect(bounds.problem(in: Self.changed { $0.reuse = .seconds(31) }) == "reuse: is longer than the app allows")
        bounds.rungs = [.biometric, .appPIN, .fullCredentials]
        #expect(bounds.problem(in: .unlock) == "ladder: has a rung that the app does not allow")
    }

    @Test func theAppMayNarrowTheTimes() {
        var bounds = bounds
        let narrow = Duration.seconds(5) ... .seconds(8)
        bounds.hintAfter = narrow
        #expect(bounds.problem(in: .unlock)?.hasPrefix("earliest_hint: ") == true)
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
