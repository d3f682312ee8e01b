/// Where an app is on the screen.
public enum AppPhase: String, Hashable, Sendable, Codable, CaseIterable {
    /// It has the screen to itself.
    case front
    /// It is seen and has no input: the app switcher, or a sheet of the system such as a prompt of its own.
    case inactive
    /// It is not seen, or the device is locked: then nothing is asked, also where the system would still draw it.
    case back
}
