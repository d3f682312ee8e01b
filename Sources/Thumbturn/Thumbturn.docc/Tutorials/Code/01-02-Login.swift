/// What an attacker makes of it, with one changed byte in memory or a hook on one function.
struct Login {
    var token: String

    func signIn() async throws -> String? {
        let isOwner = true
        return isOwner ? token : nil
    }
}
