#if STAND_INS
import Foundation
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

extension AppleWorld {
    /// The adapter's platform with a server, and with the app's own PIN screen if the phone has one. There is no pause
    /// between two sheets, and a PIN is stretched with few rounds.
    ///
    /// - Parameters:
    ///   - transport: the network.
    ///   - installation: the folder of the app's own files; nil for none.
    ///   - assistive: whether VoiceOver or Switch Control runs.
    func platform(
        transport: any Transport, installation: URL? = nil, assistive: AssistiveTechnology = .system
    ) -> DevicePlatform {
        let keychain = keychain(KeychainPlace(), installedIn: installation)
        var platform = DevicePlatform.apple(
            keychain, sensor: AppleSensor(system, keychain), pinEntry: phone.platform(transport: transport).pin?.entry,
            transport: transport, phases: phone.appPhases, assistive: assistive, clock: phone.clock, pinRounds: 10,
            place: .ofThisProcess(UUID().uuidString))
        platform.promptGap = .zero
        return platform
    }
}
#endif
