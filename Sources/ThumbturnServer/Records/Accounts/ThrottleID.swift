#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages

/// The subject that wrong attempts are counted against.
///
/// Strangers cannot fill the table: addresses are hashed with a key into a fixed number of slots, and `Limits.names` caps
/// the counts of names.
package enum ThrottleID: Hashable, Sendable {
    /// An account, for senders without a session key that is enrolled for it. A name without an account has an id of
    /// its own here, which only a hash with a key tells; see `ThrottlePlaces.decoy(of:)`. The rows of both look alike
    /// and are kept alike, so no count shows whether a name has an account.
    case account(AccountID)
    /// A device, for senders with its session key.
    case device(DeviceID)
    /// A network, by its slot.
    case address(UInt16)
    /// All networks together.
    case global

    /// The number of the kind, as it is stored.
    package var scope: Int {
        switch self {
        // 2 was used by earlier versions.
        case .account: 1
        case .device: 3
        case .address: 4
        case .global: 5
        }
    }

    /// The bytes that identify the subject within its kind, as they are stored.
    package var bytes: [UInt8] {
        switch self {
        case .account(let id): id.bytes
        case .device(let id): id.bytes
        case .address(let place):
            [UInt8](repeating: 0, count: 14) + [UInt8(truncatingIfNeeded: place >> 8), UInt8(truncatingIfNeeded: place)]
        case .global: []
        }
    }
}

/// Computes the slots of names and addresses.
struct ThrottlePlaces {
    private let key: SymmetricKey

    init(key: SymmetricKey) {
        self.key = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array("thumbturn throttle".utf8), outputByteCount: 32)
    }

    /// The slot of a network.
    func address(_ network: Network) -> ThrottleID { .address(place([1] + network.bytes, of: Limits.networkCounters)) }
    /// The id under which a name without an account is counted. It is as random as the id of an account.
    func decoy(of name: String) -> AccountID { AccountID(unchecked: Array(code([2] + Array(name.utf8)).prefix(16))) }

    /// One of so many slots, which are a power of two of at most 16 bits.
    private func place(_ bytes: [UInt8], of slots: Int) -> UInt16 {
        let code = code(bytes)
        return (UInt16(code[0]) << 8 | UInt16(code[1])) & UInt16(slots - 1)
    }

    private func code(_ bytes: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)) }
}
#endif
