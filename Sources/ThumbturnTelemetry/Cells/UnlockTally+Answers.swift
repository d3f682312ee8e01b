#if Server
internal import ThumbturnCore

// What is asked of a tally.

extension UnlockTally {
    /// Unlocks that succeeded on any rung.
    package var successes: Int { Rung.allCases.reduce(0) { $0 + self[.authenticated($1)] } }

    /// Unlocks that were cancelled by the person or abandoned.
    package var left: Int { self[.cancelled(.cancelledByUser)] + self[.abandoned] }

    /// The times to authenticate of the unlocks that succeeded, on any rung.
    package var timesToAuthenticate: TimeHistogram {
        Rung.allCases.reduce(into: TimeHistogram()) { $0.merge(self[Times($1)]) }
    }

    /// A quantile of the time to authenticate, of those unlocks only that succeeded; nil of none. Where slow unlocks are given
    /// up, it is too low: see `quantileCountingCensored`.
    package func quantileOfSuccesses(_ part: Double) -> Duration? { timesToAuthenticate.quantile(part) }

    /// A quantile of the time to authenticate that counts unlocks without success for the time that they lasted; nil where so
    /// many were given up that it is not known. See `SurvivalCurve`.
    package func quantileCountingCensored(_ part: Double) -> Duration? { timeCountingCensored.quantile(part) }

    /// The time to authenticate as a curve that counts unlocks without success for the time that they lasted.
    package var timeCountingCensored: SurvivalCurve {
        SurvivalCurve(successes: timesToAuthenticate, censored: self[Times.censored])
    }

    /// Answers to the offer of biometrics.
    package var offers: Int { BiometricOffer.Answer.allCases.reduce(0) { $0 + self[.offers($1)] } }

    /// Fallbacks because of this, from any rung to any.
    package func fallbacks(because cause: Counter.Cause) -> Int {
        Rung.allCases.reduce(0) { sum, from in
            Rung.allCases.reduce(sum) { $0 + self[.fallbacks(from: from, to: $1, because: cause)] }
        }
    }
}
#endif
