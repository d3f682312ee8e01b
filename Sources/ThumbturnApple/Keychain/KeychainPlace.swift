import Foundation

/// The part of the keychain in which this library keeps its keys and items.
public struct KeychainPlace: Hashable, Sendable {
    /// The name that marks this library's items among the app's. Two places do not see each other's items.
    public let service: String
    /// The keychain access group that an app shares with its extensions or with other apps of its team, with the team's
    /// prefix; nil for items that belong to the app.
    public let accessGroup: String?

    /// The app's bundle identifier, if the place belongs to this app only. Items without a group go to the first group
    /// of the app's entitlement, which its extensions and other apps of the team may have as well. An item that carries
    /// this identifier belongs to no other app.
    let app: String?

    /// Creates a place. Two different places share nothing.
    ///
    /// - Parameters:
    ///   - service: the name that separates the places of one app.
    ///   - accessGroup: the access group, with the team's prefix; nil for items that belong to the app. An extension
    ///     counts as another app.
    public init(service: String = "thumbturn", accessGroup: String? = nil) {
        self.init(service: service, accessGroup: accessGroup, app: Bundle.main.bundleIdentifier)
    }

    init(service: String, accessGroup: String?, app: String?) {
        self.service = service
        self.accessGroup = accessGroup
        self.app = accessGroup == nil ? app : nil
    }

    /// The service of our secrets and the label of our keys. The group or the app is a part of it, because a query that
    /// names no group finds items of every group that the app may see.
    var mark: String {
        Spelled.text([service] + (accessGroup.map { ["group", $0] } ?? app.map { ["app", $0] } ?? []))
    }
}

/// Joins texts into one, each with its length before it, so that two different lists never give the same text.
enum Spelled {
    static func text(_ texts: [String]) -> String { texts.map { "\($0.utf8.count):\($0)" }.joined() }
}
