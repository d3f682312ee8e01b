import AuthenticationServices
import SwiftUI
import Thumbturn

#if canImport(UIKit)
import UIKit
#endif

/// A bank's app.
@main struct BankApp: App {
    @State private var bank = makeBank()

    // One window, which runs the lock: Info.plist says so.
    var body: some Scene {
        WindowGroup { BankScreen(bank) }
    }
}

@MainActor private func makeBank() -> Bank {
    let pinScreen = PINEntryModel()
    #if targetEnvironment(simulator)
    // A simulator has no Secure Enclave.
    let platform = DevicePlatform.appleWithSoftwareKeys(pinEntry: pinScreen)
    #else
    let platform = DevicePlatform.apple(pinEntry: pinScreen)
    #endif
    do {
        guard let provider = Configuration.provider else {
            return try Bank(server: Configuration.server, platform: platform, pinScreen: pinScreen)
        }
        let signIn = try OAuthSignIn(
            issuer: provider.issuer, clientID: provider.clientID,
            redirect: .privateUse(scheme: provider.scheme, path: "/signed-in"),
            browser: AppleSignInBrowser(over: { frontWindow }), platform: platform)
        return try Bank(server: Configuration.server, platform: platform, pinScreen: pinScreen, signIn: signIn)
    } catch {
        fatalError("Configuration.swift has an address that is not acceptable: \(error)")
    }
}

/// The window over which the provider's page is shown.
@MainActor private var frontWindow: ASPresentationAnchor {
    #if canImport(UIKit)
    let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
    if let window = scenes.first(where: { $0.activationState == .foregroundActive })?.keyWindow { return window }
    #endif
    return ASPresentationAnchor()
}
