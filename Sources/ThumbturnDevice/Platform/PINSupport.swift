/// What a platform needs for the app's PIN: a screen of the app, and a key behind it.
public struct PINSupport: Sendable {
    /// The app's PIN screen.
    public var entry: any PINEntry
    /// The keys that a PIN opens.
    public var key: any PINKey

    /// Combines a PIN screen and the keys behind it.
    public init(entry: any PINEntry, key: any PINKey) {
        self.entry = entry
        self.key = key
    }
}
