import Foundation
import Thumbturn

struct Login {
    let auth: Authenticator

    init() throws {
        auth = try Authenticator(server: URL(string: "https://id.example.com")!, platform: .apple())
    }
}
