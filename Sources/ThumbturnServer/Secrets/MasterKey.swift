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
        let text = String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
        guard let bytes = Base64URL.decode(text) else { throw .masterKeyLength }
        try self.init(bytes: bytes)
    }

    private static func make(_ path: String) throws(SetupError) {
        let draft = "\(path).\(UUID().uuidString)"
        let text = Array(Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) }).utf8)
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(path) }
        defer { unsafe unlink(draft) }
        let written = unsafe text.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        guard written == text.count, fsync(file) == 0, close(file) == 0 else { throw .unwritable(path) }
        guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw .unwritable(path) }
        let folder = unsafe open(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), O_RDONLY)
        guard folder >= 0, fsync(folder) == 0, close(folder) == 0 else { throw .unwritable(path) }
    }

    func seal(_ secret: [UInt8], id: String, use: SecretUse) throws -> [UInt8] {
        try seal(secret, label: Self.label(id, use))
    }

    func seal(_ secret: [UInt8], label: [UInt8]) throws -> [UInt8] {
        guard let box = try AES.GCM.seal(secret, using: key, authenticating: label).combined else {
            throw SetupError.masterKeyWrong
        }
        return Array(box)
    }

    func unseal(_ secret: SealedSecret) throws(SetupError) -> [UInt8] {
        try unseal(secret.sealed, label: Self.label(secret.id, secret.use))
    }

    func unseal(_ sealed: [UInt8], label: [UInt8]) throws(SetupError) -> [UInt8] {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key, authenticating: label)
        else { throw .masterKeyWrong }
        return Array(bytes)
    }

    private static func label(_ id: String, _ use: SecretUse) -> [UInt8] { Array("thumbturn \(use.rawValue) \(id)".utf8) }
}
#endif
