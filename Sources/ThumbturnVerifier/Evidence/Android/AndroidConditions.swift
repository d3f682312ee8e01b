import ThumbturnCore

/// One condition on an attested key: the reason of the refusal, what is expected, and the check.
struct AndroidCondition: Sendable {
    let reason: EvidenceRefusal.Reason
    /// Completes "expected …".
    let expected: String
    /// Completes "found …".
    let found: @Sendable (AndroidQuestion) -> String
    let holds: @Sendable (AndroidQuestion) -> Bool

    init(
        _ reason: EvidenceRefusal.Reason, _ expected: String, found: @escaping @Sendable (AndroidQuestion) -> String,
        _ holds: @escaping @Sendable (AndroidQuestion) -> Bool
    ) {
        (self.reason, self.expected, self.found, self.holds) = (reason, expected, found, holds)
    }
}

/// What a chain proves, and what it is asked for.
struct AndroidQuestion: Sendable {
    let facts: AndroidKeyFacts
    let policy: AndroidPolicy
    /// Nil where samples are judged, which belong to no enrolment.
    let challenge: [UInt8]?
    /// Nil where any key will do.
    let key: VerifyingKey?

    var description: KeyDescription { facts.description }
    var enforced: AuthorizationList { facts.enforced }
    /// The system alone knows which app asked, so this stands in its list.
    var application: AndroidApplication? { description.softwareEnforced.application }
}

extension AndroidCondition {
    /// All conditions in the order in which they are applied. Together they are the proof that the key lives in secure
    /// hardware, signs only, belongs to our app, and demands the policy's user verification at each use.
    static let all: [AndroidCondition] = [
        AndroidCondition(
            .unknownVersion, "a version of the policy", found: { "version \($0.description.version)" },
            { $0.policy.versions.contains($0.description.version) }),
        AndroidCondition(
            .wrongChallenge, "the challenge of this enrolment", found: { "one of \($0.description.challenge.count) bytes" },
            { $0.challenge == nil || $0.description.challenge == $0.challenge }),
        AndroidCondition(
            .wrongKey, "the enrolled key", found: { _ in "another key" },
            { $0.key.map { [key = $0.facts.publicKey] in key == .p256(x963: $0.x963) } ?? true }),

        // Where it lives.
        AndroidCondition(
            .wrongSecurityLevel, "key and attestation at one level",
            found: { "\($0.description.keyMintLevel) and \($0.description.attestationLevel)" },
            { $0.description.keyMintLevel == $0.description.attestationLevel }),
        AndroidCondition(
            .wrongSecurityLevel, "the level of the attestation certificate's name",
            found: { "\($0.description.attestationLevel), where the name says \(text($0.facts.claimedLevel))" },
            { $0.facts.claimedLevel.map { [level = $0.description.attestationLevel] in $0 == level } ?? true }),
        AndroidCondition(
            .wrongSecurityLevel, "a level of the policy", found: { "\($0.description.attestationLevel)" },
            { $0.policy.levels.contains($0.description.attestationLevel) }),

        // What it is.
        AndroidCondition(
            .wrongOrigin, "origin GENERATED (0)", found: { text($0.enforced.origin) }, { $0.enforced.origin == 0 }),
        AndroidCondition(
            .wrongPurpose, "purpose SIGN (2), and VERIFY (3) at most", found: { text($0.enforced.purposes) },
            { $0.enforced.purposes?.isSubset(of: [2, 3]) == true && $0.enforced.purposes?.contains(2) == true }),
        AndroidCondition(
            .wrongAlgorithm, "EC (3)", found: { text($0.enforced.algorithm) }, { $0.enforced.algorithm == 3 }),
        // Some StrongBoxes tell the size instead of the curve.
        AndroidCondition(
            .wrongAlgorithm, "P-256 (1) with 256 bits",
            found: { "\(text($0.enforced.ecCurve)) with \(text($0.enforced.keySize)) bits" },
            {
                ($0.enforced.ecCurve ?? 1) == 1 && ($0.enforced.keySize ?? 256) == 256
                    && ($0.enforced.ecCurve ?? $0.enforced.keySize) != nil
            }),
        AndroidCondition(
            .wrongAlgorithm, "digest SHA-256 (4) only", found: { text($0.enforced.digests) }, { $0.enforced.digests == [4] }),
        AndroidCondition(
            .noRollbackResistance, "a key that stays deleted", found: { _ in "no promise of it" },
            { !$0.policy.demandsRollbackResistance || $0.facts.isRollbackResistant }),

        // What it demands of the person.
        AndroidCondition(
            .authenticationTimeout, "no authTimeout", found: { text($0.enforced.authTimeout) + " seconds" },
            { $0.policy.verification == .none || !$0.facts.has(.authTimeout) }),
        AndroidCondition(
            .wrongAuthentication, "the policy's user verification",
            found: { "\($0.facts.verification): userAuthType \(text($0.enforced.userAuthType))" },
            { $0.facts.verification >= $0.policy.verification }),

        // Who asked for it, on which system.
        AndroidCondition(
            .notVerifiedBoot, "a locked device that booted its maker's system",
            found: { text($0.enforced.rootOfTrust.map { "locked \($0.isDeviceLocked), state \($0.state)" }) },
            { $0.enforced.rootOfTrust?.isDeviceLocked == true && $0.enforced.rootOfTrust?.state == .verified }),
        AndroidCondition(
            .wrongApp, "a key for one app", found: { _ in "allApplications" }, { !$0.facts.has(.allApplications) }),
        AndroidCondition(
            .wrongApp, "apps of the policy, signed as it says",
            found: { text($0.application?.packages.map(\.name).joined(separator: ", ")) }, { $0.isByApp }),
        AndroidCondition(
            .oldPatchLevel, "a patch level that the policy takes", found: { text($0.enforced.osPatchLevel) },
            { question in
                question.policy.minimumPatchLevel.map { least in
                    question.enforced.osPatchLevel.map { $0 >= least } ?? false
                } ?? true
            }),
    ]

    private static func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "nothing" }
}

extension AndroidKeyFacts {
    /// Each condition of a policy that does not hold, in their order. An acceptable key has none.
    ///
    /// - Parameters:
    ///   - challenge: the challenge of the enrolment; nil where samples are judged.
    ///   - key: the enrolled key; nil where any key will do.
    package func refusals(by policy: AndroidPolicy, challenge: [UInt8]?, key: VerifyingKey?) -> [EvidenceRefusal] {
        let question = AndroidQuestion(facts: self, policy: policy, challenge: challenge, key: key)
        return AndroidCondition.all.filter { !$0.holds(question) }.map {
            EvidenceRefusal($0.reason, "expected \($0.expected), found \($0.found(question))")
        }
    }
}

extension AndroidQuestion {
    /// Whether all packages that share the app's user id are apps of the policy, signed by certificates of each of them.
    fileprivate var isByApp: Bool {
        guard let application, !application.packages.isEmpty, !application.signingDigests.isEmpty else { return false }
        return application.packages.allSatisfy { package in
            policy.apps.contains {
                $0.package == package.name && application.signingDigests.isSubset(of: $0.signingDigests)
            }
        }
    }
}
