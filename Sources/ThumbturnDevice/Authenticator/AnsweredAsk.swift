public import ThumbturnCore

/// An ask that the person answered: which one, when, and for which account or vault.
///
/// Only this library makes one. It is worth nothing once an `AppLockModel` has locked the app, the person was dismissed
/// or the keys were revoked since the ask began: whatever takes one checks that. It prints only its rung.
public struct AnsweredAsk: Sendable, Redacted {
    /// The rung whose key answered.
    public let rung: Rung
    /// The account or the vault that asked.
    let asker: String
    /// The tick of the ask, from before its first prompt.
    let tick: Tick
    /// Whether several calls have had it: they asked the same question at once, or it stood in for a later one.
    private(set) var isShared: Bool
    /// When the last key was opened.
    let at: Moment
    /// The line of prompts that the ask was in. Its ticks mean nothing in another one.
    let prompts: PromptCoordinator
    /// What the place had when the ask began.
    let mark: PlaceMark
    /// Reads what it has now; nil where that cannot be read.
    let readMark: @Sendable () async -> PlaceMark?

    /// The same success for a later call, in place of a prompt.
    var reused: AnsweredAsk {
        var reused = self
        reused.isShared = true
        return reused
    }

    /// Whether no lock, absence, dismissal or revocation has come since the ask began.
    var isLive: Bool { prompts.isLive(tick, of: asker) }

    /// Whether the enrolment or the vault that answered is still the one of the place, and no process has switched the sensor
    /// off since the ask began.
    func isOfThePlace() async -> Bool { await readMark() == mark }

    /// Whether a process has dismissed the person since the ask began, as far as the place shows it; also where that cannot
    /// be read. What another process only forgets is written nowhere, and cannot be told.
    func wasDismissedElsewhere() async -> Bool { await readMark()?.isOfThePerson(of: mark) != true }

    /// Whether its account or vault was dismissed since the ask began.
    var wasDismissed: Bool { prompts.wasDismissed(tick, of: asker) }

    /// The rung, without the account.
    public var description: String { "answered by \(rung.rawValue)" }
}

/// The success of an unlock: it names the ask that the person answered. `Grant` and `LocalUnlock` are the two of this
/// library.
///
/// A type of an app may conform by handing on the `AnsweredAsk` that it was given; it cannot make one.
public protocol UnlockSuccess: Sendable {
    /// The ask that was answered.
    var answered: AnsweredAsk { get }
}

extension AnsweredAsk: UnlockSuccess {
    /// Itself.
    public var answered: AnsweredAsk { self }
}

/// What dismissals, enrolments and deletions leave in the place of an account or a vault, whichever process made them.
struct PlaceMark: Equatable, Sendable {
    /// The count of the sensor's switch.
    var dismissals: Int
    /// The live enrolment, or the vault's number; nil where there is none.
    var number: Int?
    /// The id of the account that the enrolment belongs to, where the server named it.
    var account: String?

    /// Whether the person of an earlier mark was not dismissed until this one. A person may enrol anew.
    func isOfThePerson(of earlier: PlaceMark) -> Bool {
        dismissals == earlier.dismissals && (number == earlier.number || account != nil && account == earlier.account)
    }
}
