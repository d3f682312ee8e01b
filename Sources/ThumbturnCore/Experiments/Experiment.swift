/// Policies of which each device gets one, by chance and for as long as the experiment runs.
///
/// As JSON; a policy is written as `UnlockPolicy` documents it:
///
///     {"name": "hint", "arms": [{"name": "usual", "weight": 3, "policy": {…}}, {"name": "early", "weight": 1, "policy": {…}}]}
///
/// Which arm a device gets is told by its `AssignmentToken`, which only the device knows.
public struct Experiment: Hashable, Sendable {
    /// The name, which is part of the assignment: another name assigns anew.
    public let name: TelemetryLabel
    /// 2 to 8 arms with different names.
    public let arms: [Arm]

    /// The numbers of arms that an experiment may have.
    public static let armCounts = 2...8

    /// One of the policies of an experiment.
    public struct Arm: Hashable, Sendable {
        /// The name, which is also the policy's arm in telemetry.
        public let name: TelemetryLabel
        /// How many devices get it, in proportion to the other arms' weights.
        public let weight: Int
        /// The policy.
        public let policy: UnlockPolicy

        /// The weights that an arm may have.
        public static let weights = 1...10_000

        /// Makes an arm. The policy's `arm` becomes the name.
        public init(_ name: TelemetryLabel, weight: Int, policy: UnlockPolicy) {
            var policy = policy
            policy.arm = name
            self.name = name
            self.weight = weight
            self.policy = policy
        }

        /// The first contradiction, beginning with the member's name; nil for a sound arm.
        var problem: String? {
            guard Self.weights.contains(weight) else { return "weight: is not 1 to 10000" }
            return policy.problem.map { "policy.\($0)" }
        }
    }

    /// Makes an experiment. Throws `ExperimentError`, whose problem begins with the member's name.
    public init(_ name: TelemetryLabel, arms: [Arm]) throws(ExperimentError) {
        guard Self.armCounts.contains(arms.count) else { throw ExperimentError("arms: are not 2 to 8") }
        guard Set(arms.map(\.name)).count == arms.count else { throw ExperimentError("arms: have a name twice") }
        for (index, arm) in arms.enumerated() {
            if let problem = arm.problem { throw ExperimentError("arms[\(index)].\(problem)") }
        }
        self.name = name
        self.arms = arms
    }
}

/// Why an experiment contradicts itself.
public struct ExperimentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first contradiction, beginning with the member's name, such as `arms[1].weight: is not 1 to 10000`.
    public let problem: String

    init(_ problem: String) { self.problem = problem }

    public var description: String { problem }
}

// MARK: - Assignment

extension Experiment {
    /// The arm of a device, by one random number for each arm.
    ///
    /// Each arm draws a time, exponentially distributed with its weight as the rate: −log₂ of its number, divided by the weight.
    /// The earliest one is the arm. So an arm has devices in proportion to its weight, and where one weight changes, devices move
    /// only to this arm or only away from it, and no more of them than the shares demand. The logarithm is computed in whole
    /// numbers, so that every device and every server comes to the same result.
    ///
    /// - Parameter number: a random number of 64 bits for an arm, the same for one device, experiment and arm.
    package func arm(_ number: (Arm) -> UInt64) -> Arm {
        let draws = arms.map { arm in (arm, time: Self.negatedLog(number(arm)), weight: UInt64(arm.weight)) }
        // A time is below 2^46 and a weight below 2^14, so no product overflows. Of equal times the name's order decides, which
        // does not depend on the order of the arms.
        let first = draws.min { lhs, rhs in
            let (left, right) = (lhs.time * rhs.weight, rhs.time * lhs.weight)
            return left == right ? lhs.0.name.text < rhs.0.name.text : left < right
        }
        guard let first else { preconditionFailure("an experiment has arms") }
        return first.0
    }

    /// −log₂(x / 2^64) × 2^40 of the number x with its lowest bit set.
    ///
    /// The whole part of the logarithm is the place of the highest bit. For each bit of the fraction, the mantissa in [1, 2),
    /// of which 63 bits follow the point, is squared and cut to its high half; where the square is 2 or more, the bit is 1 and the
    /// square is halved.
    package static func negatedLog(_ number: UInt64) -> UInt64 {
        let x = number | 1
        let whole = UInt64(63 - x.leadingZeroBitCount)
        var mantissa = x << UInt64(x.leadingZeroBitCount)
        var fraction: UInt64 = 0
        for _ in 0..<40 {
            let (high, low) = mantissa.multipliedFullWidth(by: mantissa)
            fraction <<= 1
            if high >> 63 == 1 {
                fraction |= 1
                mantissa = high
            } else {
                mantissa = high << 1 | low >> 63
            }
        }
        return 64 << 40 - (whole << 40 + fraction)
    }
}

// MARK: - JSON

extension Experiment: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case name, arms }

    /// Reads an experiment. Throws `DecodingError` with the reason for an unknown member and for a contradiction.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let (name, arms) = (try values.decode(TelemetryLabel.self, forKey: .name), try values.decode([Arm].self, forKey: .arms))
        do throws(ExperimentError) {
            try self.init(name, arms: arms)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: error.problem))
        }
    }

    /// Reads an experiment that a server sent: strict JSON of at most 16 KiB, in which no member stands twice. Throws
    /// `DecodingError` with the place and the reason.
    public init(json: [UInt8]) throws(DecodingError) {
        do throws(JSONError) {
            guard json.count <= UnlockPolicy.longest else {
                throw JSONError(.path(""), "is longer than \(UnlockPolicy.longest) bytes")
            }
            self = try StrictJSON.decodeIgnoringUnknown(Self.self, from: json)
        } catch {
            throw .dataCorrupted(.init(codingPath: [], debugDescription: error.description))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(arms, forKey: .arms)
    }
}

extension Experiment.Arm: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case name, weight, policy }

    /// Reads an arm. Throws `DecodingError` for an unknown member, and for a policy that names another arm.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let name = try values.decode(TelemetryLabel.self, forKey: .name)
        let policy = try values.decode(UnlockPolicy.self, forKey: .policy)
        guard policy.arm == nil || policy.arm == name else {
            throw DecodingError.dataCorruptedError(forKey: .policy, in: values, debugDescription: "arm: is not the arm's name")
        }
        self.init(name, weight: try values.decode(Int.self, forKey: .weight), policy: policy)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(weight, forKey: .weight)
        try values.encode(policy, forKey: .policy)
    }
}

extension Experiment: CustomStringConvertible {
    /// For example `hint: usual 3, early 1`.
    public var description: String { "\(name): " + arms.map { "\($0)" }.joined(separator: ", ") }
}

extension Experiment.Arm: CustomStringConvertible {
    /// For example `early 1`.
    public var description: String { "\(name) \(weight)" }
}
