#if Tools
import Foundation
import Thumbturn
import ThumbturnCommands
import ThumbturnMessages
import ThumbturnTestKit

/// The main uses of a phone against a running server, step by step. Each step is checked, and an unexpected outcome
/// ends the story.
struct Story {
    let signIn: PasswordSignIn
    let phone: SimulatedPhone
    let ada: Authenticator
    /// Another phone, whose owner has copied messages of Ada's phone.
    let thief: Authenticator

    init(server: URL, account: String, password: String) throws {
        signIn = PasswordSignIn(account: account, password: password)
        phone = SimulatedPhone()
        ada = try Authenticator(server: server, platform: phone.platform(transport: commandTransport()))
        thief = try Authenticator(server: server, platform: SimulatedPhone().platform(transport: commandTransport()))
    }

    func play() async throws {
        announce("Ada enrols her phone: the keys are created on it, and the password is asked for once.")
        let record = try await ada.enrol(with: signIn, deviceName: "Ada's phone")
        confirm(
            "enrolled “\(record.name)” with \(record.keys.count) keys: "
                + record.keys.map(\.kind.rawValue).joined(separator: ", ")
        )

        announce("She looks at the sensor, and the biometric key signs the server's challenge.")
        phone.next(.noMatch, .match)
        let (rung, proof) = try await ada.proof("Unlock Acme", policy: .unlock)
        let session = try await ada.redeem([proof])
        confirm("one mismatch, one match; the \(rung.rawValue) key signed, and the server issued tokens")

        announce("The phone calls a protected route, with the token and a proof by the session key.")
        let me = try await ada.me()
        confirm("the server reports: \(me.name), \(me.acr) (without evidence of hardware it claims none)")

        announce("The phone sends the same proof a second time.")
        try await refused("a challenge is accepted once") { _ = try await ada.redeem([proof]) }

        announce("A thief copies a new proof before it is redeemed, and sends it from another device.")
        let (_, stolen) = try await ada.proof("Unlock Acme", policy: .unlock)
        let thiefsKey = thief.name(of: .session, in: 1)
        _ = try await thief.platform.keys.create(thiefsKey)
        try await refused("the proof is bound to Ada's session key") {
            try await thief.connection.send(
                "POST", to: "/v1/token", body: .form([("grant_type", proofGrantType), ("proof", stolen.jws)]),
                key: thiefsKey)
        }
        _ = try await ada.redeem([stolen])
        confirm("Ada's own phone could still redeem it: the thief's attempt did not consume it")

        announce("The thief copies the access token and uses it from another device.")
        try await refused("the token is bound to Ada's session key") {
            try await thief.connection.send("GET", to: "/v1/me", token: session.accessToken, key: thiefsKey)
        }

        announce("A new face is enrolled on the phone.")
        phone.enrolNewFace()
        do {
            _ = try await ada.authenticate("Confirm the payment", policy: .highRisk)
            throw UnexpectedOutcome("a key survived a new face")
        } catch let failure as Failure where failure.code == .keyInvalidated && failure.recovery == .reEnrol {
            confirm("the biometric key no longer works, and the app gets the next step: \(failure.recovery.message)")
        }

        announce("Ada signs in with her password, and enrols again.")
        try await ada.enrol(with: signIn, deviceName: "Ada's phone", ifExists: .keep)
        let again = try await ada.authenticate("Unlock Acme", policy: .highRisk)
        confirm("new keys; signed in with the \(again.rung.rawValue) key")

        announce("The device is revoked on the server. Its keys still sign, but the server refuses them.")
        _ = try await ada.send("DELETE", to: "/v1/devices/current")
        try await refused("no token") { _ = try await ada.me() }
        try await refused("no sign-in") { _ = try await ada.authenticate("Unlock Acme") }
        try await refused("no refresh") { _ = try await ada.refresh() }
        print("\nThe story is complete. Every step used HTTP to a real server.")
    }

    /// Checks that the server refuses.
    private func refused(_ reason: String, _ attempt: () async throws -> Void) async throws {
        do {
            try await attempt()
        } catch let failure as Failure where [.refused, .sessionOver].contains(failure.code) {
            confirm("refused: \(reason)")
            return
        }
        throw UnexpectedOutcome("accepted, although \(reason)")
    }
}
#endif
