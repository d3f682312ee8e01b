/// A TPM's statement that it made a key itself: the answer of `TPM2_CertifyCreation` (TPM 2.0 Library, part 3, section
/// 18.3), read and not verified.
struct TPMCreation: Sendable {
    let key: TPMPublic
    let data: TPMCreationData
    let statement: TPMAttest
    let signature: TPMSignature

    init(of key: TPMPublic, data: TPMCreationData, statement: TPMAttest, signature: TPMSignature) {
        self.key = key
        self.data = data
        self.statement = statement
        self.signature = signature
    }

    /// Verifies signature, type, bound value, creation data and name, in this order, and returns the statement.
    ///
    /// The TPM compares name and creation hash with a ticket of its own, so it says this only of a key that it made.
    ///
    /// - Parameter value: the bytes that the caller of the command had to give.
    func verify(
        by signer: TPMPublic, boundTo value: [UInt8], accepting hashes: Set<TPMHash>
    ) throws(EvidenceRefusal) -> TPMAttest {
        try signature.verify(statement.bytes, by: signer, accepting: hashes)
        guard case .creation(let name, let creationHash) = statement.content else {
            throw EvidenceRefusal(.notFromTPM, "TPMS_ATTEST: a statement about the creation of a key (0x801a) is expected")
        }
        guard statement.extraData == value else {
            throw EvidenceRefusal(.wrongChallenge, "the statement is bound to another value than the expected one")
        }
        guard creationHash == key.nameHash.digest(of: data.bytes) else {
            throw EvidenceRefusal(.wrongKey, "the creation data are not those that the TPM signed")
        }
        guard name == key.name else {
            throw EvidenceRefusal(.wrongKey, "the statement is about another key: the names differ")
        }
        return statement
    }
}
