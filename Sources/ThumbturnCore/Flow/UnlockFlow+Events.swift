// The events that a flow takes, and the effects that it returns.

extension UnlockFlow {
    /// What makes a flow begin.
    public enum Start: Hashable, Sendable {
        /// A tap, or the app's own call: the prompt appears at once.
        case tap
        /// The screen appeared: the prompt appears after the policy's time, or waits for a tap.
        case screen
        /// A tap on a button that names this rung: it is asked at once, and then what follows it on the ladder. It counts
        /// where the policy has that rung; otherwise the ladder begins where it always does.
        case rung(Rung)
    }

    /// Something that happened. Events that are late, doubled or of another prompt change nothing.
    package enum Event: Hashable, Sendable {
        /// The flow may start, with what the device can do.
        case began(Readiness, by: Start)
        /// The person asked for the prompt.
        case tapped
        /// A prompt can be answered now, or was asked for where the system tells no more.
        case appeared(Telemetry.Appearance, prompt: Int)
        /// A prompt ended.
        case answered(SensorAnswer, prompt: Int)
        /// The sensor could not give a verdict, and asks again by itself.
        case readPoorly(PoorReading, prompt: Int)
        /// The sensor did not match, the prompt stays, and the sensor asks again by itself.
        case mismatched(prompt: Int)
        /// The person asked for another way: the next rung that can be asked.
        case hintChosen
        /// The key made the proof.
        case signed(Output, prompt: Int)
        /// The key could not make the proof.
        case signingFailed(Failure, prompt: Int)
        /// What the device can do has changed.
        case changed(Readiness)
        /// The app went to the back.
        case wentBack
        /// The app has the screen again.
        case cameFront
        /// The app ended the flow: its task was cancelled, or another prompt took the place.
        case stopped(Failure)
        /// A time that the flow asked to be woken at has come.
        case woke
    }

    /// Something to do. Effects are carried out in order.
    package enum Effect: Hashable, Sendable {
        /// Puts the prompt on the screen, once an earlier one has gone.
        case show(Prompt)
        /// Takes the prompt off the screen; its later answers are ignored.
        case dismiss(Prompt)
        /// Lets the rung's key make the proof.
        case sign(Prompt)
        /// Sends `woke` at this time.
        case wake(at: Instant)
        /// "Having trouble? Use … instead."
        case showHint(Rung)
        /// Offers to set up what is missing, without blocking the flow.
        case offerSetUp(Failure)
        /// The next rung takes the place of another.
        case move(from: Rung, to: Rung, because: Trigger)
        /// Reports an event of telemetry.
        case emit(Telemetry)
        /// The flow ended.
        case finish(End)
    }
}

extension UnlockFlow.Start: CustomStringConvertible {
    /// The start in words.
    public var description: String {
        switch self {
        case .tap: "tap"
        case .screen: "screen"
        case .rung(let rung): "at \(rung)"
        }
    }
}
