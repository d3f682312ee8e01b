#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages

/// The subject that wrong attempts are counted against. Addresses and names without an account are hashed with a key
/// into a fixed number of slots, so that a stranger cannot fill the table.
package enum ThrottleID: Hashable, Sendable {
    /// An account, for senders without a session key that is enrolled for it.
    case account(AccountID)
    /// A name without an account, which is counted so that it takes the same work as a name that has one.
    case noAccount(UInt16)
    /// A device, for senders with its session key.
    case device(DeviceID)
    /// A network, by its slot.
    case address(UInt16)
    /// All networks together.
    case global

    /// The number of the kind, as it is stored.
    package var scope: Int {
        switch self {
        case .account: 1
        case .noAccount: 2
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
        // The same length as the id of an account.
        case .noAccount(let place), .address(let place):
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

    /// The slot of a network: one of 65,536.
    func address(_ network: Network) -> ThrottleID { .address(place([1] + network.bytes)) }
    /// The slot of a name without an account: one of 1,024.
    func noAccount(_ name: String) -> ThrottleID { .noAccount(place([2] + Array(name.utf8)) & 0x3FF) }

    private func place(_ bytes: [UInt8]) -> UInt16 {
        let code = Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        return UInt16(code[0]) << 8 | UInt16(code[1])
    }
}
#endif
