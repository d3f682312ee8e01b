import ThumbturnCore

/// What a store has under a name.
enum StoredSecret: Equatable {
    case nothing
    case bytes([UInt8])
    /// A secret that can never be read again, for example because a backup brought it without its key.
    case sealedForEver

    /// The secret, where there is one that can be read.
    var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }
}

extension SecretStore {
    /// Reads what the store has under a name. Throws where that cannot be told now.
    func stored(_ name: String) async throws(Failure) -> StoredSecret {
        do throws(Failure) {
            return try await read(name).map { .bytes($0) } ?? .nothing
        } catch {
            guard error.recovery == .reEnrol else { throw error }
            return .sealedForEver
        }
    }

    /// Reads a secret; nil also for one that can never be read again, which is deleted. Throws where that cannot be told now.
    func readable(_ name: String) async throws(Failure) -> [UInt8]? {
        let stored = try await stored(name)
        // A deletion that fails is tried again at the next read.
        if stored == .sealedForEver { try? await delete(name) }
        return stored.bytes
    }

    /// Changes a secret in one step, for all tasks and processes that share the store. Where another one was faster, the
    /// body is asked again with what stands there now. What the body throws ends the change, and the secret stays as it
    /// was.
    ///
    /// - Parameter body: gives the new bytes, nil for no secret, and the value to return.
    func change<Value>(
        _ name: String, _ body: (StoredSecret) throws(Failure) -> (bytes: [UInt8]?, value: Value)
    ) async throws(Failure) -> Value {
        for _ in 1...mostTries {
            let old = try await stored(name)
            let new = try body(old)
            switch old {
            case .bytes(let bytes) where bytes == new.bytes: return new.value
            case .nothing where new.bytes == nil: return new.value
            case .bytes(let bytes):
                if try await replace(bytes, by: new.bytes, as: name) { return new.value }
            case .nothing:
                if try await replace(nil, by: new.bytes, as: name) { return new.value }
            case .sealedForEver:
                // A secret that was gone for a moment would count as one that never was.
                if let bytes = new.bytes { try await write(bytes, as: name) } else { try await delete(name) }
                return new.value
            }
        }
        throw Failure(.platform)
    }
}

/// How often a change is tried. Each failed try is another change that succeeded: more of them than the guesses and
/// attempts that the tasks and processes of a device count at a time.
private let mostTries = 100
