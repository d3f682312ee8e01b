#if Server
import Foundation
import Crypto
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// Makes an embedded account. For the operator's command; no route leads here.
    package func addAccount(named name: String, password: String) async throws {
        guard (1...128).contains(name.count), !name.contains(where: \.isNewline) else { throw SetupError.accountName }
        guard password.count >= Passwords.minimumLength, password.utf8.count <= Passwords.maximumBytes else {
            throw SetupError.password(minimum: Passwords.minimumLength, maximum: Passwords.maximumBytes)
        }
        let account = Account(id: .random(), name: Self.normalized(name), passwordHash: try await passwords.hash(password))
        guard try await store.addAccount(account) else { throw SetupError.accountExists(name) }
    }

    /// `POST /v1/accounts/sign-in`: the first mile. Unknown account and wrong password take the same time and the same answer.
    func signIn(_ request: PasswordSignInRequest, dpop: DPoPProof) async throws -> EnrolmentTicket {
        guard request.account.utf8.count <= 512, request.password.utf8.count <= Passwords.maximumBytes else {
            throw Refused.malformed()
        }
        let account = try await store.account(named: Self.normalized(request.account))
        let fits: Bool
        do {
            fits = try await passwords.verify(request.password, against: account?.passwordHash)
        } catch is Passwords.QueueFull {
            throw Refused.unavailable("password queue full")
        }
        guard fits, let account else { throw Refused.unverified("wrong password or unknown account") }
        let ticket = tickets.issue(to: account.id, jkt: dpop.jkt, at: time.now, lifetime: settings.ticketLifetime)
        return EnrolmentTicket(ticket: ticket, expiresIn: settings.ticketLifetime.components.seconds)
    }

    /// One spelling for each name (Unicode NFC), as for passwords.
    static func normalized(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

    var tickets: Tickets { Tickets(issuer: settings.publicURL, key: secrets.current.refresh) }
}
#endif
