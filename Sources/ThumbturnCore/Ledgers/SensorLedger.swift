/// The rules by which one policy counts mismatches at the sensor, and by which its count is lifted.
package struct SensorRules: Hashable, Sendable {
    package let delays: MismatchDelays
    /// The rungs whose success empties the policy's own count: the others of its ladder, and always the full sign-in.
    package let liftedBy: Set<Rung>
}

/// The mismatches of one sensor's key, for every policy that asks it.
///
/// All policies share one count, so that one policy's attempts are not had again under another one; a match or a stronger
/// rung empties it. Beside it each policy keeps what was counted under itself: a match under a policy that allows more
/// mismatches does not empty it, nor does a rung that is not on the policy's own ladder. So whom the sensor takes for
/// another person cannot turn it on again for a payment by unlocking the app.
package struct SensorLedger: Hashable, Sendable {
    private var shared: BiometricLedger
    private var own: [Own]
    /// Whether the counts of single policies are lost: those that allow fewer mismatches than all others keep the sensor off.
    private var isReplacement: Bool

    private struct Own: Hashable, Sendable, Codable {
        var limit: Int
        var liftedBy: Set<Rung>
        var ledger = BiometricLedger()

        init(_ rules: SensorRules) {
            limit = rules.delays.limit
            liftedBy = rules.liftedBy
        }

        func isOf(_ rules: SensorRules) -> Bool { limit == rules.delays.limit && liftedBy == rules.liftedBy }
    }

    private static let mostOwn = 100

    /// A ledger without mismatches.
    package init() { self.init(shared: BiometricLedger(), isReplacement: false) }

    private init(shared: BiometricLedger, isReplacement: Bool) {
        self.shared = shared
        own = []
        self.isReplacement = isReplacement
    }

    /// The replacement for a ledger that is damaged or gone; see `BiometricLedger.replacingDamaged`.
    package static func replacingDamaged(at now: Moment) -> SensorLedger {
        SensorLedger(shared: .replacingDamaged(at: now), isReplacement: true)
    }

    /// The longest pause from now on, and one attempt after it, whatever was counted.
    package static func slowed(at now: Moment) -> SensorLedger {
        SensorLedger(shared: .replacingDamaged(at: now), isReplacement: false)
    }

    /// The ledger to write before a prompt: it counts one more mismatch, until it is settled.
    package func attempting(at now: Moment, under rules: SensorRules) -> SensorLedger {
        var next = self
        next.shared = shared.attempting(at: now, under: rules.delays)
        let index = own.firstIndex { $0.isOf(rules) } ?? own.count
        // Where a device saw more policies than this, the oldest one's count goes.
        if index == own.count { next.own = own.suffix(Self.mostOwn - 1) + [Own(rules)] }
        let place = min(index, next.own.count - 1)
        next.own[place].ledger = next.own[place].ledger.attempting(at: now, under: rules.delays)
        return next
    }

    /// The ledger after a match.
    package func matched(under rules: SensorRules) -> SensorLedger {
        var next = self
        next.shared = BiometricLedger()
        next.own.removeAll { $0.limit >= rules.delays.limit }
        return next
    }

    /// The ledger after a stronger rung has succeeded.
    package func lifted(by rung: Rung) -> SensorLedger {
        var next = SensorLedger()
        next.own = own.filter { !$0.liftedBy.contains(rung) }
        return next
    }

    /// Whether the sensor may be asked now.
    package func standing(at now: Moment, under rules: SensorRules) -> BiometricLedger.Standing {
        if isReplacement, rules.delays.limit < MismatchDelays().limit { return .off }
        return counts(for: rules).map { $0.standing(at: now, under: rules.delays) }.max() ?? .open
    }

    /// The ledger to keep from now on; see `BiometricLedger.anchored`.
    package func anchored(at now: Moment, under rules: SensorRules) -> SensorLedger {
        var next = self
        next.shared = shared.anchored(at: now, under: rules.delays)
        for index in own.indices where own[index].isOf(rules) {
            next.own[index].ledger = own[index].ledger.anchored(at: now, under: rules.delays)
        }
        return next
    }

    private func counts(for rules: SensorRules) -> [BiometricLedger] {
        [shared] + own.filter { $0.isOf(rules) }.map(\.ledger)
    }
}

extension SensorLedger: Codable {
    private enum CodingKeys: String, CodingKey { case shared, own, isReplacement }

    /// Throws `DecodingError` for values outside their bounds, so that a damaged ledger is recognised.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        shared = try container.decode(BiometricLedger.self, forKey: .shared)
        own = try container.decode([Own].self, forKey: .own)
        isReplacement = try container.decode(Bool.self, forKey: .isReplacement)
        guard own.count <= Self.mostOwn else {
            throw DecodingError.dataCorruptedError(forKey: .own, in: container, debugDescription: "too many counts")
        }
    }
}

extension BiometricLedger.Standing: Comparable {
    /// The stricter one is greater.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

    private var rank: Duration {
        switch self {
        case .open: .zero
        case .paused(let time): time
        // Above the longest pause of any policy.
        case .off: .seconds(Int64.max)
        }
    }
}
