import Crypto

/// Writes a TPM's wire form: big-endian integers, and byte strings after a 16-bit size (TPM 2.0 Library, part 1, section
/// 31). It writes what it is given.
package enum MintedTPMBytes {
    /// A number of any length.
    package static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<(Number.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// A byte string after its size.
    package static func sized(_ bytes: [UInt8]) -> [UInt8] { number(UInt16(truncatingIfNeeded: bytes.count)) + bytes }

    /// A name with SHA-256: the algorithm's number and the hash of a public area.
    package static func name(of area: [UInt8]) -> [UInt8] { [0x00, 0x0B] + SHA256.hash(data: area) }
}

/// The digest of an authorization policy with SHA-256 (TPM 2.0 Library, part 1, section 19.7), step by step.
public struct MintedTPMPolicy: Hashable, Sendable {
    /// The digest so far.
    public private(set) var digest = [UInt8](repeating: 0, count: 32)

    /// A policy without a step.
    public init() {}

    /// Adds `TPM2_PolicySigned`.
    public func signed(by name: [UInt8], reference: [UInt8]) -> MintedTPMPolicy { step(0x160, name).hashed(reference) }

    /// Adds `TPM2_PolicySecret`.
    public func secret(of name: [UInt8], reference: [UInt8]) -> MintedTPMPolicy { step(0x151, name).hashed(reference) }

    /// Adds `TPM2_PolicyNV` that demands equality at the beginning of an index.
    public func counter(_ name: [UInt8], equals value: UInt64) -> MintedTPMPolicy {
        step(0x149, SHA256.hash(data: MintedTPMBytes.number(value) + [0, 0, 0, 0]) + name)
    }

    private func step(_ command: UInt32, _ arguments: [UInt8]) -> MintedTPMPolicy {
        hashed(MintedTPMBytes.number(command) + arguments)
    }

    private func hashed(_ arguments: [UInt8]) -> MintedTPMPolicy {
        var next = self
        next.digest = Array(SHA256.hash(data: digest + arguments))
        return next
    }
}
