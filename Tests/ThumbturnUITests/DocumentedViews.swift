import AuthenticationServices
import Foundation
import SwiftUI
import Thumbturn
// On Apple's systems `Thumbturn` re-exports this module.
import ThumbturnApple
import ThumbturnUI

// The code that the pages show, word for word. `PageTests` compares the two.

// README.md

struct ExampleApp: App {
    @State private var lock: AppLockModel
    @State private var offer: BiometricOfferModel
    init() {
        do {
            let phone = DevicePlatform.apple()
            let signIn = try OAuthSignIn(
                issuer: URL(string: "https://login.example.com")!, clientID: "app",
                redirect: .privateUse(scheme: "com.example.app", path: "/signed-in"),
                browser: AppleSignInBrowser { ASPresentationAnchor() }, platform: phone)
            let auth = try Authenticator(server: URL(string: "https://id.example")!, platform: phone, signIn: signIn)
            lock = AppLockModel(for: auth, reason: "Open Example", rules: .init(lockAfter: .seconds(30)))
            offer = BiometricOfferModel(for: auth) { try await auth.addBiometrics() }
        } catch { preconditionFailure("\(error)") }
    }
    var body: some Scene {
        WindowGroup { Text("Your contents").safeAreaInset(edge: .top) { EnrolmentOfferView(offer) }.appLock(lock) }
    }
}

// docs/swiftui.md

struct Root: View {
    let lock: AppLockModel
    let pinScreen: PINEntryModel

    var body: some View {
        TabView {
            Tab("Home", systemImage: "house") { Text("Home") }
        }
        .appLock(lock)  // the lock screen, and the cover in the list of running apps
        .pinEntry(pinScreen)  // the key pad, wherever a PIN is asked for
    }
}

struct Account: View {
    let auth: Authenticator
    @State private var balance: UnlockScreen
    @State private var approval: Approval?

    init(auth: Authenticator) {
        self.auth = auth
        balance = UnlockScreen(for: auth, reason: "Show the balance")
    }

    var body: some View {
        Text("1,250.00 €").gated(by: balance)
            .sheet(item: $approval) { approval in
                ApprovalSheet(ApprovalSheetModel(approval, for: auth, in: .english))
            }
    }
}

struct OwnWords: View {
    let screen: UnlockScreen

    var body: some View {
        UnlockView(screen).messageTexts { message, language in
            message.id == "usePIN" && language == .english ? "Use the Acme PIN" : nil
        }
    }
}

struct Card: UnlockViewStyle {
    func makeBody(configuration: Configuration) -> some View {
        VStack(spacing: 12) {
            Label(configuration.reason, systemImage: configuration.symbol).font(.headline)
            if let message = configuration.message { Text(verbatim: message) }
            ForEach(configuration.buttons) { button in Button(button.label, action: button.press) }
        }
    }
}
