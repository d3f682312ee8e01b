/// The action of the simulated person at the reader when a finger is requested.
public enum Press: Sendable {
    /// The n-th press of a finger. Enrolment uses the negative scans, so no scan from zero on was enrolled.
    case finger(SyntheticFinger, scan: Int)
    /// A press with this image.
    case image(FingerImage)
    /// The reader asks for another try. See `VirtualReader.retry(_:)` for the codes.
    case retry(Int32)
    /// The reader fails. See `VirtualReader.fail(_:)` for the codes.
    case fail(Int32)
    /// The reader is unplugged.
    case unplug
    /// The person does nothing, and the request stays open.
    case nothing
}

extension Press {
    /// The same press with its image drawn, which takes some milliseconds.
    var drawn: Press {
        if case .finger(let finger, let n) = self { .image(finger.scan(n)) } else { self }
    }
}
