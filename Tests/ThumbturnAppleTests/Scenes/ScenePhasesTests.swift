#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Testing
import ThumbturnCore
import ThumbturnDevice
@testable import ThumbturnApple

@Suite struct ScenePhasesTests {
    @Test(arguments: ["UIApplication", "NSExtensionHost", "NSApplication"])
    func everyNotificationChangesThePhase(family: String) async {
        let center = NotificationCenter()
        let phases = ScenePhases(app: center, workspace: NotificationCenter(), session: NotificationCenter())
        let names =
            family != "NSApplication"
            ? ["WillResignActive", "DidEnterBackground", "WillEnterForeground", "DidBecomeActive"]
            : ["DidResignActive", "DidHide", "DidUnhide", "DidBecomeActive"]
        var heard = phases.phases().makeAsyncIterator()
        #expect(await heard.next() == .front)
        for (name, phase) in zip(names, [AppPhase.inactive, .back, .inactive, .front]) {
            center.post(name: Notification.Name("\(family)\(name)Notification"), object: nil)
            #expect(await heard.next() == phase)
        }
        center.post(name: Notification.Name("\(family)\(names[1])Notification"), object: nil)
        #expect(await heard.next() == .back)
        var late = phases.phases().makeAsyncIterator()
        #expect(await late.next() == .back)
    }

    /// Hiding a Mac app also deactivates it, and showing it activates it again, in either order.
    @Test(arguments: [
        (["DidHide", "DidResignActive", "DidBecomeActive", "DidUnhide"], [AppPhase.back, .back, .back, .front]),
        (["DidResignActive", "DidHide", "DidUnhide", "DidBecomeActive"], [.inactive, .back, .inactive, .front]),
        (["DidResignActive", "DidHide", "DidBecomeActive", "DidUnhide"], [.inactive, .back, .back, .front]),
        (["DidHide", "DidResignActive", "DidUnhide", "DidBecomeActive"], [.back, .back, .inactive, .front]),
        (["DidHide", "DidUnhide"], [.back, .front]),
    ]) func aHiddenAppIsInTheBackgroundInEitherOrderOfNotifications(_ names: [String], _ expected: [AppPhase]) async {
        let center = NotificationCenter()
        let phases = ScenePhases(app: center, workspace: NotificationCenter(), session: NotificationCenter())
        var heard = phases.phases().makeAsyncIterator()
        #expect(await heard.next() == .front)
        for (name, phase) in zip(names, expected) {
            center.post(name: Notification.Name("NSApplication\(name)Notification"), object: nil)
            #expect(await heard.next() == phase)
        }
    }

    // MARK: The screen of a Mac

    /// A Mac's three centres of notifications. Each tells its own only.
    private struct Mac {
        let app = NotificationCenter()
        let workspace = NotificationCenter()
        let session = NotificationCenter()

        func phases(initially phase: AppPhase = .front) -> AsyncStream<AppPhase>.Iterator {
            ScenePhases(app: app, workspace: workspace, session: session, initially: phase).phases().makeAsyncIterator()
        }

        func post(_ name: String) {
            let name = name.hasPrefix("com.") ? name : "\(name)Notification"
            let center = name.hasPrefix("NSWorkspace") ? workspace : name.hasPrefix("com.") ? session : app
            center.post(name: Notification.Name(name), object: nil)
        }
    }

    private static let absences = [
        ["NSWorkspaceSessionDidResignActive", "NSWorkspaceSessionDidBecomeActive"],
        ["NSWorkspaceWillSleep", "NSWorkspaceDidWake"], ["NSWorkspaceScreensDidSleep", "NSWorkspaceScreensDidWake"],
        ["com.apple.screenIsLocked", "com.apple.screenIsUnlocked"],
    ]

    @Test(arguments: absences, absences)
    func aLockedScreenSleepAndAnotherUserAreTheBack(_ one: [String], _ other: [String]) async {
        let mac = Mac()
        var heard = mac.phases()
        #expect(await heard.next() == .front)
        // Two absences end in any order, and the app is in front after both.
        for ends in one == other ? [[one[1]]] : [[one[1], other[1]], [other[1], one[1]]] {
            for begin in one == other ? [one[0]] : [one[0], other[0]] {
                mac.post(begin)
                #expect(await heard.next() == .back)
            }
            for end in ends {
                mac.post(end)
                #expect(await heard.next() == (end == ends.last ? .front : .back))
            }
        }
        // The app is deactivated and activated behind a locked screen.
        mac.post("NSApplicationDidResignActive")
        #expect(await heard.next() == .inactive)
        mac.post(one[0])
        #expect(await heard.next() == .back)
        mac.post("NSApplicationDidBecomeActive")
        #expect(await heard.next() == .back)
        mac.post(one[1])
        #expect(await heard.next() == .front)
        // An end without its begin, as after a start in the middle, changes nothing.
        mac.post(one[1])
        #expect(await heard.next() == .front)
    }

    @Test func protectedFilesThatCannotBeReadAreTheBackUntilTheAppIsActive() async {
        let center = NotificationCenter()
        let phases = ScenePhases(app: center, workspace: NotificationCenter(), session: NotificationCenter())
        var heard = phases.phases().makeAsyncIterator()
        #expect(await heard.next() == .front)
        for (name, phase) in [
            ("UIApplicationProtectedDataWillBecomeUnavailable", AppPhase.back),
            ("UIApplicationProtectedDataDidBecomeAvailable", .front), ("UIApplicationProtectedDataWillBecomeUnavailable", .back),
            ("UIApplicationWillEnterForegroundNotification", .back), ("UIApplicationDidBecomeActiveNotification", .front),
            ("UIApplicationProtectedDataWillBecomeUnavailable", .back), ("NSExtensionHostDidBecomeActiveNotification", .front),
        ] {
            center.post(name: Notification.Name(name), object: nil)
            #expect(await heard.next() == phase)
        }
    }

    // MARK: The start

    @Test(arguments: AppPhase.allCases) func theAppMayTellItsPhaseAtTheStart(phase: AppPhase) async {
        let mac = Mac()
        var heard = mac.phases(initially: phase)
        #expect(await heard.next() == phase)
        mac.post("NSWorkspaceScreensDidSleep")
        #expect(await heard.next() == .back)
        mac.post("NSWorkspaceScreensDidWake")
        #expect(await heard.next() == phase, "the screen tells nothing about the app")
        mac.post("NSApplicationDidBecomeActive")
        #expect(await heard.next() == .front)
        mac.post("NSApplicationDidResignActive")
        #expect(await heard.next() == .inactive)
    }

    @Test(arguments: ["UIApplicationWillEnterForeground", "NSApplicationDidUnhide"])
    func anAppThatBeganInTheBackIsThereAsSoonAsItIsShown(_ name: String) async {
        let mac = Mac()
        var heard = mac.phases(initially: .back)
        #expect(await heard.next() == .back)
        mac.post(name)
        #expect(await heard.next() == .inactive)
    }

    @Test func anAppThatBeganInTheBackEntersTheForegroundInSteps() async {
        let mac = Mac()
        var heard = mac.phases(initially: .back)
        #expect(await heard.next() == .back)
        for (name, phase) in [
            ("UIApplicationDidEnterBackground", AppPhase.back), ("UIApplicationWillEnterForeground", .inactive),
            ("UIApplicationDidBecomeActive", .front),
        ] {
            mac.post(name)
            #expect(await heard.next() == phase)
        }
    }

    @Test func theStartIsOverAfterTheFirstNotification() async {
        let heard = ScenePhases.Heard()
        var phases = heard.relay.stream().makeAsyncIterator()
        #expect(await phases.next() == .front)
        heard.begin(.inactive)
        #expect(await phases.next() == .inactive)
        heard.hear(.init(isHidden: true))
        #expect(await phases.next() == .back)
        heard.begin(.front)
        heard.hear(.init(isHidden: true))
        #expect(await phases.next() == .back)
    }
}
#endif
