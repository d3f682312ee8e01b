import Testing
import ThumbturnCore

@Suite struct PromptReasonTests {
    @Test(arguments: [
        "Authenticate", "Please authenticate", "Please authenticate.", "LOGIN", "Log in", "Log-in", "Confirm", "Confirm!",
        "please",
        "Bitte bestätigen", "Connexion", "Por favor, iniciar sesión", "Verify your identity", "تسجيل الدخول",
    ]) func vague(_ reason: String) { #expect(PromptReason.isVague(reason)) }

    @Test(arguments: [
        "Unlock Acme", "Log in to Acme", "Confirm the payment of 500 euros", "Open the vault", "Confirm order 7",
        "Bei Acme anmelden",
        "Show the card's number",
    ]) func clear(_ reason: String) { #expect(!PromptReason.isVague(reason)) }
}
