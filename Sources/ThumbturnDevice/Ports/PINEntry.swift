public import ThumbturnCore

/// The port to the app's own PIN screen. It collects digits and judges none.
public protocol PINEntry: Sendable {
    /// Asks for the PIN. Cancelling the task takes the screen away, and the call returns when it is gone.
    func enter(_ request: PINRequest) async -> PINAnswer

    /// Asks for a new PIN. One that `isEasilyGuessed` is refused afterwards, so a screen does well to say so at once. Whether it is
    /// typed twice is the screen's own affair.
    func choose() async -> PINAnswer
}

/// What the PIN screen says.
public struct PINRequest: Sendable {
    /// The app's words: why the person is asked.
    public var reason: String
    /// What the cancel button says.
    public var cancelButton: UnlockFlow.CancelButton
    /// How many wrong PINs there were since the last right one, on this device.
    public var wrongInARow: Int

    /// A screen to show.
    public init(reason: String, cancelButton: UnlockFlow.CancelButton, wrongInARow: Int) {
        self.reason = reason
        self.cancelButton = cancelButton
        self.wrongInARow = wrongInARow
    }
}

/// How the PIN screen ended.
public enum PINAnswer: Sendable {
    /// The person entered a PIN. It is not judged yet.
    case entered(PIN)
    /// Cancelled, or an error of the app. No attempt is counted.
    case failed(Failure)
}
