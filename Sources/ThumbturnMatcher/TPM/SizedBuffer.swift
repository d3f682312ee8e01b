#if LinuxDevice && os(Linux)
import CTss

/// A `TPM2B_…` structure of libtss2: a 16-bit size and a buffer.
protocol SizedBuffer {
    init()
    var size: UInt16 { get set }
}

extension SizedBuffer {
    init(_ bytes: [UInt8]) {
        self.init()
        precondition(bytes.count <= MemoryLayout<Self>.size - 2, "the bytes fit into the structure's buffer")
        size = UInt16(bytes.count)
        unsafe withUnsafeMutableBytes(of: &self) { unsafe $0.dropFirst(2).prefix(bytes.count).copyBytes(from: bytes) }
    }

    var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: self) { unsafe Array($0.dropFirst(2).prefix(Int(size))) }
    }
}

extension TPM2B_DIGEST: SizedBuffer {}
extension TPM2B_PRIVATE: SizedBuffer {}
extension TPM2B_NAME: SizedBuffer {}
extension TPM2B_ECC_PARAMETER: SizedBuffer {}
extension TPM2B_MAX_NV_BUFFER: SizedBuffer {}
extension TPM2B_DATA: SizedBuffer {}
extension TPM2B_ATTEST: SizedBuffer {}
extension TPM2B_ID_OBJECT: SizedBuffer {}
extension TPM2B_ENCRYPTED_SECRET: SizedBuffer {}
#endif
