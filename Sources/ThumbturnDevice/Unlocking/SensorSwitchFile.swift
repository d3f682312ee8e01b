import Foundation
import ThumbturnCore

/// The switch of the sensor for one account or one vault, kept among the small secrets.
///
/// It belongs to no key, so it is there before an enrolment has made its keys, and for every process that shares the
/// place.
struct SensorSwitchFile: Sendable {
    private let name: String
    private let secrets: any SecretStore

    /// - Parameters:
    ///   - server: the server's issuer address, or the realm of vaults.
    ///   - account: the app's label for the account, or the vault's name.
    init(server: String, account: String, on platform: DevicePlatform) {
        name = "sensor switch \(server) \(account)"
        secrets = platform.secrets
    }

    /// Reads the switch. Throws where it cannot be read now.
    func read() async throws(Failure) -> SensorSwitch { Self.read(try await secrets.stored(name)) }

    /// Switches the sensor off.
    func turnOff() async throws(Failure) { try await change { $0.turnOff() } }

    /// Switches the sensor on, because a stronger rung has succeeded that was asked for at this count of dismissals.
    /// Where this cannot be written the sensor stays off, which is the safe side.
    func lift(askedAt count: Int) async { try? await change { $0.lift(askedAt: count) } }

    /// Deletes the switch, which switches the sensor on.
    func delete() async throws(Failure) { try await secrets.delete(name) }

    private func change(_ body: (inout SensorSwitch) -> Void) async throws(Failure) {
        try await secrets.change(name) { stored in
            var kept = Self.read(stored)
            body(&kept)
            return (kept == SensorSwitch() ? nil : StoredRecord.encode(kept), ())
        }
    }

    private static func read(_ stored: StoredSecret) -> SensorSwitch {
        switch stored {
        case .nothing: SensorSwitch()
        case .sealedForEver: .damaged
        case .bytes(let bytes): (try? JSONDecoder().decode(SensorSwitch.self, from: Data(bytes))) ?? .damaged
        }
    }
}
