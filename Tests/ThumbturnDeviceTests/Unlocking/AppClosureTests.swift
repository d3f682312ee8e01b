import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit

/// The closures that an app gives to the models may throw anything, and the screens show a failure with its next step.
@MainActor @Suite struct AppClosureTests {
    private struct AppError: Error {}

    private let details = ApprovalDetails(title: "Payment", lines: [.init(label: "Amount", value: "12.00 EUR")])

    private func stage(after error: any Error) async throws -> ApprovalSheetModel.Stage {
        let sheet = ApprovalSheetModel(
            try #require(details), platform: SimulatedPhone().platform(), sign: { _ -> Grant in throw error }, decline: {})
        await sheet.approve()
        return sheet.stage
    }

    @Test("a failure arrives as it is")
    func failure() async throws {
        #expect(try await stage(after: Failure(.unreachable)) == .stopped(Failure(.unreachable)))
    }

    @Test("a cancelled task is a cancel by the app")
    func cancellation() async throws {
        #expect(try await stage(after: CancellationError()) == .stopped(Failure(.cancelledByApp)))
    }

    @Test("an error of the app's own keeps its domain and code for a bug report")
    func otherErrors() async throws {
        guard case .stopped(let failure) = try await stage(after: URLError(.timedOut)) else {
            Issue.record("the sheet did not stop")
            return
        }
        #expect(failure.code == .platform && failure.recovery == .report)
        #expect(failure.status == .init(domain: NSURLErrorDomain, code: URLError.timedOut.rawValue))
        guard case .stopped(let own) = try await stage(after: AppError()) else {
            Issue.record("the sheet did not stop")
            return
        }
        #expect(own.status?.domain.hasSuffix("AppError") == true)
    }

    @Test("calls of an authenticator need no annotation in a closure")
    func closuresAreNatural() async throws {
        let platform = SimulatedPhone().platform()
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let auth = try Authenticator(server: url, platform: platform)
        let signIn = PasswordSignIn(account: "ada", password: "correct horse battery staple")
        let lock = AppLockModel(platform: platform) { try await auth.authenticate("Unlock Acme") }
        let screen = UnlockScreen(reason: "Unlock Acme", news: UnlockNewsRelay(), platform: platform) {
            try await auth.authenticate("Unlock Acme", by: $0)
        }
        let vault = Vault(named: "designs", platform: platform)
        _ = AppLockModel(platform: platform) { try await vault.unlocked("Open the vault") { $0.answered } }
        _ = BiometricOfferModel(for: auth) { try await auth.enrol(with: signIn) }
        _ = BiometricsToggleModel(for: auth) { try await auth.enrol(with: signIn) }
        #expect(lock.isLocked && screen.stage == .ready)
    }

    @Test("what is made of a secret may throw anything, and then the secret stays")
    func update() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let vault = Vault(named: "designs", platform: phone.platform())
        try await clock.run {
            try await vault.unlocked("Open the vault") { secrets in
                try await secrets.save(SecretBytes("s3cret"), as: "token")
                await #expect(throws: Failure.self) { try await secrets.update("token") { _ in throw CancellationError() } }
                #expect(try await secrets.read("token")?.bytes == Array("s3cret".utf8))
            }
        }
    }
}
