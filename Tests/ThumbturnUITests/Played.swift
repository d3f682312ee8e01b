import SwiftUI
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnUI

/// A view on a simulated phone, played in virtual time.
@MainActor struct Played {
    let clock: VirtualClock
    let phone: SimulatedPhone
    let platform: DevicePlatform
    let vault: Vault

    /// Plays a story on a phone with a vault that the face and the passcode open.
    static func tell(
        _ model: SimulatedPhone.Model = .iPhone(.face), _ story: @escaping @MainActor @Sendable (Played) async throws -> Void
    ) async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            let played = Played(clock, SimulatedPhone(model, clock: clock))
            try await played.vault.unlocked("Protect your notes") { _ in }
            try await story(played)
        }
    }

    private init(_ clock: VirtualClock, _ phone: SimulatedPhone) {
        (self.clock, self.phone, platform) = (clock, phone, phone.platform())
        vault = Vault(named: "notes", platform: platform, access: .userPresence)
    }

    func screen(_ purpose: UnlockScreen.Purpose = .unlock) -> UnlockScreen {
        UnlockScreen(for: vault, reason: "Unlock your notes", purpose: purpose) { _ in }
    }

    func host(_ view: some View, _ environment: EnvironmentValues = EnvironmentValues()) -> ViewHost {
        ViewHost(view, environment: environment, executor: clock.executor)
    }

    /// Time passes while the view is on the screen.
    func pass(_ time: Duration, _ host: ViewHost) async throws {
        let end = clock.now.advanced(by: time)
        while clock.now < end {
            _ = host.shown
            try await clock.sleep(until: clock.now.advanced(by: min(clock.now.duration(to: end), .milliseconds(100))))
        }
        _ = host.shown
    }

    /// The app goes to the back, something happens there, and it comes back.
    func leaving(_ host: ViewHost, _ happens: () -> Void) async throws {
        host.environment.scenePhase = .background
        _ = Work.$executor.withValue(clock.executor) { host.shown }
        try await pass(.milliseconds(100), host)
        happens()
        host.environment.scenePhase = .active
        _ = Work.$executor.withValue(clock.executor) { host.shown }
        try await pass(.milliseconds(100), host)
    }

    /// Taps, and lets what begins run.
    func tap(_ label: String, _ host: ViewHost) async throws {
        try Work.$executor.withValue(clock.executor) { try host.tap(label) }
        try await pass(.milliseconds(100), host)
    }
}

extension ViewHost {
    /// Whether a text is on the screen.
    func shows(_ text: String) -> Bool { shown.text().contains(text) }
}
