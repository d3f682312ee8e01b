import ThumbturnCore

/// The facts about an app and its screen from which its phase follows, as notifications have told them.
struct SceneFacts: Hashable, Sendable {
    private var isHidden = false
    private var isActive: Bool
    private var absences: Set<Absence> = []

    /// A state of the screen in which the person does not see the app. Each has its own begin and its own end, because they
    /// end in any order: a Mac wakes up before its screen is unlocked.
    enum Absence: Hashable, Sendable {
        /// The app began in the background and has not been in front since.
        case start
        /// Another person uses the Mac.
        case session
        case sleep
        case darkScreens
        case lockedScreen
        /// The device is locked, so that protected files cannot be read.
        case protectedData
    }

    /// What a notification tells; nil and empty for what it does not.
    struct Told: Hashable, Sendable {
        var isHidden: Bool?
        var isActive: Bool?
        var begins: Absence?
        var ends: Absence?
    }

    init(_ phase: AppPhase = .front) {
        isActive = phase == .front
        if phase == .back { absences.insert(.start) }
    }

    /// Whether the person cannot see the app, whatever the app itself was told.
    var isElsewhere: Bool { !absences.isEmpty }

    var phase: AppPhase { isElsewhere || isHidden ? .back : isActive ? .front : .inactive }

    mutating func hear(_ told: Told) {
        isHidden = told.isHidden ?? isHidden
        isActive = told.isActive ?? isActive
        if told.isHidden == false || told.isActive == true { absences.remove(.start) }
        if let begins = told.begins { absences.insert(begins) }
        if let ends = told.ends { absences.remove(ends) }
    }
}

extension SceneFacts {
    /// The app's own notifications: the values of UIKit's and AppKit's constants. The constants are not used, because
    /// versions of AppKit's headers differ on whether they belong to the main actor. The values have not been checked on
    /// Apple's systems.
    ///
    /// An app extension hears of its host in the same words. UIKit posts its notifications in one order, so each sets both
    /// facts. On a Mac an app is hidden and deactivated in no documented order, so each notification sets only its own
    /// fact.
    static let app: [String: Told] = [
        // An app that is active can read its files, whatever it has missed while it was suspended.
        "UIApplicationDidBecomeActiveNotification": Told(isHidden: false, isActive: true, ends: .protectedData),
        "UIApplicationWillResignActiveNotification": Told(isHidden: false, isActive: false),
        "UIApplicationWillEnterForegroundNotification": Told(isHidden: false, isActive: false),
        "UIApplicationDidEnterBackgroundNotification": Told(isHidden: true, isActive: false),
        "UIApplicationProtectedDataWillBecomeUnavailable": Told(begins: .protectedData),
        "UIApplicationProtectedDataDidBecomeAvailable": Told(ends: .protectedData),
        "NSExtensionHostDidBecomeActiveNotification": Told(isHidden: false, isActive: true, ends: .protectedData),
        "NSExtensionHostWillResignActiveNotification": Told(isHidden: false, isActive: false),
        "NSExtensionHostWillEnterForegroundNotification": Told(isHidden: false, isActive: false),
        "NSExtensionHostDidEnterBackgroundNotification": Told(isHidden: true, isActive: false),
        "NSApplicationDidBecomeActiveNotification": Told(isActive: true),
        "NSApplicationDidResignActiveNotification": Told(isActive: false),
        "NSApplicationDidUnhideNotification": Told(isHidden: false),
        "NSApplicationDidHideNotification": Told(isHidden: true),
    ]

    /// The notifications of a Mac's workspace, which has a centre of its own.
    static let workspace: [String: Told] = [
        "NSWorkspaceSessionDidResignActiveNotification": Told(begins: .session),
        "NSWorkspaceSessionDidBecomeActiveNotification": Told(ends: .session),
        "NSWorkspaceWillSleepNotification": Told(begins: .sleep),
        "NSWorkspaceDidWakeNotification": Told(ends: .sleep),
        "NSWorkspaceScreensDidSleepNotification": Told(begins: .darkScreens),
        "NSWorkspaceScreensDidWakeNotification": Told(ends: .darkScreens),
    ]

    /// The notifications that a Mac posts to every process of a person's session. They are not documented.
    static let session: [String: Told] = [
        "com.apple.screenIsLocked": Told(begins: .lockedScreen),
        "com.apple.screenIsUnlocked": Told(ends: .lockedScreen),
    ]
}
