#if Server
import Foundation

extension Server {
    /// Whether the database was found to be restored or copied when it was opened. Then a new epoch has begun: everybody signs in again.
    public var wasRestored: Bool { service.store.wasRestored }

    /// Writes a copy of the database to a new file, for this user alone. The master key is not in it. Throws `SetupError`.
    public func backUp(to path: String) async throws {
        guard !FileManager.default.fileExists(atPath: path) else { throw SetupError.fileExists(path) }
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw SetupError.unwritable(path)
        }
        try await service.store.backUp(to: path)
    }

    /// Puts a backup in the place of the database, and begins a new epoch. Throws `SetupError.noBackup`.
    public func restore(from path: String) async throws { try await service.store.restore(from: path) }

    /// Begins a new epoch: all sessions and unfinished approvals end, and no challenge, ticket or refresh token of before is good.
    public func beginEpoch() async throws { try await service.store.beginEpoch() }
}
#endif
