/// What each action demands before it is done: the one policy table of a deployment. The authorization server grants by it, and resource
/// servers judge by it. An action that is not in the table is denied.
public struct StepUpTable: Hashable, Sendable {
    /// The rules by the actions' names.
    public var actions: [String: ActionRule]

    /// A table of these rules; an empty one denies everything.
    public init(actions: [String: ActionRule]) {
        self.actions = actions
    }

    private init(_ actions: [StepUpAction]) {
        self.init(actions: Dictionary(uniqueKeysWithValues: actions.map { ($0.name, ActionRule(maximumAge: $0.maximumAge)) }))
    }

    /// The ages that the device's `StepUpAction.presets` have.
    public static let standard = StepUpTable(StepUpAction.presets)
    /// The ages of `StepUpAction.regulated`: every payment is signed (SCA-RTS Art. 5).
    public static let regulated = StepUpTable(StepUpAction.regulated)
    /// The presets by name, as files call them.
    public static let presets: [String: StepUpTable] = ["standard": .standard, "regulated": .regulated]
}

/// What one action demands.
public struct ActionRule: Hashable, Sendable {
    /// How old the proof may be, counted from when its challenge was made: 0 to 300 s. Zero: a signature for each; see `signsEach`.
    public var maximumAge: Duration
    /// The kinds of keys that may answer, one of them.
    public var keys: [KeyKind] = [.biometric, .pin]
    /// How far the key that answers may be trusted, at least.
    public var assurance = Assurance(protection: .software, verification: .none)
    /// What has to be shown beside the key, one of it; empty for nothing.
    public var oneOf: [FurtherProof] = []
    /// What larger amounts demand on top. Where there are any, the amount has to be named, and a currency without an entry is denied.
    public var thresholds: [Threshold] = []

    /// A rule that a single key answers, biometric or PIN.
    public init(maximumAge: Duration) {
        self.maximumAge = maximumAge
    }

    /// Whether each use wants a signature of its own; then a token is good for one use.
    public var signsEach: Bool { maximumAge == .zero }

    /// An amount, beyond which more has to be shown.
    public struct Threshold: Hashable, Sendable {
        /// Amounts above it.
        public var above: Money
        /// What has to be shown then, one of it.
        public var oneOf: [FurtherProof]

        /// A threshold.
        public init(above: Money, oneOf: [FurtherProof]) {
            self.above = above
            self.oneOf = oneOf
        }
    }
}

/// What can be shown beside one key's signature.
public enum FurtherProof: String, Hashable, Sendable, Codable, CaseIterable {
    /// The biometric and the PIN key have both signed the one challenge.
    case twoKeys = "two-keys"
    /// Signed evidence of a liveness check that is certified for at least the level substantial.
    case substantialLiveness = "liveness-substantial"
    /// The same for the level high.
    case highLiveness = "liveness-high"
    /// Another account on another device approves as well. No step-up shows that; approvals do.
    case secondApprover = "second-approver"
}

extension StepUpTable {
    /// The demand of this table for an action and its amount.
    public func demand(for action: String, amount: Money?) throws(Unasked) -> ActionDemand {
        guard let rule = actions[action] else { throw .unknownAction }
        var shown = rule.oneOf.isEmpty ? [] : [rule.oneOf]
        if !rule.thresholds.isEmpty {
            guard let amount else { throw .amountMissing }
            let entries = rule.thresholds.filter { $0.above.currency == amount.currency }
            // Nobody has said how much of this currency is much.
            guard !entries.isEmpty else { throw .currencyWithoutEntry }
            shown += entries.filter { amount.minor > $0.above.minor }.map(\.oneOf)
        }
        return ActionDemand(rule: rule, shown: shown)
    }

    /// Why a table has no answer.
    public enum Unasked: String, Error, Hashable, Sendable, CaseIterable {
        case unknownAction, amountMissing, currencyWithoutEntry
    }
}

/// What has to be there before one action with one amount is done.
public struct ActionDemand: Hashable, Sendable {
    /// How old the proof may be; zero for a signature each.
    public let maximumAge: Duration
    /// Whether a token is good for one use.
    public var signsEach: Bool { maximumAge == .zero }
    /// How far the key has to be trusted.
    public let assurance: Assurance
    private let keys: [KeyKind]
    private let shown: [[FurtherProof]]

    init(rule: ActionRule, shown: [[FurtherProof]]) {
        maximumAge = rule.maximumAge
        keys = rule.keys
        assurance = rule.assurance
        self.shown = shown
    }

    /// Whether a key of one of these kinds may answer.
    public func takes(_ kinds: some Sequence<KeyKind>) -> Bool { !Set(kinds).isDisjoint(with: keys) }

    /// Whether what was shown is enough: of each group one.
    public func isMet(by proofs: some Sequence<FurtherProof>) -> Bool {
        let proofs = Set(proofs)
        // The higher level stands for the lower one as well.
        let all = proofs.contains(.highLiveness) ? proofs.union([.substantialLiveness]) : proofs
        return shown.allSatisfy { !all.isDisjoint(with: $0) }
    }
}
