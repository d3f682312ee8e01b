/// What the person at the reader does when they are asked for a finger.
public enum Press: Sendable {
    /// The n-th press of a finger. Enrolment uses the negative scans, so every scan from zero on is new to the matcher.
    case finger(SyntheticFinger, scan: Int)
    case image(FingerImage)
    /// The reader asks to try again; see `VirtualReader.retry(_:)` for the codes.
    case retry(Int32)
    /// The reader fails; see `VirtualReader.fail(_:)` for the codes.
    case fail(Int32)
    /// Somebody pulls the reader out.
    case unplug
    /// The person does nothing, and the request stays open.
    case nothing
}

extension Press {
    /// The same press with its picture drawn, which takes some milliseconds.
    var drawn: Press {
        if case .finger(let finger, let n) = self { .image(finger.scan(n)) } else { self }
    }
}
