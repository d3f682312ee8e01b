/// The digest of an authorization policy with SHA-256 (TPM 2.0 Library, part 1, section 19.7), computed by the steps of
/// the policy.
struct TPMPolicyDigest: Hashable, Sendable {
    private(set) var bytes = [UInt8](repeating: 0, count: 32)

    /// The policy of a biometric key: a matcher signs each use, and a counter has this value.
    static func biometric(
        matcher: VerifyingKey, reference: [UInt8], counter: [UInt8], value: UInt64
    ) -> TPMPolicyDigest {
        TPMPolicyDigest().signed(by: name(of: matcher), reference: reference).counter(counter, equals: value)
    }

    /// The policy of a PIN key: an index that counts wrong PINs accepts the PIN.
    static func pin(index: [UInt8], reference: [UInt8]) -> TPMPolicyDigest {
        TPMPolicyDigest().secret(of: index, reference: reference)
    }

    /// `TPM2_PolicySigned` (part 3, section 23.3).
    func signed(by name: [UInt8], reference: [UInt8]) -> TPMPolicyDigest { extended(0x160, name).extended(reference) }

    /// `TPM2_PolicySecret` (part 3, section 23.4).
    func secret(of name: [UInt8], reference: [UInt8]) -> TPMPolicyDigest { extended(0x151, name).extended(reference) }

    /// `TPM2_PolicyNV` with `TPM_EO_EQ` at the beginning of the content (part 3, section 23.9).
    func counter(_ name: [UInt8], equals value: UInt64) -> TPMPolicyDigest {
        var operand = TPMWriter()
        operand.uint64(value)
        operand.uint32(0)
        return extended(0x149, TPMHash.sha256.digest(of: operand.bytes) + name)
    }

    /// The name that a TPM gives to a key from outside that signs authorizations with ECDSA and SHA-256.
    static func name(of matcher: VerifyingKey) -> [UInt8] {
        var area = TPMWriter()
        area.uint16(0x0023)
        area.uint16(TPMHash.sha256.rawValue)
        area.uint32(TPMObjectAttributes([.sign, .userWithAuth]).rawValue)
        area.sized([])
        area.uint16(TPMPublic.null)
        area.uint16(0x0018)
        area.uint16(TPMHash.sha256.rawValue)
        area.uint16(0x0003)
        area.uint16(TPMPublic.null)
        area.sized(Array(matcher.x963[1..<33]))
        area.sized(Array(matcher.x963[33...]))
        return TPMHash.sha256.name(of: area.bytes)
    }

    private func extended(_ command: UInt32, _ arguments: [UInt8]) -> TPMPolicyDigest {
        var step = TPMWriter()
        step.uint32(command)
        return extended(step.bytes + arguments)
    }

    private func extended(_ arguments: [UInt8]) -> TPMPolicyDigest {
        var next = self
        next.bytes = TPMHash.sha256.digest(of: bytes + arguments)
        return next
    }
}
