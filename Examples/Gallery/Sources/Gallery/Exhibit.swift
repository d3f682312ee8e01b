public import SwiftUI
public import Thumbturn
public import ThumbturnTestKit

/// One state of a view: how it is made, and what a person does until it is reached.
public struct Exhibit: Identifiable, Sendable {
    /// What a person does, or what passes.
    public enum Act: Hashable, Sendable {
        /// Time passes.
        case wait(Duration)
        /// A tap on a button: the first, second … of those that can be tapped, from 0.
        case tap(Int)
        /// Digits on the keyboard.
        case type(String)
        /// The app is not in front for a moment, as in the list of running apps.
        case becomeInactive
    }

    /// The name of the state, such as `unlock-hint`.
    public let id: String
    let model: SimulatedPhone.Model
    /// What happens after the view has appeared.
    public let acts: [Act]
    let make: @MainActor @Sendable (Stage) async throws -> AnyView

    init<Content: View>(
        _ id: String, _ model: SimulatedPhone.Model = .iPhone(.face), _ acts: Act...,
        make: @escaping @MainActor @Sendable (Stage) async throws -> Content
    ) {
        (self.id, self.model, self.acts) = (id, model, acts)
        self.make = { AnyView(try await make($0)) }
    }

    /// Makes the view on a phone of its own.
    ///
    /// - Parameter clock: the phone's clock.
    @MainActor public func view(clock: any DeviceClock) async throws -> (view: AnyView, phone: SimulatedPhone) {
        let stage = Stage(phone: SimulatedPhone(model, clock: clock))
        return (try await make(stage), stage.phone)
    }
}

/// A phone, and a vault on it that the face and the passcode open.
@MainActor struct Stage {
    let phone: SimulatedPhone
    let platform: DevicePlatform
    let vault: Vault

    init(phone: SimulatedPhone) {
        self.phone = phone
        platform = phone.platform()
        vault = Vault(named: "notes", platform: platform, access: .userPresence)
    }

    /// Makes the vault, as a first unlock does.
    func withVault() async throws -> Stage {
        try await vault.unlocked("Protect your notes") { _ in }
        return self
    }

    /// The screen of an unlock of the vault.
    func screen(_ purpose: UnlockScreen.Purpose = .unlock) -> UnlockScreen {
        UnlockScreen(for: vault, reason: "Unlock your notes", purpose: purpose) { _ in }
    }
}
