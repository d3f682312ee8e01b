#if Server
import ThumbturnCore

/// How one unlock went, for the figures.
struct UnlockOutcome {
    let isStranger: Bool
    /// The rung that let the person in; nil where they are not in.
    var rung: Rung?
    /// From the first prompt to the end.
    var time = Duration.zero
    /// The parts in which the sensor was asked: one for each flow that asked it.
    var attempts: [Attempt] = []
    /// Why the unlock first left the sensor for another rung.
    var fallback: Trigger?
    /// Why the person left; nil where they are in.
    var left: Leaving?
    var prompts = 0
    var hints = 0
    /// The flows: one, and one more for each time that the person began anew after a cancel.
    var flows = 0
    var cancelledFlows = 0

    /// The sensor's part of one flow.
    struct Attempt {
        /// From its first prompt to its end.
        var time: Duration
        /// The mismatches in it.
        var mismatches: Int
        var end: SensorEnd
    }

    /// How the sensor's part of a flow ended.
    enum SensorEnd: Hashable {
        case matched, timeout, cancelled, choice, mismatches
        /// The sensor could not be asked.
        case refused

        init(_ trigger: Trigger) {
            self =
                switch trigger {
                case .timeout: .timeout
                case .choice: .choice
                case .mismatches, .lockedOut: .mismatches
                case .skipped, .keyInvalidated: .refused
                }
        }
    }

    /// Why a person left.
    enum Leaving: Hashable, CaseIterable {
        /// After pressing "Cancel".
        case cancel
        /// When the prompt's time was over.
        case timeout
        /// After mismatches, a pause or a lockout.
        case mismatches
        /// While typing, or because they knew neither PIN nor password.
        case typing
        /// Nothing was left that they could do.
        case noWay
    }
}
#endif
