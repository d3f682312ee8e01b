public import ThumbturnCore

/// The port to the app's own PIN screen. It collects digits and does not judge them.
public protocol PINEntry: Sendable {
    /// Asks for the PIN. Cancelling the task dismisses the screen, and the call returns when it is gone.
    func enter(_ request: PINRequest) async -> PINAnswer

    /// Asks for a new PIN. One that `isEasilyGuessed` is refused afterwards, so a screen should say so at once. The
    /// screen decides whether the person types it twice.
    func choose() async -> PINAnswer
}

/// The contents of the PIN screen.
public struct PINRequest: Sendable, CustomStringConvertible {
    /// Why the person is asked, in the app's words.
    public var reason: String
    /// The text of the cancel button.
    public var cancelButton: UnlockFlow.CancelButton
    /// How many wrong PINs were entered since the last right one, on this device.
    public var wrongInARow: Int
    /// The name of the device's sensor, for a cancel button that leads to it; nil where it is not known.
    public var sensor: SensorName?

    /// Describes a screen to show.
    public init(reason: String, cancelButton: UnlockFlow.CancelButton, wrongInARow: Int, sensor: SensorName? = nil) {
        self.reason = reason
        self.cancelButton = cancelButton
        self.wrongInARow = wrongInARow
        self.sensor = sensor
    }

    /// Which try it is, without the reason: that of an approval names an amount and a payee.
    public var description: String { "PIN screen, try \(wrongInARow + 1)" }
}

/// How the PIN screen ended.
public enum PINAnswer: Sendable {
    /// The person confirmed a PIN.
    case entered(PIN)
    /// The person cancelled, or the app failed. No attempt is counted.
    case failed(Failure)
}

extension PINAnswer: CustomStringConvertible {
    /// The answer in words, without the PIN.
    public var description: String {
        switch self {
        case .entered: "entered"
        case .failed(let failure): "failed: \(failure.code)"
        }
    }
}
