#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// Where the app is, as the notifications of UIKit and of AppKit tell.
///
/// It listens from its first use in the process on, and takes the app to be in front until it hears otherwise: only the application
/// object could tell, and asking it would shut app extensions out. Make it early. A prompt that is asked for in the background after
/// all is taken away by the system.
public struct ScenePhases: AppPhases {
    private let relay: Broadcaster<AppPhase>

    /// The phases of this process.
    public init() { relay = Self.relay }

    /// Those that the notifications of one centre tell.
    init(_ center: NotificationCenter) { relay = Self.listen(to: center) }

    public func phases() -> AsyncStream<AppPhase> { relay.stream() }

    private static let relay = listen(to: .default)

    private static func listen(to center: NotificationCenter) -> Broadcaster<AppPhase> {
        let (relay, heard) = (Broadcaster(AppPhase.front), Heard())
        // For as long as the process lives, so nobody keeps what would end it.
        for (name, told) in names {
            _ = center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                heard.hear(told) { relay.send($0) }
            }
        }
        return relay
    }

    /// What a notification tells; nil for what it says nothing of.
    private struct Told: Sendable {
        var isHidden: Bool?
        var isActive: Bool?
    }

    /// The values of UIKit's and AppKit's constants. By value, because the constants of AppKit belong to the main actor, or not, as
    /// versions of its headers go. Never run on Apple's own systems.
    ///
    /// UIKit tells them in one order, so each says everything. On a Mac an app is hidden and loses its place in front in no order that is
    /// documented, so each says its own half.
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

    /// The two facts so far.
    private final class Heard: Sendable {
        private let facts = Mutex((isHidden: false, isActive: true))

        /// Under the lock, so that phases are told in the order of what was heard.
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
