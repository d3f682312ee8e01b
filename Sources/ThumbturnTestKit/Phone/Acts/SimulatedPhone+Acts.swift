import Foundation
import Synchronization
public import ThumbturnCore

extension SimulatedPhone {
    /// What happens at the next prompt.
    public enum Act: Sendable, Hashable {
        /// The enrolled person looks at the sensor, or types the right passcode.
        case match
        /// A stranger tries until the prompt ends: one reported mismatch. Each try counts towards a lockout.
        case noMatch
        /// One unsuccessful try. Where the model allows several tries in one prompt, nothing is reported, and the same
        /// prompt takes the next act.
        case tryInVain
        /// The sensor cannot give a verdict, and asks again: the same prompt takes the next act.
        case readPoorly(PoorReading)
        /// The person presses the prompt's cancel button.
        case cancel
        /// The system takes the prompt away: a call, another app in front.
        case systemCancel
        /// Another prompt takes this one's place.
        case supersede
        /// The person does nothing; the prompt stays until it is dismissed, or until the model's own limit.
        case ignore
        /// The prompt is requested too late in the life of its screen: nothing is shown, and no answer ever comes.
        case dropCallback
    }

    /// Instructs the person at the next prompts, in order. Without instructions the person matches.
    ///
    /// - Parameters:
    ///   - acts: one for each prompt.
    ///   - after: how long each act takes; nil for a time drawn by `answerTimes`, or no time without that.
    public func next(_ acts: Act..., after: Duration? = nil) {
        state.withLock { $0.acts += acts.map { ($0, after) } }
    }

    /// Removes every instruction that no prompt has taken yet.
    public func forgetActs() {
        state.withLock { $0.acts = [] }
    }

    /// Sets how long the person takes where an instruction has no time: a log-normal distribution, as reaction times
    /// are commonly described. The numbers are the test's; none of them was measured.
    ///
    /// - Parameters:
    ///   - median: half of the answers come sooner.
    ///   - spread: the standard deviation of the logarithm; 0 for always the median. About two thirds of the answers
    ///     lie between the median divided and multiplied by `exp(spread)`.
    ///   - seed: the seed of the times. Print it, so that a failing test can be repeated.
    public func answerTimes(median: Duration, spread: Double, seed: UInt64) {
        state.withLock { $0.answerTimes = AnswerTimes(median: median, spread: spread, generator: SeededGenerator(seed: seed)) }
    }

    struct AnswerTimes {
        var median: Duration
        var spread: Double
        var generator: SeededGenerator

        mutating func draw() -> Duration {
            // Box and Muller (1958): a normal number from two uniform ones.
            let (first, second) = (
                Double.random(in: 0.000001...1, using: &generator), Double.random(in: 0...1, using: &generator)
            )
            let normal = (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
            return median * exp(spread * normal)
        }
    }
}
