import Foundation
import Observation
import SwiftUI
import Thumbturn

/// The sign-in with a name and a password: a sheet, each time they are needed. The password is kept nowhere.
@MainActor @Observable final class PasswordScreen: PrimarySignIn {
    /// What the sheet asks; nil while it is not shown.
    private(set) var question: Question?

    struct Question: Identifiable {
        let id = UUID()
        let reason: String
        fileprivate let answers: AsyncStream<Credentials>.Continuation
    }

    @MainActor func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        guard question == nil else { throw Failure(.superseded) }
        let (answers, mailbox) = AsyncStream.makeStream(of: Credentials.self)
        question = Question(reason: request.reason, answers: mailbox)
        defer { question = nil }
        for await answer in answers { return answer }
        // The stream ends without an answer where the sheet was closed, and where the library takes the question back.
        throw Failure(Task.isCancelled ? .cancelledByApp : .cancelledByUser)
    }

    func answer(account: String, password: String) {
        question?.answers.yield(.password(password, for: account))
    }

    func cancel() { question?.answers.finish() }
}

extension View {
    /// Shows the sheet of a sign-in while it is asked for. It stands over the lock, which may ask for it.
    func passwordSheet(_ screen: PasswordScreen?) -> some View {
        let question = Binding(get: { screen?.question }, set: { if $0 == nil { screen?.cancel() } })
        return sheet(item: question) { question in
            PasswordForm(
                reason: question.reason, answer: { screen?.answer(account: $0, password: $1) }, cancel: { screen?.cancel() })
        }
    }
}

private struct PasswordForm: View {
    let reason: String
    let answer: @MainActor (_ account: String, _ password: String) -> Void
    let cancel: @MainActor () -> Void
    @State private var account = ""
    @State private var password = ""

    var body: some View {
        NavigationStack {
            Form {
                Section {
                    TextField("Name", text: $account).textContentType(.username).textInputAutocapitalization(.never)
                        .autocorrectionDisabled()
                    SecureField("Password", text: $password).textContentType(.password)
                } header: {
                    Text(reason)
                }
                Button("Sign in") { answer(account, password) }.disabled(account.isEmpty || password.isEmpty)
            }
            .navigationTitle("Sign in")
            .toolbar {
                ToolbarItem(placement: .cancellationAction) { Button("Cancel", action: cancel) }
            }
        }
    }
}
