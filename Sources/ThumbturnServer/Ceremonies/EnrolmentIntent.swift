#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The enrolment of a device with its keys. Either all keys are enrolled, or none is.
struct EnrolmentIntent: Sendable {
    /// The id that the device gets.
    var device: DeviceID
    var name: String
    var keys: [KeyRegistration]
    /// The length of the device's cool-off. `SignInFreshness` says when it begins although the account has no other device.
    var coolOff: Duration
    var ifEnrolled: IfEnrolled
    /// The level of liveness that each enrolment demands; nil if it demands none.
    var demandedLiveness: LivenessLevel?
    /// The signed evidence of a liveness check.
    var liveness: String?
    var vendors = LivenessVendors()
    var evidence = EvidenceClaim()

    func judge(_ opened: Ceremony.Opened, at now: UnixTime) throws(Ceremony.Refusal) -> Ceremony.Judgement {
        var (new, keys): (NewDevice, [RegisteredKey])
        do throws(VerificationError) {
            guard let ticket = opened.ticket else { throw .malformed }
            try judgeLiveness(over: opened.challenge, at: now)
            keys = try registeredKeys(opened.claims)
            new = NewDevice(
                id: device, account: ticket.account, name: name, sessionJKT: opened.claims.cnf.jkt,
                keys: keys.map { .init(kid: $0.kid, kind: $0.kind, x963: $0.key.x963, isActive: $0.proof != nil) },
                coolOff: coolOff
            )
            new.ifEnrolled = ifEnrolled
        } catch {
            throw .spent(error)
        }
        do throws(EvidenceRefusal) {
            new.evidence = try evidence.judge(keys, over: opened.challenge, jkt: opened.claims.cnf.jkt, of: new.account, at: now)
        } catch {
            throw .evidence(error, of: new.account)
        }
        return .init(commit: .device(new), registrations: keys, spends: new.evidence?.spends ?? [])
    }

    private func judgeLiveness(over challenge: String, at now: UnixTime) throws(VerificationError) {
        switch (demandedLiveness, liveness) {
        case (nil, nil): break
        case (_?, nil): throw .insufficient
        // Evidence that was not demanded is not judged, and must not look as if it counted.
        case (nil, _?): throw .malformed
        case (let level?, let evidence?): try vendors.judge(evidence, for: challenge, demanding: level, at: now)
        }
    }

    /// The keys, if they may be enrolled together under this challenge.
    private func registeredKeys(_ claims: ChallengeClaims) throws(VerificationError) -> [RegisteredKey] {
        guard Set(keys.map(\.kind)).count == keys.count else { throw .malformed }
        let new = try keys.map { key throws(VerificationError) in try RegisteredKey(key) }
        // One key must not count as two factors.
        guard Set(new.map(\.key)).count == new.count else { throw .unacceptableKey }
        // The challenge names exactly these keys, so a signature over it vouches for all of them.
        guard Set(new.map(\.kid)) == Set(claims.kids), claims.kids.count == new.count else { throw .unknownKey }
        func isProven(_ kind: KeyKind) -> Bool { new.contains { $0.kind == kind && $0.proof != nil } }
        guard isProven(.session), new.contains(where: { $0.kind == .session && $0.key.thumbprint == claims.cnf.jkt }) else {
            throw .foreignKey
        }
        guard new.contains(where: { $0.kind.userVerification > .none && $0.proof != nil }) else { throw .wrongSignature }
        // Only a passcode key may come without a proof of its own, and only with a proven biometric key; a PIN key is
        // not enough.
        guard new.allSatisfy({ $0.proof != nil || ($0.kind == .passcode && isProven(.biometric)) }) else { throw .wrongSignature }
        return new
    }
}
#endif
