#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import ThumbturnCore
import ThumbturnDevice
#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Whether VoiceOver or Switch Control runs: a person who uses one needs more time to reach a button (WCAG 2.2, success
/// criterion 2.2.1).
struct AssistiveTechnology: Sendable {
    /// Asks the system.
    let isOn: @Sendable () async -> Bool
    private let relay: Broadcaster<Void>

    /// Observes a centre of notifications. The observers live as long as the process, so their tokens are not kept.
    init(center: NotificationCenter, isOn: @escaping @Sendable () async -> Bool) {
        let relay = Broadcaster<Void>()
        for name in Self.names {
            _ = center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in relay.send(()) }
        }
        (self.relay, self.isOn) = (relay, isOn)
    }

    /// A value for each time that one of them starts or stops. A Mac posts no notification of it.
    var changes: AsyncStream<Void> { relay.stream() }

    var extraTime: ExtraTime {
        get async { await isOn() ? .tenfold : .none }
    }

    /// UIKit's notifications, by their values as the headers name them. The values have not been checked on Apple's systems;
    /// what is missed is read when the next unlock begins.
    static let names = [
        "UIAccessibilityVoiceOverStatusDidChangeNotification", "UIAccessibilityVoiceOverStatusChanged",
        "UIAccessibilitySwitchControlStatusDidChangeNotification",
    ]

    /// Those of this process. The properties may belong to the main actor.
    static let system = AssistiveTechnology(center: .default) {
        #if canImport(UIKit)
        await MainActor.run { UIAccessibility.isVoiceOverRunning || UIAccessibility.isSwitchControlRunning }
        #elseif canImport(AppKit)
        await MainActor.run { NSWorkspace.shared.isVoiceOverEnabled || NSWorkspace.shared.isSwitchControlEnabled }
        #else
        false
        #endif
    }
}
#endif
