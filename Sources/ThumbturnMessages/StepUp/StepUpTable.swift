public import ThumbturnCore

/// The step-up policy of a deployment: the demands of each action. The authorization server grants by this table, and
/// resource servers judge by it. An action that is not in the table is denied.
public struct StepUpTable: Hashable, Sendable {
    /// The rules by the actions' names.
    public var actions: [String: ActionRule]
    /// The version of the file that it was read from, 1 or more; nil if that has none. Of several nodes, none uses a lower version than
    /// another one has used.
    public var version: Int64?

    /// Creates a table from rules; an empty one denies everything.
    public init(actions: [String: ActionRule]) {
        self.actions = actions
    }

    private init(_ actions: [StepUpAction]) {
        self.init(actions: Dictionary(uniqueKeysWithValues: actions.map { ($0.name, ActionRule(maximumAge: $0.maximumAge)) }))
        // The password brings keys of every kind, and a PIN, which can be watched, must not bring another face.
        self.actions[StepUpAction.changePassword.name]?.keys = [.biometric]
    }

    /// The maximum ages of the device's `StepUpAction.presets`. The biometric key or the PIN key meets each rule, and for
    /// `change-password` only the biometric key.
    public static let standard = StepUpTable(StepUpAction.presets)
    /// The maximum ages of `StepUpAction.regulated`: every payment is signed (SCA-RTS Art. 5).
    public static let regulated = StepUpTable(StepUpAction.regulated)
    /// The presets by the names that files use.
    public static let presets: [String: StepUpTable] = ["standard": .standard, "regulated": .regulated]
}

/// The demands of one action.
public struct ActionRule: Hashable, Sendable {
    /// The maximum age of the proof: 0 to 300 s since its challenge was made. Zero demands a signature for each use;
    /// see `signsEach`.
    public var maximumAge: Duration
    /// The kinds of keys of which one has to sign.
    public var keys: [KeyKind] = [.biometric, .pin]
    /// Whether a visit whose sign-in with full credentials is no older than `maximumAge` is enough in place of a key. Those
    /// who know the password then need no device. It has no effect where each use demands a signature, or where a further
    /// proof is demanded.
    public var takesCredentials = false
    /// Whether an unlock that is no older than `maximumAge` is enough in place of a signature for the action, if a key that
    /// the rule takes opened its session. The person has proved then that they are present, and not that they want this
    /// action. It has no effect where each use demands a signature, or where a further proof is demanded.
    public var takesUnlock = false
    /// The least assurance of the key that signs.
    public var assurance = Assurance(protection: .software, verification: .none)
    /// Further proofs of which one is demanded; empty for none.
    public var oneOf: [FurtherProof] = []
    /// The additional demands of larger amounts. Where there are any, the request has to name the amount, and a
    /// currency without an entry is denied.
    public var thresholds: [Threshold] = []

    /// Creates a rule that the biometric key or the PIN key meets.
    public init(maximumAge: Duration) {
        self.maximumAge = maximumAge
    }

    /// Whether each use demands a signature of its own; then a token is valid for one use.
    public var signsEach: Bool { maximumAge == .zero }

    /// An amount above which a further proof is demanded.
    public struct Threshold: Hashable, Sendable {
        /// The highest amount without the further proof.
        public var above: Money
        /// The further proofs of which one is demanded above it.
        public var oneOf: [FurtherProof]

        /// Creates a threshold.
        public init(above: Money, oneOf: [FurtherProof]) {
            self.above = above
            self.oneOf = oneOf
        }
    }
}

/// A proof beside one key's signature.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FurtherProof: String, Hashable, Sendable, Codable, CaseIterable {
    /// The biometric key and the PIN key have both signed the same challenge.
    case twoKeys = "two-keys"
    /// Signed evidence of a liveness check that is certified for at least the level substantial.
    case substantialLiveness = "liveness-substantial"
    /// The same for the level high.
    case highLiveness = "liveness-high"
    /// Another account on another device approves, too. Step-ups cannot have one; approvals can.
    case secondApprover = "second-approver"
}

extension StepUpTable {
    /// The demand of this table for an action and its amount.
    public func demand(for ask: ActionAsk) throws(Unasked) -> ActionDemand {
        guard let rule = actions[ask.name] else { throw .unknownAction }
        var shown = rule.oneOf.isEmpty ? [] : [rule.oneOf]
        if !rule.thresholds.isEmpty {
            guard let amount = ask.amount else { throw .amountMissing }
            let entries = rule.thresholds.filter { $0.above.currency == amount.currency }
            // The table has no threshold for this currency.
            guard !entries.isEmpty else { throw .currencyWithoutEntry }
            shown += entries.filter { amount.minor > $0.above.minor }.map(\.oneOf)
        }
        return ActionDemand(rule: rule, shown: shown)
    }

    /// Why a table has no demand for a request.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Unasked: String, Error, Hashable, Sendable, CaseIterable {
        /// The table has no rule for the action.
        case unknownAction
        /// The action's rule has thresholds, and no amount was given.
        case amountMissing
        /// The action's rule has no threshold in the currency of the amount.
        case currencyWithoutEntry
    }
}

/// The demands of one action with one amount.
public struct ActionDemand: Hashable, Sendable {
    /// The maximum age of the proof; zero for a signature for each use.
    public let maximumAge: Duration
    /// Whether a token is valid for one use.
    public var signsEach: Bool { maximumAge == .zero }
    /// The greatest age of a proof. Where each use needs a signature of its own, that is the lifetime of its challenge,
    /// in which it is redeemed, and the lifetime of its token, in which it is used.
    public var oldest: Duration { signsEach ? Purpose.stepUp.lifetime + ActionGrant.lifeOfOneUse : maximumAge }
    /// The least assurance of the key that signs.
    public let assurance: Assurance
    /// Whether full credentials alone are enough, if the sign-in is no older than `maximumAge`.
    public let takesCredentials: Bool
    /// Whether an unlock is enough, if it is no older than `maximumAge`.
    public let takesUnlock: Bool
    let keys: [KeyKind]
    let shown: [[FurtherProof]]

    init(rule: ActionRule, shown: [[FurtherProof]]) {
        maximumAge = rule.maximumAge
        keys = rule.keys
        assurance = rule.assurance
        takesCredentials = rule.takesCredentials && !rule.signsEach && shown.isEmpty
        takesUnlock = rule.takesUnlock && !rule.signsEach && shown.isEmpty
        self.shown = shown
    }

    /// Whether a key of one of these kinds is accepted.
    public func takes(_ kinds: some Sequence<KeyKind>) -> Bool { !Set(kinds).isDisjoint(with: keys) }

    /// Whether the proofs contain one of each group that is demanded.
    public func isMet(by proofs: some Sequence<FurtherProof>) -> Bool {
        let proofs = Set(proofs)
        // The higher level of liveness includes the lower one.
        let all = proofs.contains(.highLiveness) ? proofs.union([.substantialLiveness]) : proofs
        return shown.allSatisfy { !all.isDisjoint(with: $0) }
    }
}
