#if canImport(LocalAuthentication) && canImport(Security)
public import Foundation
import Security
public import ThumbturnCore
import ThumbturnDevice

/// What an app forgets and a bug report needs: the facts on which prompts and keys depend. There is no secret in it, and nobody is asked
/// for anything. An item is put into the keychain and taken out again, because only that tells whether it can be used.
///
///     print(await Diagnostics.snapshot())
public struct Diagnostics: Hashable, Sendable, CustomStringConvertible {
    /// What the sensor looks at; nil where there is none.
    public var sensor: SensorKind?
    /// Whether it can be asked, or why not.
    public var biometry: BiometryState
    /// Whether the device has a passcode.
    public var isPasscodeSet: Bool
    /// Whether the lid of a portable Mac covers its sensor; nil where the system does not tell.
    public var isSensorCovered: Bool?
    /// Whether the app's Info.plist has an `NSFaceIDUsageDescription`.
    public var hasFaceIDReason: Bool
    /// How the keychain answers.
    public var keychain: KeychainAnswer

    /// How the keychain answers.
    public enum KeychainAnswer: Hashable, Sendable {
        /// It keeps and gives.
        case readable
        /// The device has not been unlocked since it started.
        case notYetReadable
        /// The app is not signed for the data-protection keychain, or not for this access group (-34018).
        case missingEntitlement
        /// Something else, with what the system said.
        case trouble(Failure.PlatformStatus)
    }

    /// The facts as they are now. Total, and without a prompt.
    ///
    /// - Parameters:
    ///   - bundle: whose Info.plist is looked at; that of the app.
    ///   - place: where the keys lie.
    public static func snapshot(bundle: Bundle = .main, place: KeychainPlace = KeychainPlace()) async -> Diagnostics {
        let reason = bundle.faceIDReason
        var system = AppleSystem()
        system.faceIDReason = { reason }
        return await snapshot(of: system, place: place)
    }

    static func snapshot(of system: AppleSystem, place: KeychainPlace = KeychainPlace()) async -> Diagnostics {
        let context = PromptContext(system)
        let preflight = await context.preflight()
        return Diagnostics(
            sensor: preflight.kind, biometry: preflight.state, isPasscodeSet: await context.isPasscodeSet(),
            isSensorCovered: preflight.environment?.isCovered, hasFaceIDReason: system.faceIDReason()?.isEmpty == false,
            keychain: await Diagnostics.answer(in: place, on: system))
    }

    /// What to add to the app, in a sentence; nil where nothing is missing.
    public var advice: String? { Self.missingFaceIDReason(hasFaceIDReason ? "given" : nil, on: sensor) }

    static func missingFaceIDReason(_ reason: String?, on sensor: SensorKind?) -> String? {
        guard sensor == .face, reason?.isEmpty != false else { return nil }
        return "Info.plist has no NSFaceIDUsageDescription, so the system refuses Face ID to this app. Say there why it asks."
    }

    public var description: String {
        let lid = isSensorCovered.map { $0 ? "covers the sensor" : "open" } ?? "not told"
        let lines = [
            "sensor: \(sensor?.rawValue ?? "none"), \(biometry)", "passcode: \(isPasscodeSet ? "set" : "not set")", "lid: \(lid)",
            "NSFaceIDUsageDescription: \(hasFaceIDReason ? "present" : "missing")", "keychain: \(keychain)",
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
    /// Keeps an item for a moment, as everything is kept that needs no prompt. A search would not tell: what is not there is "not found"
    /// also before the first unlock. In a place of its own, and without the mark of an installation, so nothing else is touched.
    private static func answer(in place: KeychainPlace, on system: AppleSystem) async -> KeychainAnswer {
        let place = KeychainPlace(service: place.service + ".diagnostics", accessGroup: place.accessGroup)
        let (keychain, probe) = (Keychain(place, on: system), KeychainItem.secret("probe"))
        do {
            try await keychain.write([1], as: probe)
            try await keychain.delete(probe)
            return .readable
        } catch {
            let status = error.status ?? AppleStatus(nil).status
            switch status.code {
            // Another snapshot was faster, so it can be written.
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
