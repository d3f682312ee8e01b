import Foundation

/// Where in the keychain everything of this library lies.
public struct KeychainPlace: Hashable, Sendable {
    /// Marks what is ours among the app's items. Another place sees nothing of this one.
    public let service: String
    /// The keychain access group that an app shares with its extensions or with other apps of its team, with the team's prefix; nil for
    /// what is the app's own.
    public let accessGroup: String?

    /// The app's own name, where the place is this app's alone. Items without a group go to the first group of the app's entitlement, which
    /// its extensions and other apps of the team may have, too; what carries this name is nobody else's.
    let app: String?

    /// A place. Two that differ share nothing.
    ///
    /// - Parameters:
    ///   - service: tells places of one app from each other.
    ///   - accessGroup: with the team's prefix; nil for what is the app's own. An extension is another app here.
    public init(service: String = "thumbturn", accessGroup: String? = nil) {
        self.init(service: service, accessGroup: accessGroup, app: Bundle.main.bundleIdentifier)
    }

    init(service: String, accessGroup: String?, app: String?) {
        self.service = service
        self.accessGroup = accessGroup
        self.app = accessGroup == nil ? app : nil
    }

    /// The service of our secrets and the label of our keys. The group, or the app, is a part of it, because a query that names no group
    /// finds items of every group that the app may see.
    var mark: String {
        Spelled.text([service] + (accessGroup.map { ["group", $0] } ?? app.map { ["app", $0] } ?? []))
    }
}

/// Texts as one text, each with its length before it, so that no two lists of texts are spelled alike.
enum Spelled {
    static func text(_ texts: [String]) -> String { texts.map { "\($0.utf8.count):\($0)" }.joined() }
}
