/// The circumstances of a key's creation, and the TPM's proof of it.
package struct TPMCreation: Hashable, Sendable, Codable {
    /// The circumstances: a `TPMS_CREATION_DATA`.
    package var data: [UInt8]
    /// The hash of the circumstances.
    package var hash: [UInt8]
    /// The TPM's own proof that it made the key: a `TPMT_TK_CREATION`. Clearing the TPM voids it.
    package var ticket: [UInt8]
}
