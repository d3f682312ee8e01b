/// How much each user of the machine asks of the matcher: so many connections at once, and so many questions a minute.
///
/// Fingers that do not match have a limit of their own, in the throttle.
struct MatcherGuests: Sendable {
    private var guests: [UInt32: Guest] = [:]

    private struct Guest {
        var open = 0
        var minute: Int64 = 0
        var asked = 0
    }

    /// An unlock has one connection open, beside looks at the state.
    static let mostOpen = 4
    /// An unlock is three questions; so many in a minute are more than six unlocks each second, and no person does that.
    static let mostAMinute = 1_200

    /// Counts a question, and says whether it is answered. What is answered has to `leave`.
    ///
    /// - Parameter seconds: of a clock that nobody sets.
    mutating func admit(_ id: UInt32, at seconds: Int64) -> Bool {
        var guest = guests[id] ?? Guest()
        if guest.minute != seconds / 60 { (guest.minute, guest.asked) = (seconds / 60, 0) }
        guest.asked += 1
        let isAdmitted = guest.open < Self.mostOpen && guest.asked <= Self.mostAMinute
        if isAdmitted { guest.open += 1 }
        guests[id] = guest
        return isAdmitted
    }

    /// A question was answered, and its connection is over.
    mutating func leave(_ id: UInt32) { guests[id]?.open -= 1 }
}
