public import ThumbturnCore

/// An ask that the person answered: which one, when, and for which account or vault.
///
/// Only this library makes one. It is worth nothing once an `AppLockModel` has locked the app, the person was dismissed,
/// the keys were revoked or the place got another owner since the ask began: whatever takes one checks that. It prints only its
/// rung.
public struct AnsweredAsk: Sendable, Redacted {
    /// The rung whose key answered.
    public let rung: Rung
    /// The ask, from before its first prompt.
    let act: PersonAct
    /// Whether several calls have had it: they asked the same question at once, or it stood in for a later one.
    private(set) var isShared: Bool
    /// When the last key was opened.
    let at: Moment
    /// Why the success opens no lock and approves no sheet; nil if it does. A vault that was made again after it was deleted may
    /// be another person's, and so may a sign-in for which the person was not verified.
    var lockProblem: Failure?

    /// Throws `lockProblem`.
    func checkOpensLocks() throws(Failure) { if let lockProblem { throw lockProblem } }

    var asker: String { act.asker }
    var tick: Tick { act.tick }
    var prompts: PromptCoordinator { act.prompts }

    /// The same success for a later call, in place of a prompt.
    var reused: AnsweredAsk {
        var reused = self
        reused.isShared = true
        return reused
    }

    /// Whether no lock, absence, dismissal or revocation of this process has come since the ask began.
    var isLive: Bool { act.isLive }

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
