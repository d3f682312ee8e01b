#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
public import ThumbturnCore
public import ThumbturnDevice

/// Where the app is, as the notifications of UIKit and of AppKit tell.
///
/// It listens from its first use in the process on, and takes the app to be in front until it hears otherwise: only the application
/// object could tell, and asking it would shut app extensions out. Make it early. A prompt that is asked for in the background after
/// all is taken away by the system.
public struct ScenePhases: AppPhases {
    private let relay: Relay<AppPhase>

    /// The phases of this process.
    public init() { relay = Self.relay }

    /// Those that the notifications of one centre tell.
    init(_ center: NotificationCenter) { relay = Self.listen(to: center) }

    public func phases() -> AsyncStream<AppPhase> { relay.stream() }

    private static let relay = listen(to: .default)

    private static func listen(to center: NotificationCenter) -> Relay<AppPhase> {
        let relay = Relay(AppPhase.front)
        // For as long as the process lives, so nobody keeps what would end it.
        for (name, phase) in names {
            _ = center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in relay.send(phase) }
        }
        return relay
    }

    /// The values of UIKit's and AppKit's constants. By value, because the constants of AppKit belong to the main actor, or not, as
    /// versions of its headers go. Never run on Apple's own systems.
    private static let names: [String: AppPhase] = [
        "UIApplicationDidBecomeActiveNotification": .front,
        "UIApplicationWillResignActiveNotification": .inactive,
        "UIApplicationWillEnterForegroundNotification": .inactive,
        "UIApplicationDidEnterBackgroundNotification": .back,
        "NSApplicationDidBecomeActiveNotification": .front,
        "NSApplicationDidResignActiveNotification": .inactive,
        "NSApplicationDidUnhideNotification": .inactive,
        "NSApplicationDidHideNotification": .back,
    ]
}
#endif
