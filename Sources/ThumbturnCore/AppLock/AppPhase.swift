/// An app's place on the screen.
public enum AppPhase: String, Hashable, Sendable, Codable, CaseIterable {
    /// The app has the screen and the input.
    case front
    /// The app is visible without input: the app switcher, or a sheet of the system such as the app's own prompt.
    case inactive
    /// The app is not visible, or the device is locked: then nothing is asked, even where the system would still draw
    /// the app.
    case back
}

extension AppPhase: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
