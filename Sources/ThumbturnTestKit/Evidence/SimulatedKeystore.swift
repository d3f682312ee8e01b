import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// Android's key attestation as a simulated phone has it: chains under a test root, which no default policy trusts.
///
///     var platform = phone.platform()
///     platform.evidence = SimulatedKeystore(phone, app: MintedApplication(...))
///
/// Each chain tells the truth about the simulated key: its hardware, and what it demands of the person.
public final class SimulatedKeystore: EvidenceSource {
    /// The root, in place of Google's.
    public let root: TestAuthority
    /// The app, as the system names it.
    public let app: MintedApplication
    private let phone: SimulatedPhone
    private let edit: @Sendable (inout AndroidMint, KeyKind) -> Void

    /// A Keystore over a phone's keys.
    ///
    /// - Parameters:
    ///   - phone: the phone, which has the keys.
    ///   - app: the app that asks for keys.
    ///   - root: the root, in place of Google's.
    ///   - edit: changes what the chain of a key of this kind says, before it is signed.
    public init(
        _ phone: SimulatedPhone, app: MintedApplication, root: TestAuthority = .root(named: "Thumbturn Test Attestation Root"),
        edit: @escaping @Sendable (inout AndroidMint, KeyKind) -> Void = { _, _ in }
    ) {
        (self.phone, self.app, self.root, self.edit) = (phone, app, root, edit)
    }

    /// Android attests a key when it is made.
    public var attestsNewKeys: Bool { true }

    /// The chains of these keys; the challenge is the value that each was made with.
    public func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        guard let challenge = request.makingChallenge else { return nil }
        var chains: [KeyKind: [[UInt8]]] = [:]
        for name in request.keys.keys { chains[name.kind] = phone.chain(of: name, app, under: root, edit) }
        guard !chains.isEmpty else { return nil }
        return .androidKey(AndroidKeyEvidence(challenge: challenge, chains: chains))
    }
}

extension SimulatedPhone {
    /// The chain of a key that was made with a value for its attestation; nil for every other key.
    fileprivate func chain(
        of name: KeyName, _ app: MintedApplication, under root: TestAuthority,
        _ edit: (inout AndroidMint, KeyKind) -> Void
    ) -> [[UInt8]]? {
        let (stored, hardware) = state.withLock { ($0.keys[name], $0.model.hardware) }
        guard let stored, let value = stored.attesting else { return nil }
        var description = MintedKeyDescription(challenge: value, app: app)
        switch name.kind {
        case .biometric: break
        case .passcode: description.hardwareEnforced[504] = .integer(1)
        case .session, .pin: (description.hardwareEnforced[503], description.hardwareEnforced[504]) = (.null, nil)
        }
        let isStrongBox = hardware == .strongBox
        description.setLevel(isStrongBox ? 2 : 1)
        var mint = AndroidMint(
            root: root, claim: isStrongBox ? "StrongBox" : "TEE", key: .p256(stored.key), description: description)
        edit(&mint, name.kind)
        return mint.chain()
    }
}
