#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The one sequence in which a proof is judged, whatever it is for. The order is the rule:
///
/// 1. Open the ticket and the challenge: they are the server's own, alive, and for this purpose.
/// 2. Authenticate the caller: its DPoP proof is by the session key that the challenge names. Until here nothing is spent, so a
///    stolen proof can neither be used nor used up. From here on all of it is spent, also when a proof is wrong.
/// 3. Tell what each key stands for, and whether that is enough.
/// 4. Refuse a key that pauses: none of its signatures is judged.
/// 5. Check the signatures, a PIN key's last: what is told of a PIN is told only where nothing else is wrong, and is counted.
/// 6. Count a wrong one at its key.
/// 7. Commit: the store spends, judges the standing again, and carries out what was authorised, in one transaction. The answer
///    leaves after it.
///
/// It is a value without input and output. Each call returns what has to be read or written next; the caller does that, and hands
/// the answer to `handle`. What differs between purposes is a row of `CeremonyRules`.
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
    ///   - proofs: those by enrolled keys; the proofs of keys that are to be registered come with the intent.
    ///   - ticket: the ticket that authorises it in the place of enrolled keys.
    init(_ intent: Intent, proofs: [String] = [], ticket: String? = nil, jkt: String) {
        self.intent = intent
        rules = intent.rules(byTicket: ticket != nil)
        self.proofs = proofs
        self.ticket = ticket
        self.jkt = jkt
    }

    /// What the ceremony is for.
    enum Intent: Sendable {
        case signIn
        case stepUp(StepUpIntent)
        case approve(ApprovalIntent)
        case changeKeys(KeyChangeIntent)
        case enrol(EnrolmentIntent)
    }

    /// What has to be done outside.
    enum Request: Sendable {
        case openTicket(String)
        case openChallenge(String, Purpose)
        /// These keys, possibly as they were a while ago.
        case findKeys([String])
        /// The device of the caller's session key.
        case findDevice
        /// The device of the caller's session key, and this approval.
        case findApproval(ApprovalID)
        case spend([Spend])
        case countWrongSignature(kid: String, spending: [Spend])
        case commit(Commit, Authorisation)
    }

    enum Answer: Sendable {
        case ticket(Tickets.Right)
        case challenge(ChallengeClaims, Spend)
        /// The ticket or the challenge is none that can be opened.
        case notOpened(VerificationError)
        case found(Found)
        case spent
        /// Wrong signatures in a row; nil where the challenge was spent before, or the key is gone.
        case counted(Int?)
        case committed(CommitOutcome<Committed>)
    }

    struct Found: Sendable {
        var keys: [EnrolledKey] = []
        var device: EnrolledDevice?
        var approval: ApprovalView?
    }

    /// What was authorised.
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
        /// Refused before the caller was authenticated: nothing was spent.
        case unopened(VerificationError)
        case spent(VerificationError)
        case paused(Duration)
        case wrongPIN(inARow: Int)
        /// The step-up table has no answer for the action.
        case denied(StepUpTable.Unasked)
        /// The keys may be right, and the step-up table demands more.
        case unmet
    }

    enum Step: Sendable {
        case ask(Request)
        case end(Result<Committed, Refusal>)
    }

    private enum State: Sendable {
        case ready
        case openingTicket
        case openingChallenge(String, Tickets.Right?)
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
        /// The ticket, where one authorises.
        var ticket: Tickets.Right?
        var spends: [Spend]
    }

    /// What the intent's own policy makes of the keys: what is to be committed, and the keys that have to prove themselves first.
    struct Judgement {
        var commit: Commit
        var registrations: [RegisteredKey] = []
    }

    // MARK: The sequence

    /// The first step.
    mutating func begin() -> Step {
        // How many keys there are is known by their proofs; of a ticket, what it is worth only once it is open.
        guard let ticket else {
            guard rules.takes(.keys(proofs)) else { return end(.failure(.unopened(.malformed))) }
            return openChallenge(nil)
        }
        guard proofs.isEmpty, !rules.isByKeys else { return end(.failure(.unopened(.malformed))) }
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
        case (.openingChallenge(let challenge, let ticket), .challenge(let claims, let spend)):
            guard claims.cnf.jkt == jkt else { return end(.failure(.unopened(.foreignKey))) }
            guard intent.isFor(claims.act) else { return end(.failure(.unopened(.wrongPurpose))) }
            let spends = [spend] + (ticket.map { [$0.spend] } ?? [])
            return find(Opened(challenge: challenge, claims: claims, ticket: ticket, spends: spends), at: now)
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
            // The same answer as to a wrong PIN: a key that is used up no longer tells which one is right.
            case .disabled: return end(.failure(.wrongPIN(inARow: PINLedger.limit)))
            }
        case (.ready, _), (.openingTicket, _), (.openingChallenge, _), (.finding, _), (.spending, _), (.counting, _),
            (.committing, _), (.ended, _):
            preconditionFailure("an answer belongs to the request before it")
        }
    }

    private mutating func openChallenge(_ ticket: Tickets.Right?) -> Step {
        // The proof that carries it may be broken: a broken attempt is an attempt.
        guard let challenge = (proofs + intent.registrationProofs).lazy.compactMap(UnverifiedProof.challenge).first else {
            return end(.failure(.unopened(.malformed)))
        }
        return ask(.openChallenge(challenge, rules.challenge), .openingChallenge(challenge, ticket))
    }

    private mutating func find(_ opened: Opened, at now: UnixTime) -> Step {
        let read: [UnverifiedProof]
        do throws(VerificationError) {
            let kids = intent.kidsThatMayAnswer(opened.claims)
            read = try proofs.map { text throws(VerificationError) in
                let proof = try UnverifiedProof(text)
                guard proof.challenge == opened.challenge else { throw .foreignKey }
                guard kids.contains(proof.kid) else { throw .unknownKey }
                return proof
            }
        } catch {
            return spend(opened, then: .spent(error))
        }
        switch intent {
        case .signIn, .stepUp: return ask(.findKeys(read.map(\.kid)), .finding(opened, read))
        case .approve(let approval): return ask(.findApproval(approval.id), .finding(opened, read))
        case .changeKeys: return ask(.findDevice, .finding(opened, read))
        // All of its keys are in the request.
        case .enrol: return judge(opened, read, Found(), at: now)
        }
    }

    private mutating func judge(_ opened: Opened, _ proofs: [UnverifiedProof], _ found: Found, at now: UnixTime) -> Step {
        let signers: [Signer]
        let judgement: Judgement
        do throws(Refusal) {
            signers = try self.signers(proofs, found, at: now)
            judgement = try intent.judge(signers.map(\.standing), opened, found, at: now)
            try check(judgement.registrations, opened)
        } catch {
            return spend(opened, then: error)
        }
        for case .paused(let until) in signers.lazy.map(\.standing.state) { return spend(opened, then: .paused(until - now)) }
        for registration in judgement.registrations {
            guard let proof = registration.proof else { continue }
            do throws(VerificationError) {
                verifications += 1
                try proof.verify(by: registration.key)
            } catch {
                return spend(opened, then: .spent(error))
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
            rules: rules, spends: opened.spends, grounds: opened.ticket.map { .ticket($0) } ?? .keys(signers.map(\.key.kid)),
            jkt: jkt
        )
        return ask(.commit(judgement.commit, authorisation), .committing)
    }

    /// A proof, the enrolled key that claims to have made it, and what that key stands for.
    private struct Signer {
        var proof: UnverifiedProof
        var key: EnrolledKey
        var standing: KeyStanding
    }

    /// The key of each proof: it is enrolled on the device of the caller's session key, and may authorise this.
    private func signers(_ proofs: [UnverifiedProof], _ found: Found, at now: UnixTime) throws(Refusal) -> [Signer] {
        var signers: [Signer] = []
        do throws(VerificationError) {
            for proof in proofs {
                guard let key = found.keys.first(where: { $0.kid == proof.kid }) else { throw .unknownKey }
                guard key.sessionJKT == jkt else { throw .foreignKey }
                let standing = key.standing(at: now)
                try rules.admit(standing)
                // No factor answers twice.
                guard !signers.contains(where: { $0.key.kind == key.kind }) else { throw .unknownKey }
                signers.append(Signer(proof: proof, key: key, standing: standing))
            }
        } catch {
            throw .spent(error)
        }
        return signers
    }

    /// Each proof of a key that is to be registered is by that key, over this challenge.
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

    private mutating func spend(_ opened: Opened, then refusal: Refusal) -> Step {
        ask(.spend(opened.spends), .spending(refusal))
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

    /// Whether the challenge's claim `act` says this.
    func isFor(_ act: String?) -> Bool {
        switch self {
        case .signIn, .enrol: act == nil
        case .stepUp(let stepUp): act == stepUp.act
        case .approve(let approval): act == approval.id.text
        // Whether it brings a key decides about the row, so the challenge must say the same.
        case .changeKeys(let change): act.flatMap(KeyChange.init(rawValue:))?.bringsKey == (change.key != nil)
        }
    }

    /// The keys of the challenge that may authorise it. The first key of a change that brings one is the new key, and no key
    /// vouches for itself.
    func kidsThatMayAnswer(_ claims: ChallengeClaims) -> ArraySlice<String> {
        guard case .changeKeys(let change) = self, change.key != nil else { return claims.kids[...] }
        return claims.kids.dropFirst()
    }

    /// What the intent's own policy makes of keys of these standings.
    func judge(
        _ standings: [KeyStanding], _ opened: Ceremony.Opened, _ found: Ceremony.Found, at now: UnixTime
    ) throws(Ceremony.Refusal) -> Ceremony.Judgement {
        switch self {
        case .signIn: .init(commit: .session(authTime: nil, granted: nil))
        case .stepUp(let stepUp): try stepUp.judge(standings, opened, at: now)
        case .approve(let approval): try approval.judge(standings, opened, found, at: now)
        case .changeKeys(let change): try change.judge(standings, opened, found)
        case .enrol(let enrolment): try enrolment.judge(opened)
        }
    }
}
#endif
