#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The differences between the ceremonies: one row for each. `Ceremony` has what is the same for all of them: the
/// order, the binding to the session key, the consumption of the challenge, and that a wrong signature is counted
/// against the enrolled key that should have made it.
///
/// Plain clients have no row here. They have no session key, so no caller can be authenticated; their sign-in names no
/// key, so the same number of keys is tried for every account; and a wrong signature is counted against the network.
/// They share the `DeviceChangeRules` for tickets.
package struct CeremonyRules: Hashable, Sendable {
    /// The purpose that the challenge must have.
    let challenge: Purpose
    /// What authorises the ceremony.
    let authority: Authority
    /// The factors of which each authorising key must show one; see `KeyStanding.factor`. If a device vouches with a
    /// ticket, the key of the vouching session must show one of them.
    let factors: Set<KeyKind>
    /// Whether the keys of a device during its cool-off may authorise the ceremony.
    let coolingOffMay: Bool
    /// The ceremony's name in the operator's log.
    let log: LogReason.Subject
    /// The form of a refusal: `invalid_grant` at the token endpoint (RFC 6749 section 5.2), and status 401 elsewhere.
    let refusal: RefusalForm

    enum Authority: Hashable, Sendable {
        /// The signatures of this number of enrolled keys, each of another kind.
        case keys(ClosedRange<Int>)
        /// A ticket that was issued for full credentials.
        case ticket
        /// A ticket that was issued for full credentials, or to a vouching device of the account.
        case ticketOrDevice
    }

    enum RefusalForm: Hashable, Sendable { case invalidGrant, unauthorised }

    /// Opens a session.
    static let signIn = CeremonyRules(
        challenge: .signIn, authority: .keys(1...2), factors: [.biometric, .passcode, .pin], coolingOffMay: true,
        log: .proof, refusal: .invalidGrant)

    /// Grants one action, if the demands of `StepUpTable` are met.
    static let stepUp = CeremonyRules(
        challenge: .stepUp, authority: .keys(1...2), factors: [.biometric, .passcode, .pin], coolingOffMay: false,
        log: .proof, refusal: .invalidGrant)

    /// Adds a signature to an approval, if its `ApprovalDemand` accepts the key.
    static let approve = CeremonyRules(
        challenge: .approve, authority: .keys(1...1), factors: [.biometric, .pin], coolingOffMay: false,
        log: .approval, refusal: .unauthorised)

    /// Adds or replaces a key, if `KeyChangeRules` allow it.
    static let bringKey = CeremonyRules(
        challenge: .manage, authority: .keys(1...1), factors: [.biometric, .passcode, .pin], coolingOffMay: false,
        log: .keyChange, refusal: .unauthorised)

    /// Removes a key, if `KeyChangeRules` allow it. A device may not do so during its cool-off: credentials may have
    /// brought one of its keys, and the owner may lose the others.
    static let removeKey = CeremonyRules(
        challenge: .manage, authority: .keys(1...1), factors: [.biometric, .passcode, .pin], coolingOffMay: false,
        log: .keyChange, refusal: .unauthorised)

    /// Replaces a key with full credentials, if `KeyChangeRules` and `SignInFreshness` allow it. Full credentials enrol a
    /// device, so they may replace its keys as well.
    static let replaceKeyByTicket = CeremonyRules(
        challenge: .manage, authority: .ticket, factors: [], coolingOffMay: true,
        log: .keyChange, refusal: .unauthorised)

    /// Enrols a device with its keys.
    package static let enrol = CeremonyRules(
        challenge: .enrol, authority: .ticketOrDevice, factors: [.biometric, .pin], coolingOffMay: false,
        log: .enrolment, refusal: .unauthorised)

    static let table: [CeremonyRules] = [signIn, stepUp, approve, bringKey, removeKey, replaceKeyByTicket, enrol]

    /// Whether this authorises it: so many keys, or a ticket of the right kind.
    package func takes(_ grounds: Authorisation.Grounds) -> Bool {
        switch (authority, grounds) {
        case (.keys(let count), .keys(let kids)): count.contains(kids.count)
        // The ticket of a vouching device authorises an enrolment and nothing else.
        case (.ticket, .ticket(let ticket)): ticket.voucher == nil
        case (.ticketOrDevice, .ticket): true
        case (.keys, .ticket), (.ticket, .keys), (.ticketOrDevice, .keys): false
        }
    }

    /// Throws if a key of this standing cannot authorise the ceremony, whatever it signs.
    func admit(_ standing: KeyStanding) throws(Ceremony.Refusal) {
        guard standing.state != .gone, factors.contains(standing.factor) else { throw .spent(.unknownKey) }
        guard standing.isEnough else { throw .unmet }
        if !coolingOffMay, let rest = standing.coolOff { throw .coolsOff(rest) }
    }
}
#endif
