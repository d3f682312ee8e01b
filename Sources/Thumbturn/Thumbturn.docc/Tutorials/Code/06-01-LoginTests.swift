import Testing
import Thumbturn
import ThumbturnTestKit

@Suite struct LoginTests {
    @Test func theFaceOpensTheLogin() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let vault = Vault(named: "login", platform: phone.platform())
        try await clock.run {
            try await vault.unlocked("Keep your login") { try await $0.save(SecretBytes("t0ken"), as: "token") }
            phone.next(.noMatch, .match)
            let token = try await vault.unlocked("Open your account") { try await $0.read("token") }
            #expect(token != nil)
        }
    }
}
