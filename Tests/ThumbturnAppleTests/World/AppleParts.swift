#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple
import ThumbturnURLSession

extension AppleWorld {
    func keychain(_ place: KeychainPlace = KeychainPlace(service: "test"), installedIn folder: URL? = nil) -> Keychain {
        Keychain(place, on: system, marker: folder.map { InstallMarker(folder: $0, of: place) })
    }

    /// The platform as an app gets it, in virtual time.
    func parts(
        _ place: KeychainPlace = KeychainPlace(service: "test"), pinEntry: (any PINEntry)? = nil, installedIn folder: URL? = nil
    ) -> DevicePlatform {
        let keychain = keychain(place, installedIn: folder)
        return DevicePlatform.apple(
            keychain, sensor: AppleSensor(system, keychain), pinEntry: pinEntry, transport: URLSessionTransport(),
            phases: phone.appPhases, clock: clock, pinRounds: 10,
            place: .ofThisProcess(UUID().uuidString))
    }

    /// The items of the keychain, each with its protection.
    var items: [KeptItem] {
        device.keychain.contents.map {
            KeptItem(
                isKey: $0.isKey, account: $0.attributes[kSecAttrAccount as String] as? String ?? "",
                tag: ($0.attributes[kSecAttrApplicationTag as String] as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "",
                protection: $0.protection, flags: $0.flags,
                isSynchronized: $0.attributes[kSecAttrSynchronizable as String] != nil)
        }
    }

    /// Expects no prompt by the keychain itself, no search that may show one, no query for the wrong keychain, no synchronised item, and no call for
    /// which the system would have ended the app.
    func expectNothingOnTheSide(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(device.calls("a prompt of the keychain's own") == 0, sourceLocation: sourceLocation)
        #expect(device.calls("a search that may show a prompt") == 0, sourceLocation: sourceLocation)
        #expect(device.calls("not in the data-protection keychain") == 0, sourceLocation: sourceLocation)
        #expect(items.allSatisfy { !$0.isSynchronized }, sourceLocation: sourceLocation)
        #expect(device.calls("the system ended the app") == 0, sourceLocation: sourceLocation)
    }
}

struct KeptItem {
    var isKey: Bool
    var account: String
    var tag: String
    var protection: String
    var flags: SecAccessControlCreateFlags?
    var isSynchronized: Bool
}

extension KeyName {
    /// The name of a key of an account.
    static func of(_ kind: KeyKind, account: String = "ada") -> KeyName {
        KeyName(server: "https://a.example", account: account, kind: kind)
    }
}

extension Rung {
    static func of(_ kind: KeyKind) -> Rung { kind == .biometric ? .biometric : .devicePasscode }
}

extension StandInRefusal {
    /// What devices are known, or may be expected, to say of a key that a change of the enrolled set has invalidated.
    static let ofADeadKey: [StandInRefusal] = [
        .keychain(-25293), .token(-5, aks: nil), .token(-6, aks: nil), .token(-3, aks: nil), .token(-3, aks: policyInvalid),
        .atLookup(-25293), .atLookup(-25300), .atLookup(-26275),
    ]

    /// What a device may say of a wrong application password, which is not documented.
    static let ofAWrongPassword: [StandInRefusal] = [
        .keychain(-25293), .keychain(-50), .token(-5, aks: nil), .token(-3, aks: nil), .token(-3, aks: policyInvalid),
        .token(-8, aks: nil), .token(-6, aks: nil), .token(-7, aks: nil), .keychain(-25300), .atLookup(-25293),
        .atLookup(-25300), .atLookup(-25308), .atLookup(-26275), .atLookup(-26276), .atLookup(-50), .atLookup(-36),
    ]
}

/// An iPhone that reports an invalidated key in this way.
func iPhone(_ manner: SimulatedPhone.Model.DeadKey) -> SimulatedPhone.Model {
    var model = SimulatedPhone.Model.iPhone(.face)
    model.afterEnrolmentChange = manner
    return model
}
#endif
