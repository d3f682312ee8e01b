#if Server
import Foundation

extension EmbeddedServer {
    /// Whether the database had been restored or copied when it was opened. A new epoch has then begun, and all devices
    /// have to sign in again.
    public var wasRestored: Bool { service.store.wasRestored }

    /// Writes a copy of the database to a new file that only this user can read. It does not contain the master key.
    ///
    /// - Throws: `SetupError.fileExists` if the file exists, and `SetupError.unwritable` if it cannot be created.
    public func backUp(to path: String) async throws {
        guard !FileManager.default.fileExists(atPath: path) else { throw SetupError.fileExists(path) }
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw SetupError.unwritable(path)
        }
        try await service.store.backUp(to: path)
    }

    /// Replaces the database by a backup and begins a new epoch. Throws `SetupError.noBackup` if the file is not a
    /// backup.
    public func restore(from path: String) async throws { try await service.store.restore(from: path) }

    /// Begins a new epoch: all sessions and unfinished approvals end, and earlier challenges, tickets and refresh
    /// tokens are refused.
    public func beginEpoch() async throws { try await service.store.beginEpoch() }
}
#endif
