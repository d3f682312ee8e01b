#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// What has to happen in a session before the TPM uses a key, as the digest that the key carries (TPM 2.0 Library, part 1, section
/// 19.7). Each step hashes the digest so far with a command and what it was given, so all steps have to happen, in this order.
struct TPMPolicy: Hashable, Sendable {
    /// SHA-256; all zeros before the first step.
    private(set) var digest = [UInt8](repeating: 0, count: 32)

    /// Somebody who holds this key signs the use (`TPM2_PolicySigned`, part 3, section 23.3).
    func signed(by name: [UInt8], reference: [UInt8]) -> TPMPolicy {
        extended(by: 0x160, name).extended(reference)
    }

    /// The value of another object is shown (`TPM2_PolicySecret`, part 3, section 23.4).
    func secret(of name: [UInt8], reference: [UInt8]) -> TPMPolicy {
        extended(by: 0x151, name).extended(reference)
    }

    /// An NV counter stands at this value (`TPM2_PolicyNV` with `TPM_EO_EQ`, part 3, section 23.9).
    func counter(_ name: [UInt8], equals value: UInt64) -> TPMPolicy {
        var arguments = TPMWriter()
        arguments.uint64(value)
        arguments.uint16(0)
        arguments.uint16(0)
        return extended(by: 0x149, SHA256.hash(data: arguments.bytes) + name)
    }

    /// Only this command may follow (`TPM2_PolicyCommandCode`, part 3, section 23.11).
    func command(_ code: UInt32) -> TPMPolicy {
        var argument = TPMWriter()
        argument.uint32(code)
        return extended(by: 0x16C, argument.bytes)
    }

    private func extended(by command: UInt32, _ arguments: [UInt8]) -> TPMPolicy {
        var code = TPMWriter()
        code.uint32(command)
        return extended(code.bytes + arguments)
    }

    private func extended(_ bytes: [UInt8]) -> TPMPolicy {
        var next = self
        next.digest = Array(SHA256.hash(data: digest + bytes))
        return next
    }
}

extension TPMPolicy {
    /// The biometric key's: the matcher signs the use, and nobody has enrolled or removed a finger since the key was made.
    static func biometric(matcher: [UInt8], reference: [UInt8], counter: [UInt8], at value: UInt64) -> TPMPolicy {
        TPMPolicy().signed(by: matcher, reference: reference).counter(counter, equals: value)
    }

    /// The PIN key's: the index that counts wrong PINs accepts this one.
    static func pin(index: [UInt8], reference: [UInt8]) -> TPMPolicy {
        TPMPolicy().secret(of: index, reference: reference)
    }

    /// Writing the numbers of a PIN index: whoever holds this key, which is thrown away after the first time.
    static func writing(by name: [UInt8]) -> TPMPolicy {
        TPMPolicy().signed(by: name, reference: [])
    }

    /// The counter's own, for reading: it may be compared by everybody (`TPM2_PolicyNV`).
    static let compare = TPMPolicy().command(0x149)
}

/// One use of one key, as the matcher signs it (part 3, section 23.3): this session, this long, this command.
struct TPMAuthorization: Hashable, Sendable {
    /// The session's, made by the TPM, so that the authorisation is good for one session.
    var nonce: [UInt8]
    /// Seconds after the session's beginning.
    var expiration: Int32
    /// What may be done: the hash of the command; empty leaves it open.
    var command: [UInt8]
    /// Which of our keys is meant.
    var reference: [UInt8]

    /// What is hashed and signed.
    var bytes: [UInt8] {
        var seconds = TPMWriter()
        seconds.uint32(UInt32(bitPattern: expiration))
        return nonce + seconds.bytes + command + reference
    }

    /// The hash of one command: `TPM2_Sign` with the key of this name over this digest, in the key's own scheme, without a ticket
    /// (part 1, section 16: cpHash; part 3, section 20.2).
    static func signing(_ digest: [UInt8], with name: [UInt8]) -> [UInt8] {
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
