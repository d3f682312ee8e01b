#if canImport(LocalAuthentication) && canImport(Security)
public import Foundation
import Security
public import ThumbturnCore
import ThumbturnDevice

/// The facts on which prompts and keys depend, for developers and bug reports. They contain no secret and show no prompt.
///
///     print(await Diagnostics.writingTestItem())
public struct Diagnostics: Hashable, Sendable, CustomStringConvertible {
    /// The kind of sensor; nil where there is none.
    public var sensor: SensorKind?
    /// The state of the sensor.
    public var biometry: BiometryState
    /// Whether the device has a passcode.
    public var isPasscodeSet: Bool
    /// Whether the lid of a portable Mac covers its sensor; nil where the system does not report it.
    public var isSensorCovered: Bool?
    /// Whether the app's Info.plist has an `NSFaceIDUsageDescription`.
    public var hasFaceIDReason: Bool
    /// Whether this is a simulator, whose keys are not in a Secure Enclave.
    public var isSimulator: Bool
    /// Whether the system has App Attest. Without the entitlement of the app it refuses keys all the same.
    public var hasAppAttest: Bool
    /// The keychain's answer to a test item; nil where none was written.
    public var keychain: KeychainAnswer?

    /// The keychain's answer to a test item.
    public enum KeychainAnswer: Hashable, Sendable {
        /// The keychain accepts and deletes items.
        case readable
        /// The device has not been unlocked since it started.
        case notYetReadable
        /// The app is not signed for the data-protection keychain, or not for this access group (-34018).
        case missingEntitlement
        /// Another error, with the system's status.
        case trouble(Failure.PlatformStatus)
    }

    /// Reads the facts, and writes nothing. It never fails and shows no prompt.
    ///
    /// - Parameter bundle: the bundle whose Info.plist is read; by default the app's.
    public static func snapshot(bundle: Bundle = .main) async -> Diagnostics { await snapshot(of: system(of: bundle)) }

    /// Reads the facts, adds an item to the keychain and deletes it again, because only that shows whether the keychain can
    /// be used. It never fails and shows no prompt.
    ///
    /// - Parameters:
    ///   - bundle: the bundle whose Info.plist is read; by default the app's.
    ///   - place: the place of the app's keys. The item has a place of its own beside it.
    public static func writingTestItem(
        bundle: Bundle = .main, in place: KeychainPlace = KeychainPlace()
    ) async -> Diagnostics {
        await writingTestItem(on: system(of: bundle), in: place)
    }

    private static func system(of bundle: Bundle) -> AppleSystem {
        let reason = bundle.faceIDReason
        var system = AppleSystem()
        system.faceIDReason = { reason }
        return system
    }

    static func writingTestItem(on system: AppleSystem, in place: KeychainPlace = KeychainPlace()) async -> Diagnostics {
        var found = await snapshot(of: system)
        found.keychain = await answer(in: place, on: system)
        return found
    }

    static func snapshot(of system: AppleSystem) async -> Diagnostics {
        let context = PromptContext(system)
        let preflight = await context.preflight()
        return Diagnostics(
            sensor: preflight.kind, biometry: preflight.state, isPasscodeSet: await context.isPasscodeSet(),
            isSensorCovered: preflight.environment?.isCovered, hasFaceIDReason: !system.lacksReason,
            isSimulator: system.isSimulator, hasAppAttest: system.hasAppAttest())
    }

    /// A sentence on what to change; nil if nothing is missing.
    public var advice: String? {
        Self.missingFaceIDReason(hasFaceIDReason ? "given" : nil, on: sensor) ?? (isSimulator ? AppleSystem.ofSimulators : nil)
    }

    static func missingFaceIDReason(_ reason: String?, on sensor: SensorKind?) -> String? {
        guard AppleSystem.needsReason(sensor), AppleSystem.isBlank(reason) else { return nil }
        return "Info.plist has no NSFaceIDUsageDescription, so this app cannot use the sensor. Say there why it asks."
    }

    public var description: String {
        let lid = isSensorCovered.map { $0 ? "covers the sensor" : "open" } ?? "not told"
        let lines = [
            "sensor: \(sensor?.rawValue ?? "none"), \(biometry)", "passcode: \(isPasscodeSet ? "set" : "not set")", "lid: \(lid)",
            "NSFaceIDUsageDescription: \(hasFaceIDReason ? "present" : "missing")",
            "device: \(isSimulator ? "a simulator, without a Secure Enclave" : "not a simulator")",
            "App Attest: \(hasAppAttest ? "supported" : "not supported")",
            "keychain: \(keychain.map(\.description) ?? "not tried")",
        ]
        return lines.joined(separator: "\n")
    }
}

extension Diagnostics.KeychainAnswer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .readable: "readable"
        case .notYetReadable: "not yet readable, the device has to be unlocked first"
        case .missingEntitlement: "the app has no entitlement for it (-34018)"
        case .trouble(let status): "\(status.domain) \(status.code)"
        }
    }
}

extension Diagnostics {
    /// Keeps an item for a moment, protected like all items that need no prompt. A search would not be enough, because
    /// a missing item is "not found" even before the first unlock. The item has a place of its own and no installation
    /// marker, so nothing else is touched.
    private static func answer(in place: KeychainPlace, on system: AppleSystem) async -> KeychainAnswer {
        let place = KeychainPlace(service: place.service + ".diagnostics", accessGroup: place.accessGroup)
        let keychain = Keychain(place, on: system)
        do {
            try await keychain.write([1], as: .probe)
            try await keychain.delete(.probe)
            return .readable
        } catch {
            let status = error.status ?? AppleStatus(nil).status
            switch status.code {
            // Another snapshot was faster, so items can be written.
            case Int(errSecDuplicateItem): return .readable
            case Int(errSecInteractionNotAllowed): return .notYetReadable
            case Int(errSecMissingEntitlement): return .missingEntitlement
            default: return .trouble(status)
            }
        }
    }
}

extension Bundle {
    var faceIDReason: String? { object(forInfoDictionaryKey: "NSFaceIDUsageDescription") as? String }
}
#endif
