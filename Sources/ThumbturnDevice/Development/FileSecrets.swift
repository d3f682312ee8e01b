public import ThumbturnCore
import ThumbturnHost

/// A store of small secrets for development, in files of mode 0600. Several processes may share its folder: each change
/// holds a file lock for a moment, which the kernel frees if its process is killed.
public struct FileSecrets: SecretStore {
    private let files: PrivateFiles
    private let locks: FileLocks

    /// Makes a store in a folder.
    ///
    /// - Parameter folder: created with mode 0700 where it does not exist.
    public init(folder: String) {
        files = PrivateFiles(folder: folder)
        locks = FileLocks(folder: folder)
    }

    public func read(_ name: String) throws(Failure) -> [UInt8]? { try files.read(Self.file(name)) }

    public func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        let lock = try await lock()
        defer { lock.release() }
        try files.write(secret, to: Self.file(name))
    }

    public func delete(_ name: String) async throws(Failure) {
        let lock = try await lock()
        defer { lock.release() }
        try files.delete(Self.file(name))
    }

    public func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        let lock = try await lock()
        defer { lock.release() }
        guard try files.read(Self.file(name)) == old else { return false }
        if let new { try files.write(new, to: Self.file(name)) } else { try files.delete(Self.file(name)) }
        return true
    }

    /// Waits for the lock at most five seconds, a thousand times what a change takes: another process that was stopped
    /// while it holds the lock must not keep a person waiting.
    private func lock() async throws(Failure) -> PlaceLock {
        for _ in 1...1000 {
            if let lock = try locks.tryLock("secrets") { return lock }
            do { try await Task.sleep(for: .milliseconds(5)) } catch { throw Failure(.cancelledByApp) }
        }
        throw Failure(.platform)
    }

    private static func file(_ name: String) -> String { "\(Signing.hash(Array(name.utf8))).secret" }
}
