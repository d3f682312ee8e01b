#if Server
import Foundation
import ThumbturnCore
package import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/accounts/sign-in`: exchanges a password for an enrolment ticket. An unknown account, a wrong password,
    /// a wrong one-time code, a throttled account and one that is switched off take the same time and get the same
    /// answer.
    package func signIn(_ request: PasswordSignInRequest, from sender: Sender) async throws -> EnrolmentTicket {
        guard request.account.utf8.count <= Limits.accountName, request.password.utf8.count <= Passwords.maximumBytes,
            request.oneTimeCode?.utf8.count ?? 0 <= Limits.oneTimeCode
        else { throw RequestError.malformed() }
        var candidate = try await candidate(named: request.account, by: .password, from: sender)
        let fits = try await compare(request.password, candidate, sender)
        let step = oneTimeStep(request.oneTimeCode, candidate.account)
        if fits { candidate.attempt.evidence = .password(oneTimeStep: step) }
        return try await settle(candidate, sender)
    }

    /// `POST /v1/accounts/recover`: exchanges a recovery code for an enrolment ticket. For an account with one-time
    /// codes the recovery code replaces the one-time code, and the password is needed as well; for any other account it
    /// replaces the password. Every attempt hashes a password, so that its time does not reveal which part was wrong.
    /// The throttle of the account's password does not slow it.
    package func recover(_ request: RecoveryRequest, from sender: Sender) async throws -> EnrolmentTicket {
        guard request.account.utf8.count <= Limits.accountName, request.password?.utf8.count ?? 0 <= Passwords.maximumBytes,
            request.code.utf8.count <= Limits.recoveryCode
        else { throw RequestError.malformed() }
        var candidate = try await candidate(named: request.account, by: .recoveryCode, from: sender)
        let fits = try await compare(request.password ?? "", candidate, sender)
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

    /// The credential that a full sign-in brings in the first place.
    private enum Credential {
        case password
        case recoveryCode
    }

    /// The account that is asked for, and whether a sign-in to it may be tried. A sender whose own device or address is
    /// throttled may know that, and is refused here, before a password is hashed or anything is written.
    private func candidate(
        named name: String, by credential: Credential, from sender: Sender
    ) async throws -> Candidate {
        let name = Self.normalized(name)
        let device = try await store.device(withSessionKey: sender.jkt)
        let account = try await store.account(named: name)
        // It is computed for each name, so that the work is the same.
        let decoy = throttlePlaces.decoy(of: name)
        let own = device.flatMap { $0.account == account?.id ? $0.id : nil }
        let counts = counts(of: credential, for: account?.id ?? decoy, by: own, from: sender.network)
        var attempt = SignInAttempt(
            account: account?.id, evidence: .nothing, inARow: counts.inARow, byRate: counts.byRate, limits: throttleLimits)
        attempt.credentialGeneration = account?.credentialGeneration ?? 0
        let standing = try await store.standing(of: attempt)
        if let refusal = Self.refusal(standing) { throw refusal }
        attempt.isJudged = standing == .open
        return Candidate(account: account, attempt: attempt, standing: standing, isStranger: own == nil)
    }

    /// The counts that grow with a wrong attempt.
    ///
    /// The attempts of a caller whose session key is enrolled for this account are counted against that device only, so
    /// that a flood of attempts by strangers does not lock the device out. For any other account the caller counts as a
    /// stranger. A recovery code has 120 random bits, so that guesses at it need no count of the account; and it is the
    /// way back for a person whose password an attacker has paused, so that count must not pause it.
    private func counts(
        of credential: Credential, for name: AccountID, by own: DeviceID?, from network: Network
    ) -> (inARow: [ThrottleID], byRate: [ThrottleID]) {
        let address = throttlePlaces.address(network)
        return switch (credential, own) {
        case (.password, let device?): ([.device(device)], [])
        case (.password, nil): ([.account(name)], [address, .global])
        case (.recoveryCode, _?): ([], [address])
        case (.recoveryCode, nil): ([], [address, .global])
        }
    }

    /// The refusal of a sender that may know why it is refused; nil for every other.
    private static func refusal(_ standing: SignInStanding) -> RequestError? {
        switch standing {
        case .open, .wrong, .paused: nil
        case .closed: .unverified(.init(.account, .paused))
        case .overloaded: .unavailable(.init(.server, .overloaded))
        }
    }

    /// Compares the password, always with the same work: if the account is throttled or unknown, with a decoy.
    private func compare(_ password: String, _ candidate: Candidate, _ sender: Sender) async throws -> Bool {
        do {
            return try await passwords.verify(
                password, against: candidate.standing == .open ? candidate.account?.passwordHash : nil,
                for: throttlePlaces.address(sender.network), isStranger: candidate.isStranger
            )
        } catch let full as Passwords.QueueFull {
            throw RequestError(full)
        }
    }

    /// The time step of a one-time code; nil for a wrong code. If the account has no secret, the same work is done with
    /// a decoy, and the result is nil.
    private func oneTimeStep(_ code: String?, _ account: Account?) -> Int64? {
        guard let code else { return nil }
        let sealed = account?.oneTimeSecret ?? secrets.current.decoyOneTimeSecret
        guard let secret = try? secrets.unsealOneTime(sealed) else { return nil }
        let step = OneTimeCodes(secret: secret).step(of: code, at: time.now)
        return account?.oneTimeSecret == nil ? nil : step
    }

    private func settle(_ candidate: Candidate, _ sender: Sender) async throws -> EnrolmentTicket {
        await beforeSpending()
        let standing = try await store.settle(candidate.attempt)
        if let refusal = Self.refusal(standing) { throw refusal }
        guard standing == .open else {
            throw RequestError.unverified(.init(.account, standing == .paused ? .paused : .wrongCredentials))
        }
        guard let account = candidate.account else { preconditionFailure("a sign-in that is accepted has an account") }
        let ticket = tickets.issue(
            to: account.id, generation: account.credentialGeneration, jkt: sender.jkt, freshness: .fresh,
            credentials: Self.methods(of: candidate.attempt.evidence, account), at: time.now,
            lifetime: settings.ticketLifetime)
        return EnrolmentTicket(
            ticket: ticket, account: account.id.text, isFresh: true, expiresIn: settings.ticketLifetime.components.seconds)
    }

    /// How accepted evidence verified the person (RFC 8176 section 2). A recovery code is a password for one use, `otp`:
    /// it answers no question about the person (`kba`), and no other value is a secret that is known.
    private static func methods(of evidence: SignInAttempt.Evidence, _ account: Account) -> [String] {
        switch (evidence, account.oneTimeSecret) {
        case (.nothing, _): preconditionFailure("a sign-in without evidence is not accepted")
        case (.password, nil): ["pwd"]
        case (.recoveryCode, nil): ["otp"]
        case (.password, _?), (.recoveryCode, _?): ["pwd", "otp"]
        }
    }

    var throttlePlaces: ThrottlePlaces { ThrottlePlaces(key: secrets.current.refresh) }

    /// Counts a wrong proof that came without the session key that it needs. It is counted against the sender's
    /// network, and against no account or device.
    func countStranger(_ network: Network) async throws {
        try await store.count(against: [throttlePlaces.address(network)], limits: throttleLimits)
    }
}
#endif
