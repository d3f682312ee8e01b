import Foundation
import Thumbturn

struct Login {
    let auth: Authenticator

    init() throws {
        auth = try Authenticator(server: URL(string: "https://id.example.com")!, platform: .apple())
    }

    /// At each start: completes or undoes what a crash has interrupted.
    func start() async { await auth.settle() }

    /// Once, with the person's first login: makes the keys, and tells the server of them.
    func setUp(name: String, password: String) async throws {
        try await auth.enrol(with: PasswordSignIn(account: name, password: password))
    }
}
