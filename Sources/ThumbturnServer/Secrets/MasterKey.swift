#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Crypto
import Foundation
public import ThumbturnCore
import ThumbturnMessages

/// The key that encrypts the server's secrets on disk, with AES-256-GCM (NIST SP 800-38D). Each secret's name and use
/// are authenticated with it.
public struct MasterKey: Sendable, Redacted {
    private let key: SymmetricKey

    /// Creates a key from 32 bytes. Throws `SetupError.masterKeyLength` for any other number.
    public init(bytes: [UInt8]) throws(SetupError) {
        guard bytes.count == 32 else { throw .masterKeyLength }
        key = SymmetricKey(data: bytes)
    }

    /// Reads the key from a file with 32 bytes in base64url. If `mayMake` is true, a missing file is made with mode
    /// 0600. Processes that start together end up with the same key, because only one of them can link the finished
    /// file to its path.
    init(file path: String, mayMake: Bool) throws(SetupError) {
        if !FileManager.default.fileExists(atPath: path) {
            guard mayMake else { throw .masterKeyMissing(path) }
            try Self.make(path)
        }
        try PrivateFile.refuseIfOpen(path)
        guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path) }
        try self.init(text: String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace })
    }

    /// Reads a key of 32 bytes in base64url. Throws `SetupError.masterKeyLength` for anything else.
    package init(text: String) throws(SetupError) {
        guard let bytes = Base64URL.decode(text) else { throw .masterKeyLength }
        try self.init(bytes: bytes)
    }

    /// The key in an environment variable; nil if the variable is not set.
    package init?(environment name: String) throws(SetupError) {
        guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
        try self.init(text: text)
    }

    private static func make(_ path: String) throws(SetupError) {
        let draft = "\(path).\(UUID().uuidString)"
        defer { unsafe unlink(draft) }
        try write(random(), to: draft)
        guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw .unwritable(path) }
        try PrivateFile.syncFolder(of: path)
    }

    /// The bytes of a new key.
    static func random() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: 0...255) } }

    /// Writes the bytes of a key to a new file with mode 0600, and syncs the file.
    static func write(_ bytes: [UInt8], to path: String) throws(SetupError) {
        let text = Array(Base64URL.encode(bytes).utf8)
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(path) }
        let written = unsafe text.withUnsafeBytes { unsafe PrivateFile.write($0, to: file) }
        guard written == text.count, fsync(file) == 0, close(file) == 0 else { throw .unwritable(path) }
    }

    /// A key for another purpose (HKDF with SHA-256, RFC 5869). All nodes with this master key derive the same one.
    func derive(_ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
    }

    func seal(_ secret: [UInt8], id: String, use: SecretUse) throws -> [UInt8] {
        try seal(secret, label: SealLabel.secret(id, use: use.rawValue))
    }

    func seal(_ secret: [UInt8], label: [UInt8]) throws -> [UInt8] {
        guard let box = try AES.GCM.seal(secret, using: key, authenticating: label).combined else {
            throw SetupError.masterKeyWrong
        }
        return Array(box)
    }

    func unseal(_ secret: SealedSecret) throws(SetupError) -> [UInt8] {
        try unseal(secret.sealed, label: SealLabel.secret(secret.id, use: secret.use.rawValue))
    }

    func unseal(_ sealed: [UInt8], label: [UInt8]) throws(SetupError) -> [UInt8] {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: label)
        else { throw .masterKeyWrong }
        return Array(bytes)
    }

    /// Opens values that this key has sealed, and seals them with another one.
    func sealing(with next: MasterKey) -> Sealing {
        { sealed, label in try next.seal(try unseal(sealed, label: label), label: label) }
    }
}
#endif
