/// An NV index of the TPM with its name, so that another index at the same handle is noticed.
struct TPMIndex: Hashable, Sendable, Codable {
    var handle: UInt32
    var name: [UInt8]
}
