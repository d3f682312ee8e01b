#if Server
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Runs ceremonies against the store, the secrets and the counters.
extension AuthorizationServer {
    /// Runs a ceremony to its end. Throws `RequestError` if it is refused, and before anything is verified or consumed if
    /// the device has proved too often in the last minute.
    func run(_ ceremony: Ceremony) async throws -> Ceremony.Committed {
        let (jkt, rules) = (ceremony.jkt, ceremony.rules)
        var ceremony = ceremony
        defer { counters.verifications.wrappingAdd(ceremony.verifications, ordering: .relaxed) }
        var step = ceremony.begin()
        while true {
            switch step {
            case .ask(let request): step = ceremony.handle(try await answer(request, jkt, rules), at: time.now)
            case .end(.success(let committed)): return committed
            case .end(.failure(let refusal)): throw RequestError(refusal, rules)
            }
        }
    }

    private func answer(
        _ request: Ceremony.Request, _ jkt: String, _ rules: CeremonyRules
    ) async throws -> Ceremony.Answer {
        switch request {
        case .openTicket(let ticket):
            do throws(VerificationError) {
                return .ticket(try tickets.verify(ticket, jkt: jkt, at: time.now))
            } catch {
                return .notOpened(error)
            }
        case .openChallenge(let challenge, let purpose):
            do {
                let (claims, spend) = try await verified(challenge, for: purpose)
                return .challenge(claims, spend)
            } catch let error as VerificationError {
                return .notOpened(error)
            }
        case .findKeys(let kids):
            var found = Ceremony.Found()
            // A sign-in takes every assurance that is enough, so it may look at a key as it was a moment ago. A step-up may be
            // refused for too little of it.
            let mayBeOld = rules.challenge == .signIn
            for kid in kids {
                if let key = mayBeOld ? try await store.knownKey(kid) : try await store.key(kid) { found.keys.append(key) }
            }
            // The caller is authenticated as the holder of this session key.
            if let key = found.keys.first(where: { $0.sessionJKT == jkt }) { try admit(key.device) }
            return .found(found)
        case .findDevice:
            let device = try await store.device(withSessionKey: jkt)
            if let device { try admit(device.id) }
            return .found(.init(keys: device?.keys ?? [], device: device))
        case .findApproval(let id):
            let device = try await store.device(withSessionKey: jkt)
            if let device { try admit(device.id) }
            return .found(.init(keys: device?.keys ?? [], device: device, approval: try await store.approval(id)))
        case .spend(let spends, let refusal, let key):
            // A refusal of an unknown or revoked key is only counted, so that its holder cannot fill the log.
            var event = key.flatMap { $0.isRevoked ? nil : $0 }.map {
                AuditEvent(.refused, by: $0, reason: RequestError(refusal, rules).reason.code)
            }
            if case .evidence(_, of: let account) = refusal {
                event = AuditEvent(.refused, account: account, reason: RequestError(refusal, rules).reason.code)
            }
            _ = try await store.spend(spends, recording: event)
            return .spent
        case .countWrongSignature(let kid, let spends):
            return .counted(try await store.countWrongSignature(of: kid, spending: spends))
        case .commit(let commit, let authorisation):
            await beforeSpending()
            return .committed(try await perform(commit, by: authorisation))
        }
    }

    /// Counts a proof or another change that writes to the audit log, by the holder of a device's key. Throws if it is
    /// beyond the rate of a device.
    func admit(_ device: DeviceID) throws(RequestError) {
        guard let rate = settings.proofsOfDevice else { return }
        if let wait = deviceRates.wait(of: device, perMinute: rate, at: time.now) {
            throw .tooManyRequests(.init(.device, .limit), retryAfter: wait)
        }
    }

    private func perform(
        _ commit: Ceremony.Commit, by authorisation: Authorisation
    ) async throws -> CommitOutcome<Ceremony.Committed> {
        switch commit {
        case .session(let authTime, let granted):
            let id = SessionID.random(at: time.now, time.moment)
            // The refresh token of a step-up is given to no client, and its hash is not stored, so it can never be
            // used.
            let refreshToken = refreshTokens.token(of: id, generation: 0)
            let new = NewSession(
                id: id, tokenHash: granted == nil ? RefreshTokens.hash(refreshToken) : [], authTime: authTime, granted: granted
            )
            return try await store.openSession(new, by: authorisation).map {
                counters.spends.count()
                counters.sessions.count()
                metrics.countSession(granted == nil ? .signIn : .stepUp)
                return .session($0, refreshToken: refreshToken)
            }
        case .approval(let signature):
            return try await store.approve(signature, by: authorisation).map { .approval($0, signedBy: signature.account) }
        case .keys(let change): return try await store.change(change, by: authorisation).map { .device($0) }
        case .device(let device): return try await store.enrol(device, by: authorisation).map { .device($0) }
        }
    }
}

extension CommitOutcome {
    fileprivate func map<Other>(_ transform: (Value) -> Other) -> CommitOutcome<Other> {
        switch self {
        case .done(let value): .done(transform(value))
        case .refused: .refused
        case .disabled: .disabled
        case .insufficient: .insufficient
        case .full(let quota): .full(quota)
        }
    }
}

extension Ceremony.Committed {
    var session: (view: SessionView, refreshToken: String) {
        guard case .session(let view, let refreshToken) = self else { preconditionFailure("this ceremony opens a session") }
        return (view, refreshToken)
    }

    var approval: (view: ApprovalView, account: AccountID) {
        guard case .approval(let view, let account) = self else { preconditionFailure("this ceremony signs an approval") }
        return (view, account)
    }

    var device: DeviceView {
        guard case .device(let device) = self else { preconditionFailure("this ceremony changes a device") }
        return device
    }
}

extension RequestError {
    /// The answer to a refused ceremony. All refusals of one form are the same bytes, except for two values that only
    /// the holder of the key's session key gets: the length of a pause or of a cool-off, and the number of tries that
    /// are left.
    init(_ refusal: Ceremony.Refusal, _ rules: CeremonyRules) {
        func refused(_ reason: LogReason) -> RequestError {
            switch rules.refusal {
            case .invalidGrant: .invalidGrant(reason)
            case .unauthorised: .unverified(reason)
            }
        }
        switch refusal {
        case .unopened(let error), .spent(let error):
            self = refused(.init(rules.log, error))
            // The request came without the session key that it needs, so it is counted against its network.
            isByStranger = error == .foreignKey || error == .unknownKey
        case .evidence(let error, of: _):
            self = refused(.init(rules.log, evidence: error.reason))
            explanation = error.explanation
            isNoted = true
        case .paused(let wait):
            self = refused(.init(.proof, .paused))
            problem.retryAfter = wait.components.seconds
        case .coolsOff(let rest):
            self = refused(.init(rules.log, .coolingOff))
            rest.tell(in: &problem)
        case .wrongPIN(let inARow):
            self = refused(.init(.proof, .wrongPIN))
            problem.triesLeft = max(0, PINLedger.limit - inARow)
        case .denied(let unasked):
            self = RequestError(.malformed, 400, .invalidRequest, for: .init(.stepUp, unasked))
        case .full(let quota): self = .full(quota)
        case .unmet:
            self = RequestError(
                .stepUpRequired, 400, .unmetAuthenticationRequirements, for: .init(.stepUp, .unmet))
        }
    }
}
#endif
