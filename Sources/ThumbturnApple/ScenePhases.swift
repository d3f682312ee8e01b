#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// The app's phases, from the notifications of UIKit and AppKit.
///
/// It observes them from its first use in the process, and assumes that the app is in front until one arrives: only the
/// application object knows the phase, and code that uses it cannot be part of an app extension. Make it early. If a
/// prompt is requested in the background nevertheless, the system dismisses it.
public struct ScenePhases: AppPhases {
    private let relay: Broadcaster<AppPhase>

    /// Creates the phases of this process.
    public init() { relay = Self.relay }

    /// Creates phases from the notifications of one centre.
    init(_ center: NotificationCenter) { relay = Self.listen(to: center) }

    public func phases() -> AsyncStream<AppPhase> { relay.stream() }

    private static let relay = listen(to: .default)

    private static func listen(to center: NotificationCenter) -> Broadcaster<AppPhase> {
        let (relay, heard) = (Broadcaster(AppPhase.front), Heard())
        // The observers live as long as the process, so their tokens are not kept.
        for (name, told) in names {
            _ = center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                heard.hear(told) { relay.send($0) }
            }
        }
        return relay
    }

    /// The facts in a notification; nil for a fact that is not in it.
    private struct Told: Sendable {
        var isHidden: Bool?
        var isActive: Bool?
    }

    /// The values of UIKit's and AppKit's constants. The constants are not used, because versions of AppKit's headers
    /// differ on whether they belong to the main actor. The values have not been checked on Apple's systems.
    ///
    /// UIKit posts its notifications in one order, so each sets both facts. On a Mac an app is hidden and deactivated
    /// in no documented order, so each notification sets only its own fact.
    private static let names: [String: Told] = [
        "UIApplicationDidBecomeActiveNotification": Told(isHidden: false, isActive: true),
        "UIApplicationWillResignActiveNotification": Told(isHidden: false, isActive: false),
        "UIApplicationWillEnterForegroundNotification": Told(isHidden: false, isActive: false),
        "UIApplicationDidEnterBackgroundNotification": Told(isHidden: true, isActive: false),
        "NSApplicationDidBecomeActiveNotification": Told(isActive: true),
        "NSApplicationDidResignActiveNotification": Told(isActive: false),
        "NSApplicationDidUnhideNotification": Told(isHidden: false),
        "NSApplicationDidHideNotification": Told(isHidden: true),
    ]

    /// The two facts as last reported.
    private final class Heard: Sendable {
        private let facts = Mutex((isHidden: false, isActive: true))

        /// Sends the phase under the lock, so that phases keep the order of the notifications.
        func hear(_ told: Told, tell: (AppPhase) -> Void) {
            facts.withLock { facts in
                facts.isHidden = told.isHidden ?? facts.isHidden
                facts.isActive = told.isActive ?? facts.isActive
                tell(facts.isHidden ? .back : facts.isActive ? .front : .inactive)
            }
        }
    }
}
#endif
