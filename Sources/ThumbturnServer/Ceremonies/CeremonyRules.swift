#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// What differs between the ceremonies: one row for each. What a row does not say is the same for all of them, and stands in
/// `Ceremony`: the order, the binding to the session key, what is spent, and that a wrong signature counts at the enrolled key
/// that should have made it.
///
/// Plain clients stay apart: they have no session key, so there is no caller to authenticate; their answer names no key, so as
/// many keys are tried for every account; and a wrong signature counts at the address. They share the ticket's
/// `DeviceChangeRules`.
package struct CeremonyRules: Hashable, Sendable {
    /// The purpose that the challenge must have.
    let challenge: Purpose
    /// What authorises the ceremony.
    let authority: Authority
    /// The factors of which each authorising key must show one; see `KeyStanding.factor`. Of a ticket that a device gave: the
    /// factors that the giving session must rest on.
    let factors: Set<KeyKind>
    /// Whether the keys of a device that cools off may authorise it.
    let coolingOffMay: Bool
    /// What the operator's log calls it.
    let log: LogReason.Subject
    /// How the refusal is worded: for the token endpoint as RFC 6749 section 5.2 says, else as status 401.
    let refusal: RefusalForm

    enum Authority: Hashable, Sendable {
        /// The signatures of so many enrolled keys, each of another kind.
        case keys(ClosedRange<Int>)
        /// A ticket, which stands for full credentials.
        case ticket
        /// A ticket, which full credentials or a device of the account gave.
        case ticketOrDevice
    }

    enum RefusalForm: Hashable, Sendable { case invalidGrant, unauthorised }

    /// Opens a session.
    static let signIn = CeremonyRules(
        challenge: .signIn, authority: .keys(1...2), factors: [.biometric, .passcode, .pin], coolingOffMay: true,
        log: .proof, refusal: .invalidGrant)

    /// Grants one action, where `StepUpTable` is satisfied.
    static let stepUp = CeremonyRules(
        challenge: .stepUp, authority: .keys(1...2), factors: [.biometric, .passcode, .pin], coolingOffMay: true,
        log: .proof, refusal: .invalidGrant)

    /// Adds a signature to an approval, where its `ApprovalDemand` takes the key.
    static let approve = CeremonyRules(
        challenge: .approve, authority: .keys(1...1), factors: [.biometric, .pin], coolingOffMay: false,
        log: .approval, refusal: .unauthorised)

    /// Brings a key in, where `KeyChangeRules` allow it.
    static let bringKey = CeremonyRules(
        challenge: .manage, authority: .keys(1...1), factors: [.biometric, .passcode, .pin], coolingOffMay: false,
        log: .keyChange, refusal: .unauthorised)

    /// Takes a key away, where `KeyChangeRules` allow it: a device that cools off may always have less.
    static let removeKey = CeremonyRules(
        challenge: .manage, authority: .keys(1...1), factors: [.biometric, .passcode, .pin], coolingOffMay: true,
        log: .keyChange, refusal: .unauthorised)

    /// Replaces a key, where `KeyChangeRules` allow it to full credentials: they enrol a device, so they replace its keys too.
    static let replaceKeyByTicket = CeremonyRules(
        challenge: .manage, authority: .ticket, factors: [], coolingOffMay: true,
        log: .keyChange, refusal: .unauthorised)

    /// Enrols a device with its keys.
    static let enrol = CeremonyRules(
        challenge: .enrol, authority: .ticketOrDevice, factors: [.biometric, .pin], coolingOffMay: false,
        log: .enrolment, refusal: .unauthorised)

    static let table: [CeremonyRules] = [signIn, stepUp, approve, bringKey, removeKey, replaceKeyByTicket, enrol]

    /// Whether enrolled keys authorise it, and not a ticket.
    var isByKeys: Bool {
        guard case .keys = authority else { return false }
        return true
    }

    /// Whether this authorises it: so many keys, or a ticket of the right kind.
    package func takes(_ grounds: Authorisation.Grounds) -> Bool {
        switch (authority, grounds) {
        case (.keys(let count), .keys(let kids)): count.contains(kids.count)
        // A device that vouches for another one brings it in, and no more.
        case (.ticket, .ticket(let ticket)): ticket.voucher == nil
        case (.ticketOrDevice, .ticket): true
        case (.keys, .ticket), (.ticket, .keys), (.ticketOrDevice, .keys): false
        }
    }

    /// Throws where a key of this standing authorises nothing here, whatever it signs.
    func admit(_ standing: KeyStanding) throws(VerificationError) {
        guard standing.state != .gone, factors.contains(standing.factor) else { throw .unknownKey }
        guard coolingOffMay || !standing.coolsOff else { throw .notYetValid }
    }
}
#endif
