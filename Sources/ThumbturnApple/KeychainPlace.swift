/// Where in the keychain everything of this library lies.
public struct KeychainPlace: Hashable, Sendable {
    /// Marks what is ours: the service of secrets, and part of every key's tag. Another place sees nothing of this one.
    public var service: String
    /// The keychain access group that an app shares with its extensions, with the team's prefix; nil for the app's own.
    public var accessGroup: String?

    /// A place. Two that differ share nothing.
    public init(service: String = "thumbturn", accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }
}
