#if Server
package import ThumbturnCore

/// What the simulated people and their sensors are like. docs/simulator.md describes the file, member by member.
///
/// Times are milliseconds, and every `Times` is log-normal; shares and probabilities are 0 to 1.
package struct Population: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case name
        case sessionsPerPerson = "sessions_per_person"
        case between, groups, trouble, patience, choices, hint, pin, passcode
        case signIn = "sign_in"
        case strangers
    }

    /// The name of the population, in reports.
    package var name: TelemetryLabel
    /// How often each person unlocks; what they have learned of each other, person and device keep.
    package var sessionsPerPerson: Int
    /// The time from one unlock to the next.
    package var between: Times
    /// Kinds of people and sensors. Their shares sum up to 1.
    package var groups: [Group]
    /// An unlock in which the sensor has trouble: a wet or gloved finger, a mask, the sun.
    package var trouble: Trouble
    /// How long a person waits for an answer of the sensor, from the first prompt on, before pressing the prompt's button.
    package var patience: Times
    /// What people do when something went wrong.
    package var choices: Choices
    /// The hint and who takes it.
    package var hint: Hint
    /// The app's PIN.
    package var pin: Typed
    /// The device's passcode.
    package var passcode: Typed
    /// The full sign-in.
    package var signIn: SignIn
    /// The share of unlocks in which another person holds the device, whom the sensor does not match and who knows no PIN.
    package var strangers: Double

    /// A kind of people with a kind of sensor.
    package struct Group: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case name, share, answer, people, mismatch, trouble
            case staysInTrouble = "stays_in_trouble"
        }

        package var name: TelemetryLabel
        /// The group's share of all people.
        package var share: Double
        /// The time from a prompt to the sensor's verdict, with the hand's way to the sensor.
        package var answer: Times
        /// How much the people of the group differ: the standard deviation of the logarithm of a person's own median.
        package var people: Double
        /// The probability that the sensor's verdict is a mismatch although it is the right person.
        package var mismatch: Double
        /// The probability that an unlock is one with trouble.
        package var trouble: Double
        /// The probability that trouble is still there at the next unlock.
        package var staysInTrouble: Double
    }

    /// An unlock with trouble.
    package struct Trouble: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable { case silent, answer, mismatch }

        /// The probability that the sensor gives no verdict at all at one prompt.
        package var silent: Double
        /// The time to a verdict, where it gives one.
        package var answer: Times
        /// The probability that the verdict is a mismatch.
        package var mismatch: Double
    }

    /// What people do when something went wrong. What is left of 1 in `afterCancel` tries the sensor again.
    package struct Choices: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case leavesAfterCancel = "leaves_after_cancel"
            case otherWayAfterCancel = "other_way_after_cancel"
            case leavesAtTimeout = "leaves_at_timeout"
            case leavesAfterMismatches = "leaves_after_mismatches"
            case otherWayAtOnce = "other_way_at_once"
            case otherWayAfterMismatch = "other_way_after_mismatch"
        }

        /// After pressing "Cancel": the probability of leaving, and of choosing another way on the screen behind the prompt.
        package var leavesAfterCancel: Double
        package var otherWayAfterCancel: Double
        /// The probability of leaving when the prompt's time is over and the next rung appears.
        package var leavesAtTimeout: Double
        /// The probability of leaving when the next rung appears after mismatches, a pause or a lockout.
        package var leavesAfterMismatches: Double
        /// The probability of choosing another way before the first prompt, out of habit.
        package var otherWayAtOnce: Double
        /// The probability of pressing "Use …", once a mismatch has put it on the prompt, instead of trying again.
        package var otherWayAfterMismatch: Double
    }

    /// The hint "Having trouble? Use your PIN instead."
    package struct Hint: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable { case taken, reaction }

        /// The probability that the person sees the hint, which a system's sheet may cover, and takes it.
        package var taken: Double
        /// The time from the hint to the tap.
        package var reaction: Times
    }

    /// A rung on which people type.
    package struct Typed: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable { case time, wrong, forgotten }

        package var time: Times
        /// The probability that what is typed is wrong.
        package var wrong: Double
        /// The probability that the person does not know it any more. Drawn once for each person.
        package var forgotten: Double
    }

    /// The full sign-in.
    package struct SignIn: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case time
            case givenUp = "given_up"
        }

        package var time: Times
        /// The probability that the person gives it up.
        package var givenUp: Double
    }
}

// MARK: - Bounds

extension Population {
    /// The first thing that is wrong, beginning with the member's path; nil for a sound population.
    package var problem: String? {
        func share(_ path: String, _ value: Double) -> String? {
            (0...1).contains(value) ? nil : "\(path): is 0 to 1, and was \(value)"
        }
        func times(_ path: String, _ value: Times) -> String? {
            if !(1...3_600_000_000).contains(value.median) {
                return "\(path).median: is 1 to 3600000000 ms, and was \(value.median)"
            }
            return (0...3).contains(value.spread) ? nil : "\(path).spread: is 0 to 3, and was \(value.spread)"
        }
        let ofGroups = groups.enumerated().flatMap { index, group in
            let path = "groups[\(index)]"
            return [
                share("\(path).share", group.share), times("\(path).answer", group.answer),
                (0...3).contains(group.people) ? nil : "\(path).people: is 0 to 3, and was \(group.people)",
                share("\(path).mismatch", group.mismatch), share("\(path).trouble", group.trouble),
                share("\(path).stays_in_trouble", group.staysInTrouble),
            ]
        }
        let sum = groups.reduce(0) { $0 + $1.share }
        let checks =
            [
                (1...10_000).contains(sessionsPerPerson)
                    ? nil : "sessions_per_person: is 1 to 10000, and was \(sessionsPerPerson)",
                times("between", between), (1...20).contains(groups.count) ? nil : "groups: has not 1 to 20 groups",
            ] + ofGroups + [
                abs(sum - 1) < 1e-9 ? nil : "groups: their shares sum up to \(sum), not to 1",
                share("trouble.silent", trouble.silent), times("trouble.answer", trouble.answer),
                share("trouble.mismatch", trouble.mismatch), times("patience", patience),
                share("choices.leaves_after_cancel", choices.leavesAfterCancel),
                share("choices.other_way_after_cancel", choices.otherWayAfterCancel),
                choices.leavesAfterCancel + choices.otherWayAfterCancel <= 1
                    ? nil : "choices.other_way_after_cancel: is above 1 together with leaves_after_cancel",
                share("choices.leaves_at_timeout", choices.leavesAtTimeout),
                share("choices.leaves_after_mismatches", choices.leavesAfterMismatches),
                share("choices.other_way_at_once", choices.otherWayAtOnce),
                share("choices.other_way_after_mismatch", choices.otherWayAfterMismatch),
                share("hint.taken", hint.taken), times("hint.reaction", hint.reaction),
                times("pin.time", pin.time), share("pin.wrong", pin.wrong), share("pin.forgotten", pin.forgotten),
                times("passcode.time", passcode.time), share("passcode.wrong", passcode.wrong),
                share("passcode.forgotten", passcode.forgotten), times("sign_in.time", signIn.time),
                share("sign_in.given_up", signIn.givenUp), share("strangers", strangers),
            ]
        return checks.compactMap(\.self).first
    }
}

extension Population {
    /// The most bytes of a file.
    private static let longest = 64 * 1024

    /// Reads a population: strict JSON of at most 64 KiB, in which every member stands exactly once.
    ///
    /// Throws with the member's path for a text that is longer, that is no such JSON, or whose numbers are out of their bounds.
    package init(json: [UInt8]) throws(JSONError) {
        guard json.count <= Self.longest else { throw JSONError(.path(""), "is longer than \(Self.longest) bytes") }
        self = try StrictJSON.decode(Self.self, from: json)
        if let problem { throw JSONError(.path(""), problem) }
    }
}
#endif
