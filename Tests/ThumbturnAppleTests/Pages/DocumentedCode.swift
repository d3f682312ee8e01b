#if STAND_INS
#if canImport(AuthenticationServices)
import AuthenticationServices
#endif
import Foundation
import Thumbturn
// On Apple's systems `Thumbturn` re-exports this module.
import ThumbturnApple

// The code that the pages show for Apple's systems, word for word. AppleSourceLint compares the two.

// docs/migrating.md

/// The secret is the answer. No boolean says that the person was there.
func token(from vault: Vault) async throws -> SecretBytes? {
    try await vault.unlocked("Open your account") { try await $0.read("token") }
}

/// Shows one prompt. A failure leaves the old item as it was.
func move(_ old: String, into vault: Vault, deleteOld: () throws -> Void) async throws {
    try await vault.unlocked("Move your secret behind Face ID") { try await $0.save(SecretBytes(old), as: "token") }
    try deleteOld()
}

// docs/providers.md

#if canImport(AuthenticationServices)
func signIn(on platform: DevicePlatform, over window: ASPresentationAnchor) throws -> OAuthSignIn {
    try OAuthSignIn(
        issuer: URL(string: "https://id.example.com")!, clientID: "our-app",
        redirect: .privateUse(scheme: "com.example.app", path: "/signed-in"),
        browser: AppleSignInBrowser { window }, platform: platform)
}
#endif

struct TextedCode: PrimarySignIn {
    var phone: String
    var code: String

    func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        let body = ["phone": phone, "code": code]
        guard let json = try? JSONEncoder().encode(body) else { throw Failure(.platform) }
        return .json(Array(json), to: "/app/codes")
    }
}

// FailuresAndWhatToDo.md

func unlock(_ auth: Authenticator, show: (String) -> Void) async -> Grant? {
    do {
        return try await auth.authenticate("Unlock Acme")
    } catch .cancelledByUser {
        return nil
    } catch {
        show(error.message.localized)  // another language: error.message.text(in: .german)
        return nil
    }
}

func note(_ failure: Failure) {
    if let hint = failure.developerHint { print("Thumbturn:", hint) }
}

func firstButton(_ auth: Authenticator) async -> String {
    let readiness = await auth.readiness()
    return readiness.nextRung.button.naming(readiness.sensor).localized  // Use Face ID
}

// ModelsForYourScreens.md

@MainActor final class Screens {
    let pin = PINEntryModel()
    let auth: Authenticator
    let offer: BiometricOfferModel
    let biometrics: BiometricsToggleModel

    /// Takes the app's own screens: the one that asks for the password, and the one that opens the system's settings.
    init(
        server: URL, askPassword: @escaping @Sendable () async throws -> PasswordSignIn,
        openSettings: @escaping @MainActor () -> Void
    ) throws {
        let auth = try Authenticator(server: server, platform: .apple(pinEntry: pin))
        let makeKey = { @Sendable () async throws in try await auth.replaceBiometricKey(with: askPassword()) }
        self.auth = auth
        offer = BiometricOfferModel(for: auth, setUp: makeKey) { _ in openSettings() }
        biometrics = BiometricsToggleModel(for: auth, setUp: makeKey)
    }
}

@MainActor func appeared(_ offer: BiometricOfferModel, showCard: (String, [String]) -> Void) async {
    await offer.refresh()
    if offer.isShown { showCard(offer.text.localized, offer.buttons.map { $0.words.localized }) }
}

@MainActor func pressed(_ button: Int, of offer: BiometricOfferModel) async {
    await offer.answer(offer.buttons[button].answer)
}

@MainActor func settingsAppeared(_ biometrics: BiometricsToggleModel, show: (String, Bool, String?) -> Void) async {
    await biometrics.refresh()
    show(biometrics.name.localized, biometrics.state == .on, biometrics.message?.localized)
}

@MainActor func moved(_ biometrics: BiometricsToggleModel, to isOn: Bool) async {
    await biometrics.set(isOn)
}

@MainActor func typed(_ key: Character, in screen: PINEntryModel) {
    screen.type(key)
    if screen.digitCount == 6, screen.purpose == .enter { screen.confirm() }
}
#endif
