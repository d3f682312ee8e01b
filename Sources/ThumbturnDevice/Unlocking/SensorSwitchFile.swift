import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

    /// Switches the sensor off for all accounts and vaults of the place, also for ones that were not used yet.
    static func turnOffAll(on platform: DevicePlatform) async throws(Failure) {
        try await change(everyone, in: platform.secrets) { $0.turnOff() }
    }

    /// The count of dismissals of everyone of the place, which every switch follows.
    private static let everyone = "sensor switches"

    /// Reads the switch. One that is damaged is replaced, so that asks from here on note its new count. Throws where it
    /// cannot be read or replaced now.
    func read() async throws(Failure) -> SensorSwitch { try await change { $0 } }

    /// Switches the sensor off.
    func turnOff() async throws(Failure) { try await change { $0.turnOff() } }

    /// Switches the sensor on, because a stronger rung has succeeded that was asked for at this count of dismissals.
    /// Where this cannot be written the sensor stays off, which is the safe side.
    func lift(askedAt count: Int) async { try? await change { $0.lift(askedAt: count) } }

    /// Switches the sensor on where no stronger rung could.
    func turnOn() async throws(Failure) { try await change { $0.turnOn() } }

    /// Deletes the switch: what was dismissed is gone.
    func delete() async throws(Failure) { try await secrets.delete(name) }

    private func change<Value>(_ body: (inout SensorSwitch) -> Value) async throws(Failure) -> Value {
        let count = try await Self.change(Self.everyone, in: secrets) { $0.dismissals }
        return try await Self.change(name, in: secrets) {
            $0.follow(count)
            return body(&$0)
        }
    }

    @discardableResult
    private static func change<Value>(
        _ name: String, in secrets: any SecretStore, _ body: (inout SensorSwitch) -> Value
    ) async throws(Failure) -> Value {
        try await secrets.change(name) { stored in
            let kept = Self.kept(stored)
            var next = kept ?? .replacingDamaged(countedAs: .random(in: 1...Int.max))
            let value = body(&next)
            if next == kept { return (stored.bytes, value) }
            return (next == SensorSwitch() ? nil : StoredRecord.encode(next), value)
        }
    }

    /// The switch that is stored; nil for one that is damaged, or that can never be read again.
    private static func kept(_ stored: StoredSecret) -> SensorSwitch? {
        switch stored {
        case .nothing: SensorSwitch()
        case .sealedForEver: nil
        case .bytes(let bytes): try? JSONDecoder().decode(SensorSwitch.self, from: Data(bytes))
        }
    }
}
