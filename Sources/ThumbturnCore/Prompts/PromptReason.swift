/// The app's words for why a person is asked.
package enum PromptReason {
    /// Whether a reason tells nothing but that the person is asked: a single general word, with or without "please".
    package static func isVague(_ reason: String) -> Bool {
        let words = reason.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "’" && $0 != "'" }.map(String.init)
        return general.contains(words.filter { !polite.contains($0) }.joined(separator: " "))
    }

    private static let polite: Set<String> = ["please", "bitte", "veuillez", "favor", "por"]

    /// In the languages of the library's own texts. Nothing but "please" is as vague.
    private static let general: Set<String> = [
        "", "authenticate", "authentication", "authentication required", "authenticate yourself", "biometrics",
        "biometric authentication", "confirm", "confirm identity", "confirm your identity", "continue", "face id",
        "identify yourself",
        "log in", "login", "scan your finger", "sign in", "touch id", "verify", "verify identity",
        "verify your identity",
        "anmelden", "anmeldung", "authentifizieren", "authentifizierung", "bestätigen", "fortfahren",
        "authentification", "confirmer", "connexion", "continuer", "identifiez vous", "s’authentifier",
        "autenticación", "autenticar", "autenticarse", "confirmar", "continuar", "iniciar sesión",
        "المصادقة", "تأكيد", "تسجيل الدخول", "متابعة",
    ]
}
