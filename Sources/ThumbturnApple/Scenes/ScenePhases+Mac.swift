#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import Foundation

extension ScenePhases.Heard {
    /// Observes the Mac's workspace and its session, on the main actor, to which the workspace may belong.
    func listenToTheMac() {
        Task { @MainActor in
            listen(to: NSWorkspace.shared.notificationCenter, for: SceneFacts.workspace)
            screenLock = ScreenLock(self)
        }
    }
}

/// Kept here, because a centre does not keep an observer that it calls by a selector.
@MainActor private var screenLock: ScreenLock?

/// Observes the lock of the Mac's screen. An app that is not active gets the notifications of other processes only when it
/// is active again, unless it asks for them at once; and an app is not active behind a locked screen. Only a selector can
/// ask so.
private final class ScreenLock: NSObject, Sendable {
    private let heard: ScenePhases.Heard

    init(_ heard: ScenePhases.Heard) {
        self.heard = heard
        super.init()
        for name in SceneFacts.session.keys {
            DistributedNotificationCenter.default().addObserver(
                self, selector: #selector(hear), name: Notification.Name(name), object: nil,
                suspensionBehavior: .deliverImmediately)
        }
    }

    @objc private func hear(_ notification: Notification) {
        guard let told = SceneFacts.session[notification.name.rawValue] else { return }
        heard.hear(told)
    }
}
#endif
