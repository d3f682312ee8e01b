#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The policy that a session has to satisfy before the TPM uses a key, as the digest that the key carries (TPM 2.0
/// Library, part 1, section 19.7). Each step hashes the digest so far with a command and its arguments, so all steps
/// have to happen, in this order.
package struct TPMKeyPolicy: Hashable, Sendable {
    /// The SHA-256 digest; all zeros before the first step.
    private(set) var digest = [UInt8](repeating: 0, count: 32)

    /// Adds a step: the holder of this key signs the use (`TPM2_PolicySigned`, part 3, section 23.3).
    func signed(by name: [UInt8], reference: [UInt8]) -> TPMKeyPolicy {
        extended(by: 0x160, name).extended(reference)
    }

    /// Adds a step: the authorisation value of another object is proved (`TPM2_PolicySecret`, part 3, section 23.4).
    func secret(of name: [UInt8], reference: [UInt8]) -> TPMKeyPolicy {
        extended(by: 0x151, name).extended(reference)
    }

    /// Adds a step: an NV counter has this value (`TPM2_PolicyNV` with `TPM_EO_EQ`, part 3, section 23.9).
    func counter(_ name: [UInt8], equals value: UInt64) -> TPMKeyPolicy {
        var arguments = TPMWriter()
        arguments.uint64(value)
        arguments.uint16(0)
        arguments.uint16(0)
        return extended(by: 0x149, SHA256.hash(data: arguments.bytes) + name)
    }

    /// Adds a step: only this command may follow (`TPM2_PolicyCommandCode`, part 3, section 23.11).
    func command(_ code: UInt32) -> TPMKeyPolicy {
        var argument = TPMWriter()
        argument.uint32(code)
        return extended(by: 0x16C, argument.bytes)
    }

    private func extended(by command: UInt32, _ arguments: [UInt8]) -> TPMKeyPolicy {
        var code = TPMWriter()
        code.uint32(command)
        return extended(code.bytes + arguments)
    }

    private func extended(_ bytes: [UInt8]) -> TPMKeyPolicy {
        var next = self
        next.digest = Array(SHA256.hash(data: digest + bytes))
        return next
    }
}

extension TPMKeyPolicy {
    /// The biometric key's policy: the matcher signs the use, and no finger was enrolled or removed since the key was
    /// created.
    package static func biometric(matcher: [UInt8], reference: [UInt8], counter: [UInt8], at value: UInt64) -> TPMKeyPolicy {
        TPMKeyPolicy().signed(by: matcher, reference: reference).counter(counter, equals: value)
    }

    /// The PIN key's policy: the index that counts wrong PINs accepts the PIN.
    package static func pin(index: [UInt8], reference: [UInt8]) -> TPMKeyPolicy {
        TPMKeyPolicy().secret(of: index, reference: reference)
    }

    /// The policy for writing a PIN index's count and limit: a signature by this key, which is discarded after its one
    /// use.
    static func writing(by name: [UInt8]) -> TPMKeyPolicy {
        TPMKeyPolicy().signed(by: name, reference: [])
    }

    /// The counter's policy for reading: every process may compare it (`TPM2_PolicyNV`).
    static let compare = TPMKeyPolicy().command(0x149)
}

/// The authorisation of one use of one key, as the matcher signs it (part 3, section 23.3).
package struct TPMAuthorization: Hashable, Sendable {
    /// The session's nonce, made by the TPM, which limits the authorisation to one session.
    var nonce: [UInt8]
    /// How many seconds after the session's start the authorisation expires.
    var expiration: Int32
    /// The hash of the authorized command; empty authorizes any command.
    var command: [UInt8]
    /// The reference of the authorized key. See `KeyReference`.
    var reference: [UInt8]

    package init(nonce: [UInt8], expiration: Int32, command: [UInt8], reference: [UInt8]) {
        self.nonce = nonce
        self.expiration = expiration
        self.command = command
        self.reference = reference
    }

    /// The bytes to hash and sign.
    var bytes: [UInt8] {
        var seconds = TPMWriter()
        seconds.uint32(UInt32(bitPattern: expiration))
        return nonce + seconds.bytes + command + reference
    }

    /// The hash of the command `TPM2_Sign` with the key of this name over this digest, in the key's own scheme, without
    /// a ticket (part 1, section 16: cpHash; part 3, section 20.2).
    package static func signing(_ digest: [UInt8], with name: [UInt8]) -> [UInt8] {
        var command = TPMWriter()
        command.uint32(0x15D)
        var parameters = TPMWriter()
        parameters.sized(digest)
        parameters.uint16(0x0010)
        parameters.uint16(0x8024)
        parameters.uint32(0x4000_0007)
        parameters.sized([])
        return Array(SHA256.hash(data: command.bytes + name + parameters.bytes))
    }
}
