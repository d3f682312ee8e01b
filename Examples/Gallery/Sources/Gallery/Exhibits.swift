import SwiftUI
import Thumbturn
import ThumbturnTestKit
import ThumbturnUI

/// Every state of every view of the library.
public enum Gallery {
    /// The states, view by view.
    public static let exhibits: [Exhibit] = unlock + lock + pin + settings + approval + devices

    private static let unlock: [Exhibit] = [
        Exhibit("unlock-ready") { UnlockView(try await $0.withVault().screen(.payment)) },
        Exhibit("unlock-asking", .iPhone(.face), .wait(.seconds(1))) { stage in
            let screen = try await stage.withVault().screen()
            stage.phone.next(.ignore)
            return UnlockView(screen)
        },
        Exhibit("unlock-hint", .iPhone(.face), .wait(.seconds(9))) { stage in
            let screen = try await stage.withVault().screen()
            stage.phone.next(.ignore)
            return UnlockView(screen)
        },
        Exhibit("unlock-passcode", .iPhone(.face), .wait(.seconds(14))) { stage in
            let screen = try await stage.withVault().screen()
            stage.phone.next(.ignore, .ignore)
            return UnlockView(screen)
        },
        Exhibit("unlock-cancelled", .iPhone(.face), .wait(.seconds(1))) { stage in
            let screen = try await stage.withVault().screen()
            stage.phone.next(.cancel)
            return UnlockView(screen)
        },
        Exhibit("unlock-locked-out", .iPhone(.face), .wait(.seconds(2))) { stage in
            let screen = try await stage.withVault().screen()
            // Each prompt holds two tries, and the fifth locks the sensor.
            for _ in 1...3 {
                stage.phone.next(.noMatch, .cancel)
                _ = try? await stage.vault.unlocked("Unlock your notes") { _ in }
            }
            stage.phone.next(.ignore)
            return UnlockView(screen)
        },
        Exhibit("unlock-no-face", .iPhone(.face), .wait(.seconds(1))) { stage in
            let screen = try await stage.withVault().screen()
            stage.phone.removeFaces()
            stage.phone.next(.ignore)
            return UnlockView(screen)
        },
        Exhibit("unlock-touch-id", .iPhone(.finger)) { UnlockView(try await $0.withVault().screen(.payment)) },
        Exhibit("unlock-own-style") {
            UnlockView(try await $0.withVault().screen(.payment)).unlockViewStyle(CardStyle())
        },
        Exhibit("gate-closed") { stage in
            let screen = try await stage.withVault().screen(.payment)
            return Text(verbatim: "1,250.00 €").font(.largeTitle).gated(by: screen)
        },
        Exhibit("gate-open", .iPhone(.face), .wait(.seconds(1))) { stage in
            let screen = try await stage.withVault().screen()
            return Text(verbatim: "1,250.00 €").font(.largeTitle).gated(by: screen)
        },
        Exhibit("biometric-buttons") { _ in
            VStack(spacing: 16) {
                ForEach([SensorName.faceID, .touchID, .opticID, .fingerprint], id: \.self) { sensor in
                    BiometricButton(sensor) {}.buttonStyle(.bordered)
                }
                BiometricButton(nil) {}.buttonStyle(.borderedProminent)
            }
            .controlSize(.large)
        },
    ]

    private static let lock: [Exhibit] = [
        Exhibit("lock-locked", .iPhone(.face), .wait(.seconds(1))) { stage in
            let lock = try await stage.withVault().lock()
            stage.phone.next(.cancel)
            return Home().appLock(lock)
        },
        Exhibit("lock-open", .iPhone(.face), .wait(.seconds(1))) { Home().appLock(try await $0.withVault().lock()) },
        Exhibit("lock-covered", .iPhone(.face), .wait(.seconds(1)), .becomeInactive, .wait(.seconds(1))) {
            Home().appLock(try await $0.withVault().lock())
        },
    ]

    private static let pin: [Exhibit] = [
        Exhibit("pin-enter", .iPhone(.face), .wait(.seconds(1)), .type("824")) { stage in
            await stage.pinPad { await $0.enter(PINRequest(reason: "Unlock Acme", cancelButton: .cancel, wrongInARow: 0)) }
        },
        Exhibit("pin-tries-left", .iPhone(.face), .wait(.seconds(1))) { stage in
            await stage.pinPad { await $0.enter(PINRequest(reason: "Unlock Acme", cancelButton: .cancel, wrongInARow: 2)) }
        },
        Exhibit("pin-choose", .iPhone(.face), .wait(.seconds(1))) { stage in await stage.pinPad { await $0.choose() } },
        Exhibit("pin-easily-guessed", .iPhone(.face), .wait(.seconds(1)), .type("123456")) { stage in
            await stage.pinPad { await $0.choose() }
        },
    ]

    private static let settings: [Exhibit] = [
        Exhibit("offer", .iPhone(.face), .wait(.seconds(1))) { stage in
            EnrolmentOfferView(BiometricOfferModel(for: stage.vault, reason: "Protect your notes"))
        },
        Exhibit("offer-no-face", .iPhone(.face), .wait(.seconds(1))) { stage in
            stage.phone.removeFaces()
            return EnrolmentOfferView(BiometricOfferModel(for: stage.vault, reason: "Protect your notes"))
        },
        Exhibit("offer-later", .iPhone(.face), .wait(.seconds(1)), .tap(1), .wait(.seconds(1))) { stage in
            EnrolmentOfferView(BiometricOfferModel(for: stage.vault, reason: "Protect your notes"))
        },
        Exhibit("toggle-on", .iPhone(.face), .wait(.seconds(1))) { try await $0.withVault().settings() },
        Exhibit("toggle-off", .iPhone(.face), .wait(.seconds(1))) { stage in
            try await stage.withVault().vault.declineBiometrics()
            return stage.settings()
        },
        Exhibit("toggle-unavailable", .iPhone(.finger), .wait(.seconds(1))) { stage in
            _ = try await stage.withVault()
            stage.phone.removeFaces()
            return stage.settings()
        },
    ]

    private static let approval: [Exhibit] = [
        Exhibit("approval") { $0.approval() },
        Exhibit("approval-asking", .iPhone(.face), .tap(1), .wait(.seconds(1))) { stage in
            stage.phone.next(.match, .ignore)
            return try await stage.withVault().approval()
        },
        Exhibit("approval-stopped", .iPhone(.face), .tap(1), .wait(.seconds(1))) { stage in
            stage.phone.next(.match, .cancel)
            return try await stage.withVault().approval()
        },
        Exhibit("approval-approved", .iPhone(.face), .tap(1), .wait(.seconds(1))) {
            try await $0.withVault().approval()
        },
        Exhibit("approval-declined", .iPhone(.face), .tap(2), .wait(.seconds(1))) { $0.approval() },
    ]

    private static let devices: [Exhibit] = [
        Exhibit("devices", .iPhone(.face), .wait(.seconds(1))) { $0.devices() },
        Exhibit("devices-removing", .iPhone(.face), .wait(.seconds(1)), .tap(0), .wait(.seconds(1))) { $0.devices() },
        Exhibit("devices-unreachable", .iPhone(.face), .wait(.seconds(1))) { $0.devices(isReachable: false) },
    ]
}

/// What an app shows behind its lock.
private struct Home: View {
    var body: some View {
        List { ForEach(["A house by the sea", "Call the plumber"], id: \.self) { note in Text(verbatim: note) } }
    }
}

/// A style of an app's own.
private struct CardStyle: UnlockViewStyle {
    func makeBody(configuration: Configuration) -> some View {
        VStack(alignment: .leading, spacing: 12) {
            Label(configuration.reason, systemImage: configuration.symbol).font(.headline)
            if let message = configuration.message { Text(verbatim: message) }
            ForEach(configuration.buttons) { button in
                Button(button.label, action: button.press).buttonStyle(.bordered).controlSize(.large)
            }
        }
        .padding()
        .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 16))
    }
}

extension Stage {
    fileprivate func lock() -> AppLockModel { AppLockModel(for: vault, reason: "Unlock your notes") { _ in } }

    fileprivate func settings() -> some View {
        Form { BiometricsToggle(BiometricsToggleModel(for: vault, reason: "Open your notes")) }
    }

    /// A key pad that asks for a PIN.
    fileprivate func pinPad(_ ask: @escaping @MainActor @Sendable (PINEntryModel) async -> PINAnswer) async -> some View {
        let model = PINEntryModel(clock: phone.clock)
        Task(executorPreference: phone.clock.executor) { _ = await ask(model) }
        // Until it has asked.
        try? await phone.clock.sleep(until: phone.clock.now.advanced(by: .milliseconds(1)))
        return PINPad(model)
    }

    fileprivate func approval() -> some View {
        let details = ApprovalDetails(
            title: "Payment",
            lines: [
                .init(label: "Amount", value: "€1,250.00"), .init(label: "To", value: "Gärtnerei Blattgrün"),
                .init(label: "Account", value: "DE02 1203 0000 0000 2020 51"), .init(label: "Purpose", value: "Invoice 4711"),
            ])
        guard let details else { preconditionFailure("these texts can be shown") }
        let (vault, platform) = (vault, platform)
        return ApprovalSheet(
            ApprovalSheetModel(details, platform: platform) { _ in
                try await vault.unlocked("Pay €1,250.00 to Gärtnerei Blattgrün") { $0.answered }
            } decline: {
            })
    }

    fileprivate func devices(isReachable: Bool = true) -> some View {
        let all = [
            EnrolledDevice(
                id: "1", name: "Ada’s iPhone", keys: [], enrolledAt: UnixTime(seconds: 1_760_000_000), isCurrent: true),
            EnrolledDevice(id: "2", name: "Ada’s old iPhone", keys: [], enrolledAt: UnixTime(seconds: 1_700_000_000)),
            EnrolledDevice(
                id: "3", name: "A reader at the door", keys: [], enrolledAt: UnixTime(seconds: 1_720_000_000), onlySignsIn: true),
        ]
        return DeviceList(
            DeviceListModel {
                guard isReachable else { throw URLError(.notConnectedToInternet) }
                return all
            } remove: { _ in
            } rename: { _, _ in
            })
    }
}
