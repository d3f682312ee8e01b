import Foundation
import Synchronization
public import ThumbturnCore

extension SimulatedPhone {
    /// What happens at the next prompt.
    public enum Act: Sendable, Hashable {
        /// The enrolled person looks at the sensor, or types the right passcode.
        case match
        /// A stranger, for as many tries as end the prompt: one reported mismatch. Each try counts towards a lockout.
        case noMatch
        /// One try in vain. Where the model lets people try again inside one prompt, it goes on, nobody is told, and the same prompt
        /// takes the next act.
        case tryInVain
        /// The sensor sees too little for a verdict, and goes on asking: the same prompt takes the next act.
        case readPoorly(PoorReading)
        /// The person presses the prompt's cancel button.
        case cancel
        /// The system takes the prompt away: a call, another app in front.
        case systemCancel
        /// Another prompt takes this one's place.
        case supersede
        /// Nobody does anything; the prompt stays until it is dismissed, or the model's own time is up.
        case ignore
        /// The prompt is asked for too late in the life of its screen: nothing is shown, and no answer ever comes.
        case dropCallback
    }

    /// What the person does at the next prompts, in order. Without instructions the person matches.
    ///
    /// - Parameters:
    ///   - acts: one for each prompt.
    ///   - after: how long each takes; nil for a time drawn by `answerTimes`, and at once where there is none.
    public func next(_ acts: Act..., after: Duration? = nil) {
        state.withLock { $0.acts += acts.map { ($0, after) } }
    }

    /// Takes back every instruction that no prompt has taken yet.
    public func forgetActs() {
        state.withLock { $0.acts = [] }
    }

    /// How long the person takes where an instruction says nothing: a log-normal distribution, as reaction times are commonly described.
    /// The numbers are the test's; none of them was measured.
    ///
    /// - Parameters:
    ///   - median: half of the answers come sooner.
    ///   - spread: the standard deviation of the logarithm; 0 for always the median. About two thirds of the answers lie between the
    ///     median divided and multiplied by `exp(spread)`.
    ///   - seed: print it, so that a failure can be repeated.
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
