#if canImport(SwiftUI)
public import SwiftUI
public import ThumbturnDevice

extension View {
    /// Locks this view, the root of the app: it shows the lock screen while the app is locked, and covers the contents in the list of
    /// running apps.
    ///
    ///     WindowGroup { Home().appLock(lock) }
    ///
    /// It runs the model as long as the view lives; of several windows one does. The lock screen has the style of
    /// `unlockViewStyle(_:)`, the cover is the view that `cover` makes. The view fills its window.
    ///
    /// A sheet is above this view: give its contents `coveredByAppLock()`, as the library's own sheets have it. Alerts, dialogs, menus
    /// and the title of a window are the system's, and nothing covers them: keep secrets out of them, and close them when the app locks.
    ///
    /// - Parameters:
    ///   - lock: the app's lock.
    ///   - cover: what is shown over the contents while they are hidden and not locked.
    public func appLock(_ lock: AppLockModel, @ViewBuilder cover: () -> some View) -> some View {
        modifier(AppLockModifier(lock: lock, cover: cover())).environment(\.appLock, lock).task { await lock.runInTurn() }
    }

    /// Locks this view, with a plain cover: see `appLock(_:cover:)`.
    public func appLock(_ lock: AppLockModel) -> some View { appLock(lock) { PlainCover() } }

    /// Hides the contents of a sheet, a popover or a second window while the app's lock hides those of the root. While the app is locked
    /// they show the lock screen. Without a lock they stay hidden, so a forgotten `appLock(_:)` is noticed.
    ///
    /// - Parameter lock: the lock, for a second window, which does not have the root's environment; nil for what the root shows.
    public func coveredByAppLock(_ lock: AppLockModel? = nil) -> some View {
        modifier(SheetCover(own: lock, isRequired: true))
    }

    /// Hides the contents of a sheet of the library's, in apps that have a lock.
    func coveredIfLocked() -> some View { modifier(SheetCover(own: nil, isRequired: false)) }
}

private struct AppLockModifier<Cover: View>: ViewModifier {
    let lock: AppLockModel
    let cover: Cover

    func body(content: Content) -> some View {
        let isHidden = lock.hidesContents
        // In a stack, because what the app shows may change, and the lock must not begin anew then. The stack fills the window, so the
        // lock screen does, too.
        ZStack { content }
            .frame(maxWidth: .infinity, maxHeight: .infinity)
            .hiding(isHidden)
            .overlay {
                if lock.isLocked {
                    UnlockBody(screen: lock).background(.background)
                } else if lock.isCovered {
                    cover
                }
            }
            // What was covered comes back softly. The cover itself comes at once: the system takes its picture of the app then.
            .animation(isHidden ? nil : .easeInOut(duration: lock.transition / .seconds(1)), value: isHidden)
    }
}

private struct SheetCover: ViewModifier {
    let own: AppLockModel?
    /// Whether there has to be a lock: without one the contents stay hidden, which is noticed at once.
    let isRequired: Bool
    @Environment(\.appLock) private var lockOfTheRoot

    func body(content: Content) -> some View {
        let lock = own ?? lockOfTheRoot
        let isHidden = lock?.hidesContents ?? isRequired
        ZStack { content }
            .hiding(isHidden)
            .overlay {
                if let lock, lock.isLocked {
                    // What is disabled below a sheet may disable the sheet, too.
                    UnlockBody(screen: lock).background(.background).environment(\.isEnabled, true)
                } else if isHidden {
                    PlainCover()
                }
            }
    }
}

extension AppLockModel {
    /// Whether what is behind the lock must not be seen now.
    var hidesContents: Bool { isLocked || isCovered }
}

extension View {
    /// Hides a view from eyes, keyboards and VoiceOver, and keeps its state.
    func hiding(_ isHidden: Bool) -> some View {
        // No background of the app's choice, and none of visionOS, makes what is hidden visible.
        opacity(isHidden ? 0 : 1).disabled(isHidden).accessibilityHidden(isHidden)
    }
}

/// A cover that shows a lock and nothing else.
struct PlainCover: View {
    var body: some View {
        Image(systemName: "lock.fill")
            .font(.largeTitle)
            .foregroundStyle(.secondary)
            .accessibilityHidden(true)
            .frame(maxWidth: .infinity, maxHeight: .infinity)
            .background(.background)
    }
}

private struct AppLockKey: EnvironmentKey {
    static let defaultValue: AppLockModel? = nil
}

extension EnvironmentValues {
    /// The lock of the app; nil where it has none.
    var appLock: AppLockModel? {
        get { self[AppLockKey.self] }
        set { self[AppLockKey.self] = newValue }
    }
}
#endif
