#if Server
package import ThumbturnCore
package import ThumbturnMessages
import ThumbturnVerifier

/// Judges signed liveness evidence, and returns the highest level that it shows for this challenge; nil if it shows
/// none.
package typealias LivenessJudge = @Sendable (_ evidence: String, _ challenge: String, _ now: UnixTime) -> FurtherProof?

/// The fresh proof of presence for one action.
struct StepUpIntent: Sendable {
    /// The claim `act` of the challenge: the action with its amount.
    var act: String
    var ask: ActionAsk
    var table: StepUpTable
    /// The signed evidence of a liveness check.
    var liveness: String?
    var livenessJudge: LivenessJudge?

    /// The grant for these keys and this evidence. The signatures have not been checked yet: a refusal here comes
    /// before a PIN is judged, so it reveals nothing about the PIN.
    func judge(
        _ standings: [KeyStanding], _ opened: Ceremony.Opened, at now: UnixTime
    ) throws(Ceremony.Refusal) -> Ceremony.Judgement {
        let demand: ActionDemand
        do throws(StepUpTable.Unasked) {
            demand = try table.demand(for: ask)
        } catch {
            throw .denied(error)
        }
        let factors = standings.map(\.factor)
        var shown: [FurtherProof] = Set(factors).isSuperset(of: [.biometric, .pin]) ? [.twoKeys] : []
        if let liveness {
            guard let level = livenessJudge?(liveness, opened.challenge, now) else { throw .spent(.wrongSignature) }
            shown.append(level)
        }
        let trusted = standings.filter { $0.assurance.meets(demand.assurance) }
        guard demand.takes(trusted.map(\.factor)), demand.isMet(by: shown) else { throw .unmet }
        // The proof's age is counted from the challenge, because the time of the signature is not known.
        let grant = ActionGrant(ask, keys: factors, shown: shown, once: demand.signsEach)
        return .init(commit: .session(authTime: opened.claims.iat, granted: grant))
    }
}

extension StepUpIntent {
    /// The grant for a session that an unlock opened; nil where the demand takes no unlock, and where this one is too old or
    /// by a key that the demand does not take.
    static func grant(_ ask: ActionAsk, _ demand: ActionDemand, byUnlock session: SessionView, at now: UnixTime) -> ActionGrant? {
        guard demand.takesUnlock, demand.isMet(by: []), session.granted == nil,
            let standing = session.standing(at: now), standing.state == .active,
            CeremonyRules.stepUp.coolingOffMay || !standing.coolsOff,
            standing.assurance.meets(demand.assurance), demand.takes([standing.factor]),
            let age = TokenTimes.age(of: session.authTime, at: now), age <= demand.maximumAge
        else { return nil }
        return ActionGrant(ask, keys: [standing.factor], shown: [], once: false, byUnlock: true)
    }
}

extension LivenessVendors {
    /// The highest level that the evidence shows, by the same judgement as an approval's.
    func level(of evidence: String, for challenge: String, at now: UnixTime) -> FurtherProof? {
        let levels: [(LivenessLevel, FurtherProof)] = [(.high, .highLiveness), (.substantial, .substantialLiveness)]
        return levels.first { level, _ in (try? judge(evidence, for: challenge, demanding: level, at: now)) != nil }?.1
    }
}
#endif
