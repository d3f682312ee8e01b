#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// A change of the keys of an enrolled device: a key is added, replaced or removed. The challenge's claim `act` names
/// the change.
struct KeyChangeIntent: Sendable {
    /// The new key with its own proof; nil if a key is removed.
    var key: KeyRegistration?
    var policy: KeyChangeRules
    /// The length of the device's cool-off after a change by a ticket. `SignInFreshness` says when it begins although the
    /// account has no other device.
    var coolOff: Duration
    var evidence = EvidenceClaim()

    func judge(
        _ standings: [KeyStanding], _ opened: Ceremony.Opened, _ found: Ceremony.Found, at now: UnixTime
    ) throws(Ceremony.Refusal) -> Ceremony.Judgement {
        var (keys, new): (NewKeys, RegisteredKey?)
        do throws(VerificationError) {
            guard let device = found.device, let change = opened.claims.act.flatMap(KeyChange.init(rawValue:)) else {
                throw .unknownKey
            }
            if let ticket = opened.ticket {
                guard ticket.account == device.account, policy.allow(change, by: .credentials, on: device) else {
                    throw .foreignKey
                }
                guard ticket.freshness.worth.changesKeys else { throw .insufficient }
            } else {
                guard let standing = standings.first, policy.allow(change, by: .key(standing), on: device) else {
                    throw .unknownKey
                }
            }
            new = try newKey(change, opened.claims, beside: device.keys)
            keys = NewKeys(
                device: device.id, kind: change.kind, old: device.keys.first { $0.kind == change.kind }?.kid,
                new: new.map { .init(kid: $0.kid, kind: $0.kind, x963: $0.key.x963, isActive: true) }, coolOff: coolOff
            )
        } catch {
            throw .spent(error)
        }
        // A PIN key has no evidence: nothing that is computed from its public half may be sent.
        guard let new, new.kind != .pin else { return .init(commit: .keys(keys), registrations: new.map { [$0] } ?? []) }
        do throws(EvidenceRefusal) {
            keys.evidence = try evidence.judge(
                [new], over: opened.challenge, jkt: opened.claims.cnf.jkt, of: found.device?.account, at: now)
        } catch {
            throw .evidence(error, of: found.device?.account)
        }
        return .init(commit: .keys(keys), registrations: [new], spends: keys.evidence?.spends ?? [])
    }

    /// The new key, which has to sign this challenge and whose id has to be the first one in it.
    private func newKey(
        _ change: KeyChange, _ claims: ChallengeClaims, beside others: [EnrolledKey]
    ) throws(VerificationError) -> RegisteredKey? {
        guard let key else { return nil }
        guard key.kind == change.kind else { throw .malformed }
        let new = try RegisteredKey(key)
        guard new.proof != nil, new.kid == claims.kids.first else { throw .unknownKey }
        // One key must not count as two factors, and a key cannot replace itself. PIN keys are not compared: an
        // attacker who has the device's half of a derived PIN key would learn from the answer whether a PIN is right,
        // and the guess would not be counted.
        guard !others.contains(where: { $0.kind != .pin && $0.x963 == new.key.x963 }) else { throw .unacceptableKey }
        return new
    }
}
#endif
