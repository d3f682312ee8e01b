#if STAND_INS
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

/// What VoiceOver and Switch Control change.
@Suite struct AssistiveTechnologyTests {
    @Test(arguments: AssistiveTechnology.names) func aNotificationMakesThePlatformLookAgain(_ name: String) async throws {
        let (world, center, state) = (AppleWorld(), NotificationCenter(), State())
        let platform = world.platform(
            transport: RecordingTransport(), assistive: AssistiveTechnology(center: center) { state.isOn })
        var changes = platform.extraTimeChanges().makeAsyncIterator()
        #expect(await platform.extraTime() == .none)
        state.isOn = true
        center.post(name: Notification.Name(name), object: nil)
        #expect(await changes.next() != nil)
        #expect(await platform.extraTime() == .tenfold)
    }

    @Test func withVoiceOverNoPromptIsTakenAway() async throws {
        let (world, state) = (AppleWorld(), State())
        state.isOn = true
        let platform = world.platform(
            transport: InMemoryServer(clock: world.clock),
            assistive: AssistiveTechnology(center: NotificationCenter()) { state.isOn })
        try await world.run {
            let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
            try await auth.enrol(with: PasswordSignIn(account: "ada", password: "correct horse battery staple"))
            world.phone.next(.match, after: .seconds(60))
            #expect(try await auth.authenticate("Unlock Acme").rung == .biometric)
        }
    }

    #if !canImport(UIKit) && !canImport(AppKit)
    @Test func aSystemWithoutThemGivesNoExtraTime() async {
        #expect(await AssistiveTechnology.system.extraTime == .none)
    }
    #endif

    private final class State: Sendable {
        private let value = Mutex(false)
        var isOn: Bool {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }
}
#endif
