#if Server
import Foundation
package import ThumbturnCore

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
        do {
            try await service.store.backUp(to: path)
        } catch {
            // A part of a backup must not be taken for one.
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    /// Replaces the database by a backup and begins a new epoch, after it has opened every secret of the backup. If the
    /// backup has seen a time that is more than ten minutes ahead of the machine's clock, the server's time is set to the
    /// clock's.
    ///
    /// - Parameters:
    ///   - path: a file that `backUp(to:)` has written.
    ///   - backupKey: the master key that the backup was made under; nil if it is the one of this server. The secrets are
    ///     then sealed with this server's key.
    /// - Throws: `SetupError.noBackup` if the file is not a backup, and `SetupError.backupMasterKey` if the key does not
    ///   open its secrets. Nothing has changed then.
    public func restore(from path: String, backupKey: MasterKey? = nil) async throws {
        _ = try await restored(from: path, backupKey: backupKey)
    }

    /// As `restore(from:backupKey:)`, and says what was done with the backup's time.
    package func restored(from path: String, backupKey: MasterKey? = nil) async throws -> RestoredTime {
        let key = service.secrets.current.masterKey
        let time = try await service.store.restore(
            from: path, coolOff: service.settings.coolOff, sealing: (backupKey ?? key).sealing(with: key),
            own: key.sealing(with: key))
        if case .set = time { try await service.secrets.retireFormer() }
        return time
    }

    /// Restores a backup into a data folder, which may have a master key and no database yet.
    ///
    /// - Returns: what was done with the backup's time.
    @discardableResult
    package static func restore(
        from path: String, into settings: ServerSettings, backupKey: MasterKey?
    ) async throws -> RestoredTime {
        let folder = settings.dataFolder
        let isElsewhere = settings.database != nil
        guard isElsewhere || FileManager.default.fileExists(atPath: folder) else { throw SetupError.noData(folder) }
        if isElsewhere || !FileManager.default.fileExists(atPath: DataFolder.database(in: folder)) {
            // Checked before the database is made: it would be one of the wrong key.
            let key = try DataFolder.masterKey(settings)
            _ = try SQLStore.draft(of: path, sealing: (backupKey ?? key).sealing(with: key))
        }
        return try await EmbeddedServer(settings, for: .restoring).restored(from: path, backupKey: backupKey)
    }

    /// Seals all secrets of the database again with another master key.
    ///
    /// - Parameter next: the next key, which the operator keeps elsewhere; nil makes a new one in the data folder's file.
    /// - Throws: `SetupError.nextMasterKeyMissing` if there is no next key, and the present one is not in the file.
    package func changeMasterKey(to next: MasterKey?) async throws {
        let isInFile = service.settings.masterKey == nil
        guard isInFile || next != nil else { throw SetupError.nextMasterKeyMissing }
        try await MasterKeyChange(
            folder: service.settings.dataFolder, store: service.store, former: service.secrets.current.masterKey,
            isInFile: isInFile, next: next
        ).run()
    }

    /// The machine's clock, and the latest time that the database had seen when it was opened.
    package var times: (clock: UnixTime, stored: UnixTime) { (service.time.civil, service.store.foundTime) }

    /// Begins a new epoch: all sessions and unfinished approvals end, and earlier challenges, tickets and refresh
    /// tokens are refused.
    public func beginEpoch() async throws { try await service.store.beginEpoch() }
}
#endif
