#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// The app's phases, from the notifications of UIKit and AppKit. On a Mac a locked screen, sleep and another person's
/// session are the background as well.
///
/// It observes them from its first use in the process, so make it early. Until one arrives the app is in front, unless
/// ``init(initially:)`` says otherwise: only the application object knows the phase, and code that uses it cannot be part
/// of an app extension. If a prompt is requested in the background nevertheless, the system dismisses it.
///
/// A window that is hidden or minimised is no phase. While another app is used, this one is inactive.
public struct ScenePhases: AppPhases {
    private let heard: Heard

    /// Creates the phases of this process.
    public init() { heard = Self.ofThisProcess }

    /// Creates the phases of this process, where the app knows its phase at the start.
    ///
    /// - Parameter phase: the app's phase now. It counts until the first notification in this process, and not after it.
    public init(initially phase: AppPhase) {
        self.init()
        heard.begin(phase)
    }

    /// Creates phases from centres of notifications: the app's, that of a Mac's workspace, that of a Mac's session.
    init(
        app: NotificationCenter, workspace: NotificationCenter, session: NotificationCenter, initially phase: AppPhase = .front
    ) {
        heard = Heard()
        heard.begin(phase)
        heard.listen(to: app, for: SceneFacts.app)
        heard.listen(to: workspace, for: SceneFacts.workspace)
        heard.listen(to: session, for: SceneFacts.session)
    }

    public func phases() -> AsyncStream<AppPhase> { heard.relay.stream() }

    private static let ofThisProcess: Heard = {
        let heard = Heard()
        heard.listen(to: .default, for: SceneFacts.app)
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        heard.listenToTheMac()
        #endif
        return heard
    }()

    /// The facts as last reported.
    final class Heard: Sendable {
        let relay = Broadcaster(AppPhase.front)
        private let state = Mutex((facts: SceneFacts(), isFirst: true))

        /// Takes the app's word for its phase, as long as no notification has arrived.
        func begin(_ phase: AppPhase) {
            state.withLock { state in
                guard state.isFirst else { return }
                state.facts = SceneFacts(phase)
                relay.send(phase)
            }
        }

        /// Observes notifications. The observers live as long as the process, so their tokens are not kept.
        func listen(to center: NotificationCenter, for names: [String: SceneFacts.Told]) {
            for (name, told) in names {
                _ = center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in self.hear(told) }
            }
        }

        /// Sends the phase under the lock, so that phases keep the order of the notifications.
        func hear(_ told: SceneFacts.Told) {
            state.withLock { state in
                state.isFirst = false
                state.facts.hear(told)
                relay.send(state.facts.phase)
            }
        }
    }
}
#endif
