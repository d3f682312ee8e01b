#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
public import ThumbturnCore
import ThumbturnMessages

/// 16 random bytes that assign a device to the arms of experiments. They are made once on the device, and never sent.
public struct AssignmentToken: Hashable, Sendable, Redacted {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The token of this device in a realm, made at the first call. A stored one that is damaged is made anew, which assigns anew.
    ///
    /// - Parameters:
    ///   - realm: who sees the arms, such as a server's address. Tokens of two realms have nothing in common, so that their arms do
    ///     not tell that they are of one device.
    ///   - platform: keeps the token.
    public static func ofThisDevice(
        for realm: String, on platform: DevicePlatform
    ) async throws(Failure) -> AssignmentToken {
        try await platform.secrets.change(name(realm)) { stored in
            if let bytes = stored.bytes, bytes.count == length { return (bytes, AssignmentToken(bytes)) }
            let fresh = RandomBytes.sixteen()
            return (fresh, AssignmentToken(fresh))
        }
    }

    /// Deletes the token of a realm: the next one assigns anew.
    static func forget(for realm: String, on platform: DevicePlatform) async throws(Failure) {
        try await platform.secrets.delete(name(realm))
    }

    private static func name(_ realm: String) -> String { "assignment token \(realm)" }
    private static let length = 16
}

extension Experiment {
    /// The arm that a device gets: always the same one, as long as the experiment's and the arms' names and weights stay.
    ///
    /// For each arm, the first eight bytes of SHA-256, most significant first, over
    ///
    ///     "thumbturn-experiment-1" ‖ 0x00 ‖ name ‖ 0x00 ‖ name of the arm ‖ 0x00 ‖ token
    ///
    /// are a number x, with its lowest bit set. The arm with the smallest −log₂(x / 2^64) / weight is the device's, and of
    /// equal ones the first by name. The logarithm has 40 bits after the point; each bit comes from squaring the mantissa, 64 bits of which
    /// are kept. So an arm has devices in proportion to its weight,
    /// experiments are independent of each other, and a change of one weight moves only the devices that the shares demand.
    public func arm(for token: AssignmentToken) -> Arm {
        arm { arm in
            var hash = SHA256()
            for part in ["thumbturn-experiment-1", name.text, arm.name.text] {
                hash.update(data: Array(part.utf8) + [0])
            }
            hash.update(data: token.bytes)
            return hash.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
