extension UnlockPolicy {
    /// Opening an app, also on its return to the foreground: sensor, device passcode, the app's PIN, full sign-in.
    public static let unlock = UnlockPolicy(ladder: [.biometric, .devicePasscode, .appPIN, .fullCredentials])

    /// A screen with private contents: as `unlock`, but the device passcode does not open it.
    public static let sensitiveScreen = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])

    /// An action that neither the device passcode nor a PIN may authorise: sensor, then full sign-in.
    public static let highRisk = UnlockPolicy(ladder: [.biometric, .fullCredentials]).highStakes

    /// Confirming a transaction: a tap first, so that a glance at the phone confirms nothing; the PIN after three
    /// mismatches, whatever the time.
    public static let transaction = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials]).highStakes

    /// A credential in a vault: sensor, then device passcode. The vault's access decides which of them its key accepts.
    public static let storedCredential = UnlockPolicy(ladder: [.biometric, .devicePasscode])

    /// Files that a vault seals: as `storedCredential`, but the prompt waits for a tap.
    public static let dataAtRest: UnlockPolicy = {
        var policy = UnlockPolicy.storedCredential
        policy.automaticPrompt = nil
        return policy
    }()

    /// The presets by the names that files and commands use.
    public static let presets: [String: UnlockPolicy] = [
        "unlock": .unlock, "sensitiveScreen": .sensitiveScreen, "highRisk": .highRisk, "transaction": .transaction,
        "storedCredential": .storedCredential, "dataAtRest": .dataAtRest,
    ]

    private var highStakes: UnlockPolicy {
        var policy = self
        policy.automaticPrompt = nil
        policy.delays.limit = 3
        return policy
    }
}
