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
    /// When the last key was opened.
    let at: Moment
    /// The line of prompts that the ask was in. Its ticks mean nothing in another one.
    let prompts: PromptCoordinator

    /// Whether no lock, absence, dismissal or revocation has come since the ask began.
    var isLive: Bool { prompts.isLive(tick, of: asker) }

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
