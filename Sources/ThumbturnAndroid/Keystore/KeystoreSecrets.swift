import ThumbturnCore
import ThumbturnDevice
import ThumbturnHost

/// Small secrets that need no prompt: files in the folder that no backup contains, encrypted by a key of the Keystore
/// (AES-256-GCM).
///
/// A file is the nonce's length, the nonce, and the ciphertext. What is encrypted begins with the secret's name, so that one file
/// cannot take another's place. A file that came back without its key, by a tool that copies a phone, is `keyInvalidated`, and all
/// such files go when the next key is made.
struct KeystoreSecrets: SecretStore {
    private let keystore: Keystore
    private let files: PrivateFiles
    private let locks: FileLocks
    /// Where the changes of this process wait for each other.
    private let turns = SerialGate()

    init(folder: String, _ keystore: Keystore) {
        self.keystore = keystore
        files = PrivateFiles(folder: folder)
        locks = FileLocks(folder: folder)
    }

    func read(_ name: String) async throws(Failure) -> [UInt8]? {
        try await keystore.checkReadable()
        return try await opened(name)
    }

    func write(_ secret: [UInt8], as name: String) async throws(Failure) {
        try await changing { () async throws(Failure) in try await store(secret, name) }
    }

    func delete(_ name: String) async throws(Failure) {
        try await changing { () async throws(Failure) in try files.delete(Self.file(name)) }
    }

    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool {
        try await changing { () async throws(Failure) in
            guard try await opened(name) == old else { return false }
            if let new { try await store(new, name) } else { try files.delete(Self.file(name)) }
            return true
        }
    }

    private func opened(_ name: String) async throws(Failure) -> [UInt8]? {
        guard let file = try files.read(Self.file(name)) else { return nil }
        let gone = Failure(.keyInvalidated)
        guard let nonceLength = file.first.map(Int.init), nonceLength > 0, file.count > 1 + nonceLength else { throw gone }
        let plain: [UInt8]
        do throws(AndroidThrown) {
            plain = try await keystore.system.call(.decryptNow) { request in
                request.put(KeyAlias.secrets)
                request.put(Array(file[1...nonceLength]))
                request.put(Array(file[(1 + nonceLength)...]))
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.bytes()
            }
        } catch {
            let failure = await keystore.failure(of: error, using: KeyAlias.secrets)
            guard failure.code == .notEnrolled else { throw failure }
            throw Failure(.keyInvalidated, status: failure.status)
        }
        let label = Self.label(name)
        guard plain.starts(with: label) else { throw gone }
        return Array(plain.dropFirst(label.count))
    }

    private func store(_ secret: [UInt8], _ name: String) async throws(Failure) {
        let box: Box
        do throws(AndroidThrown) {
            box = try await encrypted(Self.label(name) + secret)
        } catch {
            let failure = await keystore.failure(of: error, using: KeyAlias.secrets)
            // The first secret, or the first after a restore: what an earlier key encrypted is lost already. The lock keeps
            // another process from making a key at the same time.
            guard failure.code == .notEnrolled else { throw failure }
            // Before the key is made: a crash in between leaves files that the next call finds.
            for lost in try files.names(to: Self.ending) { try files.delete(lost) }
            _ = try await keystore.make(.secrets, as: KeyAlias.secrets)
            do throws(AndroidThrown) {
                box = try await encrypted(Self.label(name) + secret)
            } catch {
                throw error.failure
            }
        }
        guard let nonceLength = UInt8(exactly: box.nonce.count) else { throw Failure(.platform) }
        try files.write([nonceLength] + box.nonce + box.ciphertext, to: Self.file(name))
    }

    private struct Box: Sendable {
        var nonce: [UInt8]
        var ciphertext: [UInt8]
    }

    private func encrypted(_ bytes: [UInt8]) async throws(AndroidThrown) -> Box {
        try await keystore.system.call(.encryptNow) { request in
            request.put(KeyAlias.secrets)
            request.put(bytes)
        } _: { (reader) throws(BridgeReader.Malformed) in
            Box(nonce: try reader.bytes(), ciphertext: try reader.bytes())
        }
    }

    /// Runs a change while no other one is under way, in this process or in another.
    ///
    /// Another process is waited for at most five seconds, a thousand times what a change takes: one that was stopped while it
    /// holds the lock must not keep a person waiting.
    private func changing<Result>(_ change: () async throws(Failure) -> Result) async throws(Failure) -> Result {
        try await keystore.checkReadable()
        for _ in 1...1000 {
            if let result = try await changed(change) { return result }
            do { try await keystore.system.sleep(.milliseconds(5)) } catch { throw Failure(.cancelledByApp) }
        }
        throw Failure(.platform, recovery: .retry)
    }

    /// Runs a change in its turn; nil where another process has the lock.
    private func changed<Result>(_ change: () async throws(Failure) -> Result) async throws(Failure) -> Result? {
        await turns.enter()
        defer { turns.leave() }
        guard let lock = try locks.tryLock("secrets") else { return nil }
        defer { lock.release() }
        return try await change()
    }

    private static func label(_ name: String) -> [UInt8] {
        var label = BridgeWriter()
        label.put(name)
        return label.message
    }

    private static func file(_ name: String) -> String { Signing.hash(Array(name.utf8)) + ending }
    private static let ending = ".secret"
}
