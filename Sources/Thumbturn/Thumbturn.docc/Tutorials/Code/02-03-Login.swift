import Thumbturn

struct Login {
    let vault = Vault(named: "login", platform: .apple())

    /// Once, after the first login: keeps the token where only the face opens it.
    func keep(_ token: String) async throws {
        try await vault.unlocked("Keep your login") { try await $0.save(SecretBytes(token), as: "token") }
    }

    /// The token is the answer: without the face there is none.
    func signIn() async throws -> SecretBytes? {
        try await vault.unlocked("Open your account") { try await $0.read("token") }
    }
}
