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

extension AppleWorld {
    func keychain(_ place: KeychainPlace = KeychainPlace(service: "test"), installedIn folder: URL? = nil) -> Keychain {
        Keychain(place, on: system, marker: folder.map { InstallMarker(folder: $0, of: place) })
    }

    /// The platform as an app gets it.
    func parts(
        _ place: KeychainPlace = KeychainPlace(service: "test"), pinEntry: (any PINEntry)? = nil, installedIn folder: URL? = nil
    ) -> DevicePlatform {
        let keychain = keychain(place, installedIn: folder)
        return DevicePlatform.apple(
            keychain, sensor: AppleSensor(system, keychain), pinEntry: pinEntry, transport: URLSessionTransport(),
            phases: phone.appPhases, clock: clock, pinRounds: 10)
    }

    /// What lies in the keychain: what guards it, and how.
    var items: [KeptItem] {
        device.keychain.contents.map {
            KeptItem(
                isKey: $0.isKey, account: $0.attributes[kSecAttrAccount as String] as? String ?? "",
                tag: ($0.attributes[kSecAttrApplicationTag as String] as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "",
                protection: $0.protection, flags: $0.flags,
                isSynchronized: $0.attributes[kSecAttrSynchronizable as String] != nil)
        }
    }

    /// Asked by the keychain itself, or asked of the wrong keychain: never.
    func expectNothingOnTheSide(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(device.calls("a prompt of the keychain's own") == 0, sourceLocation: sourceLocation)
        #expect(device.calls("not in the data-protection keychain") == 0, sourceLocation: sourceLocation)
        #expect(items.allSatisfy { !$0.isSynchronized }, sourceLocation: sourceLocation)
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
    /// A name of one account.
    static func of(_ kind: KeyKind, account: String = "ada") -> KeyName {
        KeyName(server: "https://a.example", account: account, kind: kind)
    }
}

extension Rung {
    static func of(_ kind: KeyKind) -> Rung { kind == .biometric ? .biometric : .devicePasscode }
}

/// An iPhone with one manner of showing that the enrolled set changed.
func iPhone(_ manner: SimulatedPhone.Model.DeadKey) -> SimulatedPhone.Model {
    var model = SimulatedPhone.Model.iPhone(.face)
    model.afterEnrolmentChange = manner
    return model
}
#endif
