public import ThumbturnCore
import ThumbturnHost

/// A store of vault keys for development, in files of mode 0600.
///
/// **Their protection is `software`**: a process that can read the files has the keys, with or without the person, and
/// neither a change of enrolment nor a removed passcode invalidates them. The prompt is shown all the same, so that an
/// app behaves as on a real device.
public struct FileVaultStore: ProtectedStore {
    private let files: PrivateFiles

    /// Makes a store in a folder.
    ///
    /// - Parameter folder: created with mode 0700 where it does not exist.
    public init(folder: String) {
        files = PrivateFiles(folder: folder)
    }

    public func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) throws(Failure) {
        try files.write(secret.bytes, to: Self.file(name))
    }

    public func release(_ name: KeyName, presence: Presence) throws(Failure) -> SecretBytes {
        guard let bytes = try files.read(Self.file(name)) else { throw Failure(.notEnrolled, recovery: .reEnrol) }
        return SecretBytes(bytes)
    }

    public func state(of name: KeyName) -> KeyState {
        do throws(Failure) {
            return try files.read(Self.file(name)) == nil ? .missing : .usable
        } catch {
            return .notYetReadable
        }
    }

    public func delete(_ name: KeyName) throws(Failure) {
        try files.delete(Self.file(name))
    }

    /// Server and account are hashed, so that no name determines a path.
    private static func file(_ name: KeyName) -> String {
        "\(Signing.hash(BoundText.bytes(name.server, name.account))).\(name.enrolment).\(name.kind.rawValue).vault-key"
    }
}
