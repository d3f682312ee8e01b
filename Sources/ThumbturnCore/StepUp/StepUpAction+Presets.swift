extension StepUpAction {
    /// A payment to a new recipient: a proof each time.
    public static let newRecipient = StepUpAction(known: "new-recipient", .zero)
    /// A payment to a recipient who was paid before: 5 minutes.
    public static let existingRecipient = StepUpAction(known: "existing-recipient", .seconds(300))
    /// Showing a card's number: 2 minutes.
    public static let cardDetails = StepUpAction(known: "card-details", .seconds(120))
    /// Handing out statements: 5 minutes.
    public static let statementExport = StepUpAction(known: "statement-export", .seconds(300))

    /// Setting the account's password: a proof each time. By default the server takes the biometric key's only.
    public static let changePassword = StepUpAction(known: "change-password", .zero)

    /// The actions that are known by default.
    public static let presets: [StepUpAction] = [
        .newRecipient, .existingRecipient, .cardDetails, .statementExport, .changePassword,
    ]

    /// The same for regulated payments (SCA-RTS Art. 5): a proof for each payment, to any recipient.
    public static let regulated: [StepUpAction] = [
        .newRecipient, StepUpAction(known: StepUpAction.existingRecipient.name, .zero), .cardDetails, .statementExport,
        .changePassword,
    ]

    /// What a `LivenessCheck` is told that its evidence is for while a device is enrolled. No step-up asks for it.
    public static let enrolDevice = StepUpAction(known: "enrol-device", .zero)
}
