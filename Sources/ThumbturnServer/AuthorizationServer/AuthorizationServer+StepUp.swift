#if Server
package import ThumbturnCore
import ThumbturnVerifier

/// Judges signed liveness evidence: the highest level that it shows for this very challenge; nil where it is not good.
package typealias LivenessJudge = @Sendable (_ evidence: String, _ challenge: String, _ now: UnixTime) -> FurtherProof?

extension AuthorizationServer {
    /// What the table demands for the claim `act` of a step-up. What it has no answer for is denied before anybody is asked for a
    /// finger.
    func demand(for act: String) throws(RequestError) -> (ask: ActionAsk, demand: ActionDemand) {
        guard let ask = ActionAsk(text: act) else { throw .malformed() }
        do throws(StepUpTable.Unasked) {
            return (ask, try settings.stepUp.current.demand(for: ask))
        } catch {
            throw .denied(.init(.stepUp, error))
        }
    }

    /// What these keys and this evidence are good for; throws where the table demands more. The keys have not signed yet: this comes
    /// before a PIN is judged, so that the answer says nothing of one.
    func judge(
        _ act: String, by keys: [EnrolledKey], _ liveness: String?, over challenge: String
    ) throws -> ActionGrant {
        let (ask, demand) = try demand(for: act)
        // A key that the passcode brought stands for no more than the passcode.
        func standing(_ key: EnrolledKey) -> KeyKind { key.enrolledBy == .passcode ? .passcode : key.kind }
        let kinds = keys.map(standing)
        var shown: [FurtherProof] = Set(kinds).isSuperset(of: [.biometric, .pin]) ? [.twoKeys] : []
        if let liveness { shown.append(try level(of: liveness, over: challenge)) }
        let trusted = keys.filter { assurance(of: $0.kind).meets(demand.assurance) }
        guard demand.takes(trusted.map(standing)), demand.isMet(by: shown) else {
            throw RequestError.unmet(.init(.stepUp, .unmet))
        }
        return ActionGrant(ask, keys: kinds, shown: shown, once: demand.signsEach)
    }

    /// The highest level that the evidence reaches.
    private func level(of liveness: String, over challenge: String) throws -> FurtherProof {
        guard let level = livenessJudge?(liveness, challenge, time.now) else { throw VerificationError.wrongSignature }
        return level
    }

    /// What the token of a step-up says of its action.
    func grant(of session: SessionView) -> ActionGrant? {
        session.granted.flatMap { try? WireJSON.decode(ActionGrant.self, from: Array($0.utf8)) }
    }
}

extension LivenessVendors {
    /// The same judgement as an approval's.
    func level(of evidence: String, for challenge: String, at now: UnixTime) -> FurtherProof? {
        let levels: [(LivenessLevel, FurtherProof)] = [(.high, .highLiveness), (.substantial, .substantialLiveness)]
        return levels.first { level, _ in (try? judge(evidence, for: challenge, demanding: level, at: now)) != nil }?.1
    }
}

extension RequestError {
    /// The table has no answer for what is asked: no key can help.
    static func denied(_ reason: LogReason) -> RequestError {
        RequestError(.malformed, 400, .invalidRequest, for: reason)
    }

    /// The keys may be right, and the table demands more than them.
    static func unmet(_ reason: LogReason) -> RequestError {
        RequestError(.stepUpRequired, 400, .unmetAuthenticationRequirements, for: reason)
    }
}
#endif
