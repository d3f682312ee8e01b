/// The permitted uses of a key in a TPM: `TPMA_OBJECT` (TPM 2.0 Library, part 2, section 8.3).
package struct TPMObjectAttributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The key never leaves its TPM.
    package static let fixedTPM = TPMObjectAttributes(rawValue: 1 << 1)
    /// The key does not survive a restart of the TPM.
    package static let stateClear = TPMObjectAttributes(rawValue: 1 << 2)
    /// The key never gets another parent.
    package static let fixedParent = TPMObjectAttributes(rawValue: 1 << 4)
    /// The TPM made the private part itself.
    package static let sensitiveDataOrigin = TPMObjectAttributes(rawValue: 1 << 5)
    /// The key's password authorizes its use, beside its policy.
    package static let userWithAuth = TPMObjectAttributes(rawValue: 1 << 6)
    /// Only the key's policy authorizes its administration.
    package static let adminWithPolicy = TPMObjectAttributes(rawValue: 1 << 7)
    /// Wrong passwords are not counted by the TPM's dictionary attack protection.
    package static let noDictionaryAttack = TPMObjectAttributes(rawValue: 1 << 10)
    /// A copy of the key is encrypted, too.
    package static let encryptedDuplication = TPMObjectAttributes(rawValue: 1 << 11)
    /// The key signs only what the TPM made, or decrypts only the TPM's own structures.
    package static let restricted = TPMObjectAttributes(rawValue: 1 << 16)
    /// The key decrypts.
    package static let decrypt = TPMObjectAttributes(rawValue: 1 << 17)
    /// The key signs.
    package static let sign = TPMObjectAttributes(rawValue: 1 << 18)
    /// The key signs certificates that the TPM fills in.
    package static let signX509 = TPMObjectAttributes(rawValue: 1 << 19)

    /// Every bit with a meaning; the others have to be zero.
    static let known: TPMObjectAttributes = [
        .fixedTPM, .stateClear, .fixedParent, .sensitiveDataOrigin, .userWithAuth, .adminWithPolicy, .noDictionaryAttack,
        .encryptedDuplication, .restricted, .decrypt, .sign, .signX509,
    ]

    /// Made in this TPM, and never outside of it.
    static let bound: TPMObjectAttributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin]
}

extension TPMObjectAttributes: CustomStringConvertible {
    /// The names of the attributes in the standard.
    package var description: String {
        let names: [(TPMObjectAttributes, String)] = [
            (.fixedTPM, "fixedTPM"), (.stateClear, "stClear"), (.fixedParent, "fixedParent"),
            (.sensitiveDataOrigin, "sensitiveDataOrigin"), (.userWithAuth, "userWithAuth"),
            (.adminWithPolicy, "adminWithPolicy"), (.noDictionaryAttack, "noDA"),
            (.encryptedDuplication, "encryptedDuplication"), (.restricted, "restricted"), (.decrypt, "decrypt"),
            (.sign, "sign"), (.signX509, "x509sign"),
        ]
        let set = names.filter { contains($0.0) }.map(\.1)
        return set.isEmpty ? "none" : set.joined(separator: ", ")
    }
}

/// What a kind of key has to be allowed and what it must not be allowed; the other attributes do not matter.
struct TPMAttributeRule: Sendable {
    /// The kind of key, for refusals.
    var kind: String
    var required: TPMObjectAttributes
    var forbidden: TPMObjectAttributes

    /// A key that signs only what its own TPM made, so that its signature over an attestation cannot be forged by
    /// having it sign made-up bytes.
    static let attestation = TPMAttributeRule(
        kind: "an attestation key", required: [.bound, .restricted, .sign], forbidden: [.decrypt, .stateClear, .signX509]
    )
    /// A key whose only condition is its policy. With `userWithAuth` its empty password would open it as well.
    static let guarded = TPMAttributeRule(
        kind: "a key that its policy guards", required: [.bound, .sign],
        forbidden: [.userWithAuth, .restricted, .decrypt, .stateClear, .signX509]
    )
    /// A key that signs for every process that can load it.
    static let open = TPMAttributeRule(
        kind: "a key without a policy", required: [.bound, .userWithAuth, .sign],
        forbidden: [.restricted, .decrypt, .stateClear, .signX509]
    )

    /// Throws `wrongAttributes` unless the attributes obey the rule.
    func check(_ attributes: TPMObjectAttributes) throws(EvidenceRefusal) {
        guard attributes.isSuperset(of: required) else {
            throw EvidenceRefusal(
                .wrongAttributes, "\(kind) needs \(required); \(required.subtracting(attributes)) is missing from \(attributes)")
        }
        guard attributes.isDisjoint(with: forbidden) else {
            throw EvidenceRefusal(
                .wrongAttributes, "\(kind) must not have \(attributes.intersection(forbidden)); it has \(attributes)")
        }
    }
}
