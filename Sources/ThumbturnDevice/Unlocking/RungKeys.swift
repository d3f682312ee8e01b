import ThumbturnCore

/// The keys behind the rungs of one flow: an account's keys, which sign a server's challenge, or the copies of a
/// vault's key, which the platform releases.
///
/// A flow asks them twice for each prompt: before it, which key the prompt is for, and after it, to sign or to be
/// released. Each kind has an output of its own, so that a vault's unlock cannot become a proof for a server, nor the
/// reverse.
protocol RungKeys: Sendable {
    associatedtype Use: KeyUse
    /// What a key gives: a signature, or the key itself.
    associatedtype Output: Sendable

    /// Whether the keys may answer a prompt that is shown now; otherwise `refresh` comes first.
    func isFresh() async -> Bool

    /// Fetches what the keys need for the next prompt. It may take long, and needs no screen. A failure ends the flow: there
    /// is nothing to sign.
    func refresh() async throws(Failure)

    /// Whether using the key of a rung asks the server, which may take long.
    func asksTheServer(_ rung: Rung) -> Bool

    /// The key of a rung and what it will do; nil where the rung has no key. A failure ends the flow.
    func use(for rung: Rung) async throws(Failure) -> Use?

    /// Has the key sign, or has the platform release it.
    func unlock(_ rung: Rung, _ use: Use, with permit: Permit) async throws(Failure) -> Output
}

/// One use of one key, as it was announced to its prompt.
protocol KeyUse: Sendable {
    var key: KeyName { get }
    /// What the key will sign; empty where the key itself is released.
    var message: [UInt8] { get }
}

/// What a prompt gave, so that one key may be used once.
enum Permit: Sendable {
    /// A match, as the platform reported it.
    case presence(Presence)
    /// A PIN that has not been judged yet.
    case pin(PIN)

    var answer: SensorAnswer {
        switch self {
        case .presence: .matched
        case .pin: .entered
        }
    }
}

/// How an unlock ended.
enum UnlockEnd<Output: Sendable>: Sendable {
    /// The rung of the ladder that answered, and what its key gave; then what the policy's additional rungs gave.
    case granted(Rung, Output, additional: [Output])
    case failed(Failure)
}
