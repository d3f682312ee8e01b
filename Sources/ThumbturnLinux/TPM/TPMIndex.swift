/// An index of the TPM's own memory, with its name, so that another one in its place is noticed.
struct TPMIndex: Hashable, Sendable, Codable {
    var handle: UInt32
    var name: [UInt8]
}
