/// What a platform needs for the app's PIN: a screen of the app, and a key behind it.
public struct PINSupport: Sendable {
    /// The app's PIN screen.
    public var entry: any PINEntry
    /// The keys that a PIN opens.
    public var key: any PINKey
    /// Let one guess at each key through at a time, so that two of them are counted as two.
    let gates = SerialGates()

    /// A PIN screen and the keys behind it. Make one value for each key store of the device: guesses at one key
    /// through one value, and through its copies, wait for each other.
    public init(entry: any PINEntry, key: any PINKey) {
        self.entry = entry
        self.key = key
    }
}
