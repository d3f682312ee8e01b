#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The sequence of steps in which every proof is judged, for all purposes:
///
/// 1. Open the ticket and the challenge: the server made them, they are not expired, and they are for this purpose.
/// 2. Authenticate the caller: its DPoP proof is by the session key that the challenge names. A refusal up to here
///    consumes nothing, so a thief of a proof can neither use the challenge nor consume it. Each refusal after this
///    step consumes the challenge and the ticket, even if a proof is wrong.
/// 3. Find the factor and the state of each key, and judge whether they are enough.
/// 4. Refuse a paused key, without checking its signature.
/// 5. Check the signatures, and that of a PIN key last: the answer depends on a PIN only if nothing else is wrong, and
///    each such answer is counted.
/// 6. Count a wrong signature against its key.
/// 7. Commit: in one transaction the store consumes the challenge and the ticket, judges the keys again, and carries
///    out what they authorise. The answer is sent after the commit.
///
/// The ceremony is a value without input and output. Each call returns the next request to the store; the caller
/// carries it out and passes the answer to `handle`. A row of `CeremonyRules` has what differs between the purposes.
struct Ceremony: Sendable {
    let intent: Intent
    let rules: CeremonyRules
    /// Proofs by enrolled keys, as received.
    let proofs: [String]
    let ticket: String?
    /// The thumbprint of the session key that signed the request's DPoP proof.
    let jkt: String
    /// Signatures checked so far.
    private(set) var verifications = 0
    private var state = State.ready

    /// - Parameters:
    ///   - proofs: the proofs of enrolled keys. The proofs of keys that are to be registered come with the intent.
    ///   - ticket: the ticket that authorises the ceremony in place of enrolled keys.
    init(_ intent: Intent, proofs: [String] = [], ticket: String? = nil, jkt: String) {
        self.intent = intent
        rules = intent.rules(byTicket: ticket != nil)
        self.proofs = proofs
        self.ticket = ticket
        self.jkt = jkt
    }

    /// The purpose of a ceremony, with the values that it needs.
    enum Intent: Sendable {
        case signIn
        case stepUp(StepUpIntent)
        case approve(ApprovalIntent)
        case changeKeys(KeyChangeIntent)
        case enrol(EnrolmentIntent)
    }

    /// A request to the caller, which has the store and the secrets.
    enum Request: Sendable {
        case openTicket(String)
        case openChallenge(String, Purpose)
        /// Finds these keys. The rows may be slightly out of date, because the store may keep them in memory.
        case findKeys([String])
        /// Finds the device of the caller's session key.
        case findDevice
        /// Finds the device of the caller's session key, and this approval.
        case findApproval(ApprovalID)
        /// Consumes these after a refusal.
        ///
        /// - Parameter key: a key of the caller's device, if it is known.
        case spend([Spend], Refusal, by: EnrolledKey?)
        case countWrongSignature(kid: String, spending: [Spend])
        case commit(Commit, Authorisation)
    }

    enum Answer: Sendable {
        case ticket(Tickets.Right)
        case challenge(ChallengeClaims, Spend)
        /// The ticket or the challenge was refused.
        case notOpened(VerificationError)
        case found(Found)
        case spent
        /// The consecutive wrong signatures of the key; nil if the challenge was consumed before, or the key is gone.
        case counted(Int?)
        case committed(CommitOutcome<Committed>)
    }

    struct Found: Sendable {
        var keys: [EnrolledKey] = []
        var device: JudgedDevice?
        var approval: ApprovalView?
    }

    /// The change that was authorised.
    enum Commit: Sendable {
        /// - Parameter authTime: when the person was verified; nil for the time of the transaction.
        case session(authTime: UnixTime?, granted: ActionGrant?)
        case approval(NewApprovalSignature)
        case keys(NewKeys)
        case device(NewDevice)
    }

    enum Committed: Sendable {
        case session(SessionView, refreshToken: String)
        case approval(ApprovalView, signedBy: AccountID)
        case device(DeviceView)
    }

    enum Refusal: Error, Hashable, Sendable {
        /// The ceremony was refused before the caller was authenticated, and nothing was consumed.
        case unopened(VerificationError)
        case spent(VerificationError)
        /// The evidence of new keys was refused.
        ///
        /// - Parameter of: the account that the keys were for.
        case evidence(EvidenceRefusal, of: AccountID?)
        case paused(Duration)
        /// The device is in its cool-off.
        case coolsOff(CoolOff)
        case wrongPIN(inARow: Int)
        /// The step-up table has no answer for the action.
        case denied(StepUpTable.Unasked)
        /// The step-up table demands more than these keys.
        case unmet
        /// The ceremony was authorised, and the account has as much as it may have.
        case full(AccountQuota.Full)
    }

    enum Step: Sendable {
        case ask(Request)
        case end(Result<Committed, Refusal>)
    }

    private enum State: Sendable {
        case ready
        case openingTicket
        case openingChallenge(String, Tickets.Right?, [Result<UnverifiedProof, VerificationError>])
        case finding(Opened, [UnverifiedProof])
        case spending(Refusal)
        case counting(KeyKind, VerificationError)
        case committing
        case ended
    }

    /// A challenge of an authenticated caller.
    struct Opened: Sendable {
        var challenge: String
        var claims: ChallengeClaims
        /// The ticket, if one authorises the ceremony.
        var ticket: Tickets.Right?
        var spends: [Spend]
    }

    /// The judgement of the intent's own policy: the change to commit, and the new keys whose proofs have to be checked
    /// first.
    struct Judgement {
        var commit: Commit
        var registrations: [RegisteredKey] = []
        /// What is consumed beside the challenge and the ticket, by a commit alone.
        var spends: [Spend] = []
    }

    // MARK: The sequence

    /// The first step.
    mutating func begin() -> Step {
        // How many keys there are is known by their proofs; of a ticket, what it is worth only once it is open.
        guard let ticket else {
            guard rules.takes(.keys(proofs)) else { return end(.failure(.unopened(.malformed))) }
            return openChallenge(nil)
        }
        guard proofs.isEmpty else { return end(.failure(.unopened(.malformed))) }
        return ask(.openTicket(ticket), .openingTicket)
    }

    /// The step after an answer to the last request.
    mutating func handle(_ answer: Answer, at now: UnixTime) -> Step {
        switch (state, answer) {
        case (.openingTicket, .ticket(let ticket)):
            guard rules.takes(.ticket(ticket)) else { return end(.failure(.unopened(.foreignKey))) }
            return openChallenge(ticket)
        case (.openingTicket, .notOpened(let error)), (.openingChallenge, .notOpened(let error)):
            return end(.failure(.unopened(error)))
        case (.openingChallenge(let challenge, let ticket, let read), .challenge(let claims, let spend)):
            guard claims.cnf.jkt == jkt else { return end(.failure(.unopened(.foreignKey))) }
            guard intent.isFor(claims.act) else { return end(.failure(.unopened(.wrongPurpose))) }
            let spends = [spend] + (ticket.map { [$0.spend] } ?? [])
            return find(Opened(challenge: challenge, claims: claims, ticket: ticket, spends: spends), read, at: now)
        case (.finding(let opened, let proofs), .found(let found)):
            return judge(opened, proofs, found, at: now)
        case (.spending(let refusal), .spent):
            return end(.failure(refusal))
        case (.counting(let kind, let error), .counted(let inARow)):
            guard let inARow, kind == .pin else { return end(.failure(.spent(error))) }
            return end(.failure(.wrongPIN(inARow: inARow)))
        case (.committing, .committed(let outcome)):
            switch outcome {
            case .done(let committed): return end(.success(committed))
            case .refused: return end(.failure(.spent(.replayed)))
            // A wrong PIN gets the same answer, so a disabled key no longer reveals which PIN is right.
            case .disabled: return end(.failure(.wrongPIN(inARow: PINLedger.limit)))
            case .insufficient: return end(.failure(.spent(.insufficient)))
            case .full(let quota): return end(.failure(.full(quota)))
            }
        case (.ready, _), (.openingTicket, _), (.openingChallenge, _), (.finding, _), (.spending, _), (.counting, _),
            (.committing, _), (.ended, _):
            preconditionFailure("an answer belongs to the request before it")
        }
    }

    private mutating func openChallenge(_ ticket: Tickets.Right?) -> Step {
        let read = proofs.map { text in
            Result { () throws(VerificationError) in try UnverifiedProof(text) }
        }
        guard let challenge = challenge(in: read) else { return end(.failure(.unopened(.malformed))) }
        return ask(.openChallenge(challenge, rules.challenge), .openingChallenge(challenge, ticket, read))
    }

    /// The challenge is read even from a proof that is otherwise malformed, so that a malformed attempt consumes it too.
    private func challenge(in read: [Result<UnverifiedProof, VerificationError>]) -> String? {
        if case .success(let proof) = read.first { return proof.challenge }
        for proof in proofs + intent.registrationProofs {
            if let challenge = UnverifiedProof.challenge(in: proof) { return challenge }
        }
        return nil
    }

    private mutating func find(
        _ opened: Opened, _ read: [Result<UnverifiedProof, VerificationError>], at now: UnixTime
    ) -> Step {
        let proofs: [UnverifiedProof]
        do throws(VerificationError) {
            let kids = intent.kidsThatMayAnswer(opened.claims)
            proofs = try read.map { read throws(VerificationError) in
                let proof = try read.get()
                guard proof.challenge == opened.challenge else { throw .foreignKey }
                guard kids.contains(proof.kid) else { throw .unknownKey }
                return proof
            }
        } catch {
            return spend(opened, then: .spent(error))
        }
        switch intent {
        case .signIn, .stepUp: return ask(.findKeys(proofs.map(\.kid)), .finding(opened, proofs))
        case .approve(let approval): return ask(.findApproval(approval.id), .finding(opened, proofs))
        case .changeKeys: return ask(.findDevice, .finding(opened, proofs))
        // All of its keys are in the request.
        case .enrol: return judge(opened, proofs, Found(), at: now)
        }
    }

    private mutating func judge(_ opened: Opened, _ proofs: [UnverifiedProof], _ found: Found, at now: UnixTime) -> Step {
        let key = found.keys.first { $0.sessionJKT == jkt }
        let signers: [Signer]
        let judgement: Judgement
        do throws(Refusal) {
            signers = try self.signers(proofs, found, at: now)
            judgement = try intent.judge(signers.map(\.standing), opened, found, at: now)
            try check(judgement.registrations, opened)
        } catch {
            return spend(opened, then: error, by: key)
        }
        for case .paused(let until) in signers.lazy.map(\.standing.state) {
            return spend(opened, then: .paused(until - now), by: key)
        }
        for registration in judgement.registrations {
            guard let proof = registration.proof else { continue }
            do throws(VerificationError) {
                verifications += 1
                try proof.verify(by: registration.key)
            } catch {
                return spend(opened, then: .spent(error), by: key)
            }
        }
        for signer in signers.filter({ $0.key.kind != .pin }) + signers.filter({ $0.key.kind == .pin }) {
            do throws(VerificationError) {
                verifications += 1
                try signer.proof.verify(by: try VerifyingKey(x963: signer.key.x963))
            } catch {
                return ask(.countWrongSignature(kid: signer.key.kid, spending: opened.spends), .counting(signer.key.kind, error))
            }
        }
        let authorisation = Authorisation(
            rules: rules, spends: opened.spends + judgement.spends,
            grounds: opened.ticket.map { .ticket($0) } ?? .keys(signers.map(\.key.kid)),
            jkt: jkt
        )
        return ask(.commit(judgement.commit, authorisation), .committing)
    }

    /// A proof, the enrolled key that it names, and the standing of that key.
    private struct Signer {
        var proof: UnverifiedProof
        var key: EnrolledKey
        var standing: KeyStanding
    }

    /// The key of each proof. Throws unless each key is enrolled on the device of the caller's session key and may
    /// authorise this ceremony.
    private func signers(_ proofs: [UnverifiedProof], _ found: Found, at now: UnixTime) throws(Refusal) -> [Signer] {
        var signers: [Signer] = []
        for proof in proofs {
            guard let key = found.keys.first(where: { $0.kid == proof.kid }) else { throw .spent(.unknownKey) }
            guard key.sessionJKT == jkt else { throw .spent(.foreignKey) }
            let standing = key.standing(at: now)
            try rules.admit(standing)
            // Two keys of the same kind do not count as two factors.
            guard !signers.contains(where: { $0.key.kind == key.kind }) else { throw .spent(.unknownKey) }
            signers.append(Signer(proof: proof, key: key, standing: standing))
        }
        return signers
    }

    /// Throws unless each proof of a key that is to be registered names that key and this challenge.
    private func check(_ registrations: [RegisteredKey], _ opened: Opened) throws(Refusal) {
        for key in registrations {
            guard let proof = key.proof else { continue }
            guard proof.kid == key.kid else { throw .spent(.unknownKey) }
            guard proof.challenge == opened.challenge else { throw .spent(.foreignKey) }
        }
    }

    // MARK: Steps

    private mutating func ask(_ request: Request, _ next: State) -> Step {
        state = next
        return .ask(request)
    }

    private mutating func spend(_ opened: Opened, then refusal: Refusal, by key: EnrolledKey? = nil) -> Step {
        ask(.spend(opened.spends, refusal, by: key), .spending(refusal))
    }

    private mutating func end(_ result: Result<Committed, Refusal>) -> Step {
        state = .ended
        return .end(result)
    }
}

// MARK: What differs by intent

extension Ceremony.Intent {
    func rules(byTicket: Bool) -> CeremonyRules {
        switch self {
        case .signIn: .signIn
        case .stepUp: .stepUp
        case .approve: .approve
        case .changeKeys(let change): byTicket ? .replaceKeyByTicket : change.key == nil ? .removeKey : .bringKey
        case .enrol: .enrol
        }
    }

    /// The proofs of keys that are to be registered.
    var registrationProofs: [String] {
        switch self {
        case .signIn, .stepUp, .approve: []
        case .changeKeys(let change): change.key?.proof.map { [$0] } ?? []
        case .enrol(let enrolment): enrolment.keys.compactMap(\.proof)
        }
    }

    /// Whether the challenge's claim `act` is for this intent.
    func isFor(_ act: String?) -> Bool {
        switch self {
        case .signIn, .enrol: act == nil
        case .stepUp(let stepUp): act == stepUp.act
        case .approve(let approval): act == approval.id.text
        // Whether it brings a key decides about the row, so the challenge must say the same.
        case .changeKeys(let change): act.flatMap(KeyChange.init(rawValue:))?.bringsKey == (change.key != nil)
        }
    }

    /// The keys of the challenge that may authorise the intent. In a change that brings a key, the first one is the new
    /// key, which cannot authorise its own registration.
    func kidsThatMayAnswer(_ claims: ChallengeClaims) -> ArraySlice<String> {
        guard case .changeKeys(let change) = self, change.key != nil else { return claims.kids[...] }
        return claims.kids.dropFirst()
    }

    /// Judges keys of these standings by the intent's own policy.
    func judge(
        _ standings: [KeyStanding], _ opened: Ceremony.Opened, _ found: Ceremony.Found, at now: UnixTime
    ) throws(Ceremony.Refusal) -> Ceremony.Judgement {
        switch self {
        // It is not known when after the challenge it was signed.
        case .signIn: .init(commit: .session(authTime: opened.claims.iat, granted: nil))
        case .stepUp(let stepUp): try stepUp.judge(standings, opened, at: now)
        case .approve(let approval): try approval.judge(standings, opened, found, at: now)
        case .changeKeys(let change): try change.judge(standings, opened, found, at: now)
        case .enrol(let enrolment): try enrolment.judge(opened, at: now)
        }
    }
}
#endif
