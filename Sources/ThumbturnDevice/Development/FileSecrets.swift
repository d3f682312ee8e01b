public import ThumbturnCore

/// A store of small secrets for development, in files of mode 0600.
public struct FileSecrets: SecretStore {
    private let files: PrivateFiles

    /// Makes a store in a folder.
    ///
    /// - Parameter folder: created with mode 0700 where it does not exist.
    public init(folder: String) {
        files = PrivateFiles(folder: folder)
    }

    public func read(_ name: String) throws(Failure) -> [UInt8]? { try files.read(Self.file(name)) }
    public func write(_ secret: [UInt8], as name: String) throws(Failure) { try files.write(secret, to: Self.file(name)) }
    public func delete(_ name: String) throws(Failure) { try files.delete(Self.file(name)) }

    private static func file(_ name: String) -> String { "\(Signing.hash(Array(name.utf8))).secret" }
}
