#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
public import ThumbturnCore
import ThumbturnHost
import ThumbturnMessages

/// Keys for development, in files of mode 0600.
///
/// **Their protection is `software`**: a process that can read the files can sign, with or without the person, and a
/// change of enrolment does not invalidate them. A server that demands evidence refuses them.
public struct SoftwareKeys: DeviceKeys {
    private let files: PrivateFiles

    /// Makes a key store in a folder.
    ///
    /// - Parameter folder: created with mode 0700 where it does not exist.
    public init(folder: String) {
        files = PrivateFiles(folder: folder)
    }

    public func create(_ name: KeyName) throws(Failure) -> PublicKey {
        let key = P256.Signing.PrivateKey()
        try files.write(Array(key.rawRepresentation), to: Self.file(name))
        return try Self.publicKey(of: key)
    }

    public func state(of name: KeyName) -> KeyState {
        do throws(Failure) {
            return try key(name) == nil ? .missing : .usable
        } catch {
            // A key that cannot be read now does not mean that the person is signed out; a damaged one is gone for
            // good.
            return error.recovery == .reEnrol ? .invalidated(.unknown) : .notYetReadable
        }
    }

    public func publicKey(of name: KeyName) throws(Failure) -> PublicKey {
        guard let key = try key(name) else { throw Failure(.notEnrolled) }
        return try Self.publicKey(of: key)
    }

    public func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) throws(Failure) -> [UInt8] {
        guard let key = try key(name) else { throw Failure(.notEnrolled) }
        // No hardware enforces this check. It makes code that forgets the prompt fail in development, too.
        guard name.kind.userVerification == .none || presence != nil else { throw Failure(.notMatched) }
        guard let signature = try? key.signature(for: message) else { throw Failure(.platform) }
        return Array(signature.rawRepresentation)
    }

    public func delete(_ name: KeyName) throws(Failure) {
        try files.delete(Self.file(name))
    }

    public func deleteAll(server: String, account: String) throws(Failure) {
        for file in try files.names(from: Self.owner(server, account), to: Self.ending) { try files.delete(file) }
    }

    private func key(_ name: KeyName) throws(Failure) -> P256.Signing.PrivateKey? {
        guard let bytes = try files.read(Self.file(name)) else { return nil }
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw Failure(.platform, recovery: .reEnrol)
        }
        return key
    }

    private static func publicKey(of key: P256.Signing.PrivateKey) throws(Failure) -> PublicKey {
        guard let publicKey = PublicKey(x963: Array(key.publicKey.x963Representation)) else {
            throw Failure(.platform)
        }
        return publicKey
    }

    /// Server and account are hashed, so that no address determines a path.
    private static func file(_ name: KeyName) -> String {
        "\(owner(name.server, name.account)).\(name.enrolment).\(name.kind.rawValue)\(ending)"
    }

    private static func owner(_ server: String, _ account: String) -> String {
        Signing.hash(Array("\(server)\n\(account)".utf8))
    }

    private static let ending = ".software-key"
}
