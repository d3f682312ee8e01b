import ThumbturnCore

/// What an unlock gives: something that a key made, or a key itself. Each driver has one kind, so a vault's unlock cannot become a
/// proof for a server, nor the reverse.
protocol Unlocking: Sendable {
    /// What the flow is shown, so that there is no grant without it.
    var receipt: Proof { get }
}

extension Proof: Unlocking {
    var receipt: Proof { self }
}

/// How a driver's run ended.
enum UnlockEnd<Output: Unlocking>: Sendable {
    /// The rung that answered, and what it gave.
    case granted(Rung, Output, also: [Output])
    case failed(Failure)
}
