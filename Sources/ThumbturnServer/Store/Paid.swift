#if Server
/// What a proof paid for.
package enum Paid<Result: Sendable>: Sendable {
    case done(Result)
    case refused
    /// The paying key is a PIN key that took too many wrong PINs. It is told before anything else could be, whether or not this
    /// PIN was right.
    case disabled
}
#endif
