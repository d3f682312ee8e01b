import Thumbturn

struct Login {
    let vault = Vault(named: "login", platform: .apple())
}
