#if Server
import Foundation
import ThumbturnCore
package import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// Adds an account whose password this server keeps, for the operator's command. No route calls it.
    package func addAccount(named name: String, password: String) async throws {
        guard (1...128).contains(name.count), !name.contains(where: \.isNewline) else { throw SetupError.accountName }
        guard password.count >= Passwords.minimumLength, password.utf8.count <= Passwords.maximumBytes else {
            throw SetupError.password(minimum: Passwords.minimumLength, maximum: Passwords.maximumBytes)
        }
        let account = Account(id: .random(), name: Self.normalized(name), passwordHash: try await passwords.hash(password))
        guard try await store.addAccount(account) else { throw SetupError.accountExists(name) }
    }

    /// `POST /v1/accounts/sign-in`: exchanges a password for an enrolment ticket. An unknown account, a wrong password,
    /// a wrong one-time code and a throttled account take the same time and get the same answer.
    package func signIn(_ request: PasswordSignInRequest, from sender: Sender) async throws -> EnrolmentTicket {
        guard request.account.utf8.count <= 512, request.password.utf8.count <= Passwords.maximumBytes,
            request.oneTimeCode?.utf8.count ?? 0 <= 32
        else { throw RequestError.malformed() }
        var candidate = try await candidate(named: request.account, from: sender)
        let fits = try await compare(request.password, candidate)
        let step = oneTimeStep(request.oneTimeCode, candidate.account)
        if fits { candidate.attempt.evidence = .password(oneTimeStep: step) }
        return try await settle(candidate, sender)
    }

    /// `POST /v1/accounts/recover`: exchanges a recovery code for an enrolment ticket. For an account with one-time
    /// codes the recovery code replaces the one-time code, and the password is needed as well; for any other account it
    /// replaces the password. Every attempt hashes a password, so that its time does not reveal which part was wrong.
    package func recover(_ request: RecoveryRequest, from sender: Sender) async throws -> EnrolmentTicket {
        guard request.account.utf8.count <= 512, request.password?.utf8.count ?? 0 <= Passwords.maximumBytes,
            request.code.utf8.count <= 64
        else { throw RequestError.malformed() }
        var candidate = try await candidate(named: request.account, from: sender)
        let fits = try await compare(request.password ?? "", candidate)
        candidate.attempt.evidence = .recoveryCode(RecoveryCodes.hash(request.code), passwordFits: fits)
        return try await settle(candidate, sender)
    }

    /// One spelling for each name (Unicode NFC), as for passwords.
    static func normalized(_ name: String) -> String { name.precomposedStringWithCanonicalMapping }

    var tickets: Tickets { Tickets(issuer: settings.publicURL, secrets: secrets.current) }

    // MARK: The steps of a sign-in

    private struct Candidate {
        var account: Account?
        var attempt: SignInAttempt
        var standing: SignInStanding
        var isStranger: Bool
    }

    /// The account that is asked for, and whether a sign-in to it may be tried. The attempts of a caller whose session
    /// key is enrolled for this account are counted against that device only, so that a flood of attempts by strangers
    /// does not lock the device out. For any other account the caller counts as a stranger.
    private func candidate(named name: String, from sender: Sender) async throws -> Candidate {
        let name = Self.normalized(name)
        let places = throttlePlaces
        let device = try await store.device(withSessionKey: sender.jkt)
        let account = try await store.account(named: name)
        let decoy = places.noAccount(name)
        var attempt = SignInAttempt(
            account: account?.id, evidence: .nothing, inARow: [account.map { .account($0.id) } ?? decoy],
            byRate: [places.address(sender.network), .global], limits: throttleLimits
        )
        let isStranger = device == nil || device?.account != account?.id
        if let device, !isStranger { (attempt.inARow, attempt.byRate) = ([.device(device.id)], []) }
        let standing = try await store.standing(of: attempt)
        attempt.isJudged = standing == .open
        return Candidate(account: account, attempt: attempt, standing: standing, isStranger: isStranger)
    }

    /// Compares the password, always with the same work: if the account is throttled or unknown, with a decoy.
    private func compare(_ password: String, _ candidate: Candidate) async throws -> Bool {
        guard candidate.standing != .overloaded else { throw RequestError.unavailable(.init(.server, .overloaded)) }
        do {
            return try await passwords.verify(
                password, against: candidate.standing == .open ? candidate.account?.passwordHash : nil,
                isStranger: candidate.isStranger
            )
        } catch is Passwords.QueueFull {
            throw RequestError.unavailable(.init(.server, .overloaded))
        }
    }

    /// The time step of a one-time code; nil for a wrong code. If the account has no secret, the same work is done with
    /// a decoy, and the result is nil.
    private func oneTimeStep(_ code: String?, _ account: Account?) -> Int64? {
        guard let code else { return nil }
        let sealed = account?.oneTimeSecret ?? decoySecret
        guard let secret = try? secrets.unseal(sealed, label: Self.oneTimeLabel) else { return nil }
        let step = OneTimeCodes(secret: secret).step(of: code, at: time.now)
        return account?.oneTimeSecret == nil ? nil : step
    }

    private func settle(_ candidate: Candidate, _ sender: Sender) async throws -> EnrolmentTicket {
        await beforeSpending()
        switch try await store.settle(candidate.attempt) {
        case .open: break
        case .wrong: throw RequestError.unverified(.init(.account, .wrongCredentials))
        case .closed: throw RequestError.unverified(.init(.account, .paused))
        case .overloaded: throw RequestError.unavailable(.init(.server, .overloaded))
        }
        guard let account = candidate.account else { preconditionFailure("a sign-in that is accepted has an account") }
        let ticket = tickets.issue(to: account.id, jkt: sender.jkt, at: time.now, lifetime: settings.ticketLifetime)
        return EnrolmentTicket(ticket: ticket, expiresIn: settings.ticketLifetime.components.seconds)
    }

    var throttlePlaces: ThrottlePlaces { ThrottlePlaces(key: secrets.current.refresh) }

    /// Counts a wrong proof that came without the session key that it needs. It is counted against the sender's
    /// network, and against no account or device.
    func countStranger(_ network: Network) async throws {
        try await store.count(against: [throttlePlaces.address(network)], limits: throttleLimits)
    }

    // MARK: For the operator

    /// Sets new one-time codes for an account, and returns the address that authenticator apps read. It is shown once.
    package func setOneTimeCodes(ofAccountNamed name: String) async throws -> String {
        let account = try await existingAccount(named: name)
        let codes = OneTimeCodes.random()
        try await store.setOneTimeSecret(try secrets.seal(codes.secret, label: Self.oneTimeLabel), of: account.id)
        return codes.address(account: account.name, issuer: "Thumbturn")
    }

    /// Removes an account's one-time codes.
    package func removeOneTimeCodes(ofAccountNamed name: String) async throws {
        try await store.setOneTimeSecret(nil, of: try await existingAccount(named: name).id)
    }

    /// Replaces an account's recovery codes, and returns the new ones. They are shown once.
    package func makeRecoveryCodes(ofAccountNamed name: String) async throws -> [String] {
        let account = try await existingAccount(named: name)
        let codes = (0..<RecoveryCodes.count).map { _ in RecoveryCodes.random() }
        try await store.setRecoveryCodes(codes.map(RecoveryCodes.hash), of: account.id)
        return codes
    }

    /// Resets an account's count of wrong sign-ins.
    package func unlock(accountNamed name: String) async throws {
        try await store.unlock(try await existingAccount(named: name).id)
    }

    static let oneTimeLabel = "one-time"
}
#endif
