/// The signatures and evidence that a transaction needs before it is approved. Part of the challenge, so it is signed.
public struct ApprovalDemand: Hashable, Sendable {
    /// The keys that all have to sign: the biometric key, or the biometric and the PIN key. Nil where either of them is
    /// enough.
    public let keys: [KeyKind]?
    /// The lowest certified level of a signed liveness check; nil where no check is demanded.
    public let liveness: LivenessLevel?
    /// The least assurance of the key that signs, or of the biometric key where two sign; nil where none is demanded.
    public let assurance: Assurance?

    /// Nil unless `keys` is nil, the biometric key, or the biometric and the PIN key in this order.
    public init?(keys: [KeyKind]? = nil, liveness: LivenessLevel? = nil, assurance: Assurance? = nil) {
        guard keys == nil || keys == [.biometric] || keys == [.biometric, .pin] else { return nil }
        self.keys = keys
        self.liveness = liveness
        self.assurance = assurance
    }

    /// One signature, by the biometric or the PIN key.
    public static let oneKey = ApprovalDemand(known: nil, nil)

    private init(known keys: [KeyKind]?, _ liveness: LivenessLevel?) {
        self.keys = keys
        self.liveness = liveness
        assurance = nil
    }

    /// Whether a key of this kind may sign.
    package func takes(_ kind: KeyKind) -> Bool { (keys ?? [.biometric, .pin]).contains(kind) }

    /// Whether signatures by keys of these kinds are enough.
    package func isMet(by kinds: some Sequence<KeyKind>) -> Bool {
        let signed = Set(kinds)
        return keys.map { signed.isSuperset(of: $0) } ?? !signed.isDisjoint(with: [.biometric, .pin])
    }

    /// Whether the proof of this kind of key has to come with liveness evidence.
    package func wantsLiveness(with kind: KeyKind) -> Bool { liveness != nil && isMain(kind) }

    /// Whether a key of this kind and assurance may sign, as far as its assurance goes.
    package func takes(_ given: Assurance, of kind: KeyKind) -> Bool {
        guard let assurance, isMain(kind) else { return true }
        return given.meets(assurance)
    }

    /// Where two keys sign, only the biometric one has to meet the further demands.
    private func isMain(_ kind: KeyKind) -> Bool { keys == nil || kind == .biometric }
}

extension ApprovalDemand: CustomStringConvertible {
    /// For example `biometric and pin, liveness high`.
    public var description: String {
        let signers = keys.map { $0.map(\.rawValue).joined(separator: " and ") } ?? "biometric or pin"
        return [signers, liveness.map { "liveness \($0)" }, assurance?.description].compactMap(\.self).joined(separator: ", ")
    }
}
