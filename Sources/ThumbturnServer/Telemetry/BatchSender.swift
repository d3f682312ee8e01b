#if Server
import Crypto
import ThumbturnCore
import ThumbturnMessages

/// Who sent a batch, while it waits in memory. Nothing of it is written to the tables.
struct BatchSender: Hashable, Sendable {
    /// How the sender authenticated.
    enum Credential: Hashable, Sendable {
        /// By the session key of an enrolled device.
        case device(DeviceID)
        /// By the write key of this name.
        case key(String)
    }

    let credential: Credential
    /// The network that the batch came from.
    let network: Network

    var hasKey: Bool { if case .key = credential { true } else { false } }

    /// The sender whose share of new cells a batch takes from. All holders of a write key are told apart by their networks.
    var shareholder: Shareholder {
        switch credential {
        case .device(let device): .device(device)
        case .key: .network(network)
        }
    }

    enum Shareholder: Hashable, Sendable {
        case device(DeviceID)
        case network(Network)

        /// The most new cells in a day.
        var share: Int {
            switch self {
            case .device: Limits.telemetryCellsOfDevice
            case .network: Limits.telemetryCellsOfNetwork
            }
        }
    }
}

/// A random value with which devices are counted on one day. It is deleted when the day is over, and then no hash can be compared
/// with a device any more.
struct TelemetrySalt: Hashable, Sendable {
    let bytes: [UInt8]

    /// The hash of the sender's device: the first 8 bytes of HMAC-SHA256 with the salt as the key.
    ///
    /// A device with a session is counted once a day, whatever it says. A sender with a write key is counted by the name that
    /// its batch gives it, so who has the key can make up devices.
    func hash(of batch: WaitingBatch) -> UInt64 {
        // The byte in front keeps ids and names apart.
        let name: [UInt8] =
            switch batch.sender.credential {
            case .device(let device): [0] + device.bytes
            case .key: [1] + batch.day
            }
        return HMAC<SHA256>.authenticationCode(for: name, using: SymmetricKey(data: bytes)).prefix(8)
            .reduce(0) { $0 << 8 | UInt64($1) }
    }
}
#endif
