#if Tools
import Foundation
import Thumbturn
import ThumbturnMessages
import ThumbturnTestKit

/// The main job as a story, step by step, against a running server. Every step is checked: a surprise ends it.
struct Story {
    let signIn: PasswordSignIn
    let phone: SimulatedPhone
    let ada: Authenticator
    /// Another phone, whose owner has got hold of what Ada's phone sent.
    let thief: Authenticator

    init(server: URL, account: String, password: String) throws {
        signIn = PasswordSignIn(account: account, password: password)
        phone = SimulatedPhone()
        ada = try Authenticator(server: server, platform: phone.platform())
        thief = try Authenticator(server: server, platform: SimulatedPhone().platform())
    }

    func play() async throws {
        tell("Ada enrols her phone: the keys are made on it, and the password is asked once.")
        guard let record = try await ada.enrol(with: signIn, deviceName: "Ada's phone") else {
            throw Surprise(what: "already enrolled")
        }
        done(
            "enrolled “\(record.name)” with \(record.keys.count) keys: \(record.keys.map(\.kind.rawValue).joined(separator: ", "))"
        )

        tell("She looks at the sensor. The biometric key signs the server's challenge.")
        phone.next(.noMatch, .match)
        let (rung, proof) = try await ada.proof("Unlock Acme", policy: .unlock)
        let session = try await ada.redeem([proof])
        done("one mismatch, one match; the \(rung.rawValue) key signed, and the server issued tokens")

        tell("A protected call, with the token and a proof of the session key.")
        let me = try await ada.me()
        done("the server says: \(me.name), \(me.acr) (no evidence of hardware yet, so it claims none)")

        tell("The same proof is sent a second time, by the phone itself.")
        try await refused("a challenge is accepted once") { _ = try await ada.redeem([proof]) }

        tell("Somebody copies a fresh proof before it is redeemed, and sends it from another device.")
        let (_, stolen) = try await ada.proof("Unlock Acme", policy: .unlock)
        let thiefsKey = thief.name(of: .session, in: 1)
        _ = try await thief.platform.keys.create(thiefsKey)
        try await refused("the proof is bound to Ada's session key") {
            try await thief.connection.send(
                "POST", "/v1/token", .form([("grant_type", proofGrantType), ("proof", stolen.jws)]), key: thiefsKey)
        }
        _ = try await ada.redeem([stolen])
        done("Ada's own phone could still use it: a thief cannot use up what is not theirs")

        tell("Somebody copies the access token and uses it from another device.")
        try await refused("the token is bound to Ada's session key") {
            try await thief.connection.send("GET", "/v1/me", token: session.accessToken, key: thiefsKey)
        }

        tell("A new face is enrolled on the phone.")
        phone.enrolNewFace()
        do {
            _ = try await ada.authenticate("Confirm the payment", policy: .highRisk)
            throw Surprise(what: "a key survived a new face")
        } catch let failure as Failure where failure.code == .keyInvalidated && failure.recovery == .reEnrol {
            done("the biometric key is dead, and the app is told: \(failure.recovery.advice)")
        }

        tell("Ada signs in with her password, and enrols again.")
        try await ada.enrol(with: signIn, deviceName: "Ada's phone", ifExists: .keep)
        let again = try await ada.authenticate("Unlock Acme", policy: .highRisk)
        done("new keys; signed in with the \(again.rung.rawValue) key")

        tell("The device is revoked on the server. Its keys still work, but nobody listens.")
        _ = try await ada.send("DELETE", "/v1/devices/current")
        try await refused("no token") { _ = try await ada.me() }
        try await refused("no sign-in") { _ = try await ada.authenticate("Unlock Acme") }
        try await refused("no refresh") { _ = try await ada.refresh() }
        print("\nThat is the main job. Everything above went over HTTP to a real server.")
    }

    /// The server must refuse; any other outcome is a surprise.
    private func refused(_ why: String, _ attempt: () async throws -> Void) async throws {
        do {
            try await attempt()
        } catch let failure as Failure where [.refused, .sessionOver].contains(failure.code) {
            done("refused: \(why)")
            return
        }
        throw Surprise(what: "accepted, although \(why)")
    }
}
#endif
