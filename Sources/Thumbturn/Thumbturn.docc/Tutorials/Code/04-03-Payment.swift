import Thumbturn

/// Shows a payment as the server sent it, and has the person sign exactly that.
struct Payment {
    let auth: Authenticator
    let show: (ApprovalDetails) async -> Bool

    func approve(_ id: String, in language: MessageLanguage) async throws(Failure) {
        let approval = try await auth.approval(id)
        guard await show(approval.details(in: language)) else { return try await auth.decline(approval) }
        try await auth.approve(approval, in: language)
    }
}
