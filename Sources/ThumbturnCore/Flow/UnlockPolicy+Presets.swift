extension UnlockPolicy {
    /// Opening an app, also on its return to the foreground: sensor, device passcode, the app's PIN, full sign-in.
    public static let unlock = preset("unlock", [.biometric, .devicePasscode, .appPIN, .fullCredentials])

    /// A screen with private contents: as `unlock`, but the device passcode does not open it.
    public static let sensitiveScreen = preset("sensitiveScreen", [.biometric, .appPIN, .fullCredentials])

    /// An action that neither the device passcode nor a PIN may authorise: sensor, then full sign-in.
    public static let highRisk = preset("highRisk", [.biometric, .fullCredentials]).highStakes

    /// Confirming a transaction: a tap first, so that a glance at the phone confirms nothing; the PIN after three
    /// mismatches, whatever the time.
    public static let transaction = preset("transaction", [.biometric, .appPIN, .fullCredentials]).highStakes

    /// A credential in a vault: sensor, then device passcode. The vault's access decides which of them its key accepts.
    public static let storedCredential = preset("storedCredential", [.biometric, .devicePasscode])

    /// Files that a vault seals: as `storedCredential`, but the prompt waits for a tap.
    public static let dataAtRest: UnlockPolicy = {
        var policy = preset("dataAtRest", [.biometric, .devicePasscode])
        policy.automaticPrompt = nil
        return policy
    }()

    /// The presets by the names that files and commands use.
    public static let presets: [String: UnlockPolicy] = Dictionary(
        uniqueKeysWithValues: [.unlock, .sensitiveScreen, .highRisk, .transaction, .storedCredential, .dataAtRest]
            .map { (preset: UnlockPolicy) in (preset.name?.text ?? "", preset) })

    private static func preset(_ name: TelemetryLabel, _ ladder: [Rung]) -> UnlockPolicy {
        var policy = UnlockPolicy(ladder: ladder)
        policy.name = name
        return policy
    }

    private var highStakes: UnlockPolicy {
        var policy = self
        policy.automaticPrompt = nil
        policy.delays.limit = 3
        return policy
    }
}
