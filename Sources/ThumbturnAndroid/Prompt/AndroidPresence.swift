import ThumbturnCore
import ThumbturnDevice

/// A match: the object of Java that the system has authorised for one operation with one key. It is given back where it is not
/// used.
final class AndroidPresence: Sendable {
    /// One key for one message. The message is empty for the secret of a vault.
    struct Purpose: Hashable, Sendable {
        var alias: String
        var kind: NewKeyKind
        var message: [UInt8]
    }

    private let keystore: Keystore
    private let purpose: Purpose
    private let handle: Int64
    private let isSpent = Flag()

    init(_ handle: Int64, for purpose: Purpose, in keystore: Keystore) {
        (self.handle, self.purpose, self.keystore) = (handle, purpose, keystore)
    }

    deinit {
        if !isSpent.isRaised { keystore.system.tell(.releaseHandle, handle) }
    }

    /// Has the key sign or decrypt these bytes, once. Throws `notMatched` for every other purpose, and on a second use.
    func use(for purpose: Purpose, with bytes: [UInt8]) async throws(Failure) -> [UInt8] {
        guard purpose == self.purpose, isSpent.raise() else { throw Failure(.notMatched) }
        do throws(AndroidThrown) {
            return try await keystore.system.call(.useHandle) { request in
                request.put(handle)
                request.put(bytes)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.bytes()
            }
        } catch {
            throw await keystore.explained(error, purpose.alias, kind: purpose.kind)
        }
    }
}

/// A match for a vault that has no secret: it opens nothing.
struct AndroidEmptyPresence: Sendable {}
