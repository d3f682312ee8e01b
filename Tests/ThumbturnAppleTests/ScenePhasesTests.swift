#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Testing
import ThumbturnCore
import ThumbturnDevice
@testable import ThumbturnApple

@Suite struct ScenePhasesTests {
    @Test(arguments: ["UIApplication", "NSApplication"]) func everyNotificationChangesThePhase(family: String) async {
        let center = NotificationCenter()
        let phases = ScenePhases(center)
        let names =
            family == "UIApplication"
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
    ]) func aHiddenAppIsInTheBackgroundInEitherOrderOfNotifications(_ names: [String], _ phases: [AppPhase]) async {
        let center = NotificationCenter()
        var heard = ScenePhases(center).phases().makeAsyncIterator()
        #expect(await heard.next() == .front)
        for (name, phase) in zip(names, phases) {
            center.post(name: Notification.Name("NSApplication\(name)Notification"), object: nil)
            #expect(await heard.next() == phase)
        }
    }
}
#endif
