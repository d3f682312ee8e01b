#if Server
/// How long it takes to authenticate where some unlocks were given up before: the Kaplan–Meier estimate.
///
/// An unlock that was given up after 3 s tells that this person was not authenticated within 3 s, and no more. Dropping it would
/// make slow prompts look fast, because the slow ones are given up. So it counts among those who wait until 3 s, and not after
/// (Kaplan and Meier, "Nonparametric Estimation from Incomplete Observations", 1958). The estimate takes giving up to be
/// independent of how long the unlock would have taken.
package struct SurvivalCurve: Sendable {
    /// One time at which an unlock succeeded, and the part of all that is authenticated by then.
    package struct Step: Hashable, Sendable {
        package var time: Duration
        package var authenticated: Double
    }

    /// The steps, in the order of their times.
    package let steps: [Step]

    /// Makes the curve.
    ///
    /// - Parameters:
    ///   - successes: when unlocks were authenticated.
    ///   - censored: when unlocks were given up. Within one bin they come after the successes, as is usual for equal times.
    package init(successes: TimeHistogram, censored: TimeHistogram) {
        let (events, ends) = (successes.bins, censored.bins)
        var waiting = Double(successes.count + censored.count)
        var survival = 1.0
        var end = 0
        var steps: [Step] = []
        for event in events {
            while end < ends.count, ends[end].lowest < event.lowest {
                waiting -= Double(ends[end].count)
                end += 1
            }
            survival *= 1 - Double(event.count) / waiting
            waiting -= Double(event.count)
            steps.append(Step(time: event.middle, authenticated: 1 - survival))
        }
        self.steps = steps
    }

    /// The time by which this part of all unlocks would be authenticated; nil where so many were given up that it is not known.
    package func quantile(_ part: Double) -> Duration? {
        // The products above are not exact: 20 of 20 must reach 1.
        steps.first { $0.authenticated >= part - 1e-9 }?.time
    }
}
#endif
