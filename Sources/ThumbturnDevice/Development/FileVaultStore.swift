public import ThumbturnCore

/// Keys of vaults for development, in files of mode 0600. **Their protection is `software`**: whoever can read the files has the
/// keys, with or without the person, and neither a change of enrolment nor a removed passcode kills them. The prompt is shown all
/// the same, so that an app behaves as it will.
public struct FileVaultStore: ProtectedStore {
    private let files: PrivateFiles

    /// - Parameter folder: made with mode 0700 where it does not exist.
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

    /// The name is hashed, so that no name decides a path.
    private static func file(_ name: KeyName) -> String {
        "\(Signing.hash(BoundText.bytes(name.server, name.account))).\(name.enrolment).\(name.kind.rawValue).vault-key"
    }
}
