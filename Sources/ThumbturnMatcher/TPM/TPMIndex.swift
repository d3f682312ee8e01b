/// An NV index of the TPM with its name, so that another index at the same handle is noticed.
package struct TPMIndex: Hashable, Sendable, Codable {
    package var handle: UInt32
    package var name: [UInt8]
}
