// What a flow says and is told: where it stands, what happens to it, and what it wants done.

extension UnlockFlow {
    /// Where the flow stands.
    public enum State: Hashable, Sendable {
        case idle
        /// The screen is there, and nobody has been asked yet.
        case waiting
        /// The person is being asked.
        case prompting(Prompt)
        /// The prompt was answered; the key is making the proof. A PIN is judged only here.
        case signing(Prompt)
        /// The app is in the back; nil where nobody had been asked yet.
        case away(Rung?)
        /// The system took the prompt, which it also does just before the app goes to the back.
        case interrupted(Rung)
        case finished(End)
    }

    /// A prompt on the screen, or about to be.
    public struct Prompt: Hashable, Sendable {
        /// Tells this prompt from earlier ones.
        public let id: Int
        /// Which rung is asked.
        public let rung: Rung
        /// What the system's cancel button says in this phase.
        public let cancelButton: CancelButton

        /// A prompt; flows number theirs from 1.
        public init(id: Int, rung: Rung, cancelButton: CancelButton) {
            self.id = id
            self.rung = rung
            self.cancelButton = cancelButton
        }
    }

    /// What the system's cancel button says.
    public enum CancelButton: Hashable, Sendable {
        case cancel
        /// "Use …": pressing it moves on to this rung.
        case use(Rung)
    }

    /// How the flow ended.
    public enum End: Hashable, Sendable {
        /// There is no grant without the proof that a key made; `also` are the further ones that the policy demands, in its order.
        case granted(Rung, Proof, also: [Proof] = [])
        /// No key signed, or not all that have to; the failure carries the next step.
        case failed(Failure)
    }

    /// What made the flow begin.
    public enum Start: Hashable, Sendable {
        /// A tap, or the app's own call: the prompt comes at once.
        case tap
        /// The screen appeared: the prompt comes after the policy's time, or waits for a tap.
        case screen
    }

    /// What happened. Late, doubled and foreign events change nothing.
    public enum Event: Hashable, Sendable {
        /// The flow may start; this is what the device can do.
        case began(Readiness, by: Start)
        /// The person asked for the prompt.
        case tapped
        /// A prompt ended.
        case answered(SensorAnswer, prompt: Int)
        /// The sensor saw too little for a verdict, and asks again by itself.
        case readPoorly(PoorReading, prompt: Int)
        /// The person asked for another way.
        case hintChosen
        /// The key made the proof, or could not.
        case signed(Proof, prompt: Int)
        case signingFailed(Failure, prompt: Int)
        /// What the device can do has changed.
        case changed(Readiness)
        /// The app went to the back.
        case wentBack
        /// The app has the screen again.
        case cameFront
        /// The app ended the flow: its task was cancelled, or another prompt took the place.
        case stopped(Failure)
        /// A time that was asked for has come.
        case woke
    }

    /// What to do. Effects are carried out in order.
    public enum Effect: Hashable, Sendable {
        /// Puts the prompt on the screen, once an earlier one has gone.
        case show(Prompt)
        /// Takes the prompt off the screen; whatever it still answers is stale.
        case dismiss(Prompt)
        /// Has the rung's key make the proof.
        case sign(Prompt)
        /// Sends `woke` at this time.
        case wake(at: Instant)
        /// "Having trouble? Use … instead."
        case showHint(Rung)
        /// Offers to set up what is missing, without standing in the way.
        case offerSetUp(Failure)
        case move(from: Rung, to: Rung, because: Trigger)
        case emit(Telemetry)
        case finish(End)
    }
}
