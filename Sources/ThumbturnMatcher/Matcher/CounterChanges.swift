/// How often a user's enrolment counter was changed in the TPM within an hour.
///
/// The TPM's memory bears a limited number of writes, so a user who enrols and removes fingers in a loop is made to
/// wait. A biometric key cannot sign meanwhile: the matcher signs only once the counter stands for the present prints.
package struct CounterChanges: Hashable, Sendable, Codable {
    private(set) var count = 0
    /// When the hour began, in seconds since boot.
    private(set) var start: Int64 = 0
    private(set) var boot = ""

    /// Changes in an hour. A person who sets up ten fingers one by one, with a sign-in after each, stays below it.
    package static let limit = 12
    private static let hour: Int64 = 3600

    /// The seconds until a change is allowed. After a restart of the machine the whole hour begins again, with the
    /// count.
    mutating func wait(at now: Int64, boot: String) -> Int64 {
        if boot != self.boot || now < start { (self.boot, start) = (boot, now) }
        if now - start >= Self.hour { (count, start) = (0, now) }
        return count < Self.limit ? 0 : start + Self.hour - now
    }

    /// Counts a change, before it is made.
    mutating func began() { count += 1 }
}
