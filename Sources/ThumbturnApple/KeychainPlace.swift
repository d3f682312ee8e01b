import Foundation

/// Where in the keychain everything of this library lies.
public struct KeychainPlace: Hashable, Sendable {
    /// Marks what is ours among the app's items. Another place sees nothing of this one.
    public var service: String
    /// The keychain access group that an app shares with its extensions or with other apps of its team, with the team's prefix; nil for
    /// what is the app's own.
    public var accessGroup: String?

    /// A place. Two that differ share nothing.
    ///
    /// - Parameters:
    ///   - service: nil for a name of this library's. Without an access group it also names this app, because items without a group go to
    ///     the first group of the app's entitlement, which other apps of the team may have, too.
    ///   - accessGroup: with the team's prefix; nil for what is the app's own.
    public init(service: String? = nil, accessGroup: String? = nil) {
        let own = accessGroup == nil ? Bundle.main.bundleIdentifier.map { "thumbturn \($0)" } : nil
        self.service = service ?? own ?? "thumbturn"
        self.accessGroup = accessGroup
    }

    /// The service of our secrets and the label of our keys. The group is a part of it, because a query that names none finds items of
    /// every group that the app may see.
    var mark: String { Spelled.text([service] + (accessGroup.map { [$0] } ?? [])) }
}

/// Texts as one text, each with its length before it, so that no two lists of texts are spelled alike.
enum Spelled {
    static func text(_ texts: [String]) -> String { texts.map { "\($0.utf8.count):\($0)" }.joined() }
}
