#if Server
package import ThumbturnCore
import ThumbturnTelemetry

/// The published figures of one app's change of timeouts, before and after: what the default population is fitted to, and what its
/// adaptive policy is said to have led to.
package enum Article {
    /// The prompt before the change: it waits 30 s for the sensor whatever happens, and its button only cancels.
    package static let fixedPrompt: UnlockPolicy = {
        var policy = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])
        (policy.retryWindow, policy.retryLimit) = (.seconds(30), .seconds(30))
        (policy.hintAfter, policy.earliestHint) = (.seconds(30), .seconds(30))
        (policy.fallbackAfter, policy.earliestFallback) = (.seconds(30), .seconds(30))
        policy.name = "fixed prompt of 30 s"
        return policy
    }()

    /// The policy after it, in this library's terms: the defaults.
    package static let adaptive: UnlockPolicy = {
        var policy = UnlockPolicy.sensitiveScreen
        policy.automaticPrompt = nil
        policy.name = "adaptive default"
        return policy
    }()

    /// The figures of the fixed prompt, to which alone the default population is fitted.
    package static let seen: [PopulationFit.Target] = [
        .init(.slow, 0.18), .init(.slowUnresolved, 0.62), .init(.sensorP95, 14), .init(.pin, 0.12), .init(.timeoutRatio, 1.41),
    ]

    /// The numbers of the population that the fit moves. All others stand as docs/simulator.md gives reasons for them.
    package static let moved: [PopulationFit.Parameter] = [
        .trouble, .troubleTime, .troubleSpread, .silent, .otherWayAtOnce, .leavesAtTimeout, .patience,
    ]

    /// What the article says of the adaptive policy.
    package struct Claim: Sendable {
        /// The claim in words.
        package let claim: String
        /// What was measured, in words.
        package let measured: String
        package let isMet: Bool
        /// Why, or what else the claim may mean.
        package let reason: String
    }

    /// Compares the claims with what the adaptive policy led to.
    package static func claims(_ fixed: PolicyFigures, _ adaptive: PolicyFigures) -> [Claim] {
        func value(_ figure: PolicyFigures.Figure, _ of: PolicyFigures) -> Double { of.estimate(figure)?.value ?? .nan }
        func percent(_ share: Double) -> String { "\(Figures.fixed(share * 100, 1)) %" }
        func seconds(_ time: Double) -> String { "\(Figures.fixed(time, 1)) s" }
        let (sensor, any) = (value(.sensorP95, adaptive), value(.p95, adaptive))
        let (pin, completion, before) = (value(.pin, adaptive), value(.completion, adaptive), value(.completion, fixed))
        let gain = before > 0 ? completion / before - 1 : 0
        return [
            Claim(
                claim: "P95 of the time to authenticate: 14 s before, 6 s after",
                measured: "\(seconds(value(.sensorP95, fixed))) before, \(seconds(sensor)) after, of the sensor's matches",
                isMet: sensor <= 6,
                reason:
                    "Of any success it is \(seconds(value(.p95, fixed))) before and \(seconds(any)) after, with the time for typing a PIN; "
                    + "the article does not say which it means. \(percent(adaptive.sensorShare(from: 6))) of the matches after the change "
                    + "took longer than 6 s: the policy waits for the sensor up to \(adaptive.longest.map { seconds($0) } ?? "12 s")."
            ),
            Claim(
                claim: "PIN use: 12 % before, 18 % after",
                measured: "\(percent(value(.pin, fixed))) before, \(percent(pin)) after", isMet: abs(pin - 0.18) <= 0.01,
                reason:
                    "Met within a point either way. \(percent(value(.timeouts, adaptive))) of the unlocks fall back because the time "
                    + "is over, \(percent(value(.choices, adaptive))) because the person chose so."),
            Claim(
                claim: "Completion: +9 %",
                measured: "\(percent(before)) before, \(percent(completion)) after: \(gain < 0 ? "" : "+")\(percent(gain))",
                isMet: gain >= 0.09,
                reason: before * 1.09 > 1
                    ? "With \(percent(before)) before the change no policy can add 9 %: more than all would succeed."
                    : "Who leaves at the fixed prompt is in the figures that the population is fitted to only by their proportion."
            ),
        ]
    }
}
#endif
