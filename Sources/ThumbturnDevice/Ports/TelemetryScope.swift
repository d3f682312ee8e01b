import ThumbturnCore

/// The accounts and vaults whose reports a `TelemetrySender` is given.
///
/// A sender that names an account to its server, as a session does, takes that account's reports only: other persons, servers and
/// vaults of the app are none of that server's business.
public struct TelemetryScope: Sendable {
    /// The marks of the reports as they are now; nil for the reports of all.
    private let owners: (@Sendable () async -> Set<ReportOwner>?)?

    /// The reports of every account and vault that the queue hears of. Only for a sender whose server learns of no account, such
    /// as one with a write key.
    public static let everyone = TelemetryScope(owners: nil)

    /// - Parameter owners: the marks of the reports as they are now; nil if they cannot be read now.
    static func only(_ owners: @escaping @Sendable () async -> Set<ReportOwner>?) -> TelemetryScope {
        TelemetryScope(owners: owners)
    }

    private init(owners: (@Sendable () async -> Set<ReportOwner>?)?) { self.owners = owners }

    /// The reports that may go now; nil if that cannot be told now, as before the device's first unlock.
    func reports() async -> Reports? {
        guard let owners else { return .all }
        return await owners().map { .only($0) }
    }

    /// The reports of a scope at one time.
    enum Reports: Hashable, Sendable {
        case all
        case only(Set<ReportOwner>)

        /// - Parameter owners: nil for all.
        init(_ owners: [ReportOwner]?) { self = owners.map { .only(Set($0)) } ?? .all }

        /// Nil for all.
        var owners: Set<ReportOwner>? { if case .only(let owners) = self { owners } else { nil } }

        /// Whether a report is one of them. One of an unknown owner goes only where all go.
        func contains(_ report: UnlockReport) -> Bool {
            switch self {
            case .all: true
            case .only(let owners): report.owner.map(owners.contains) ?? false
            }
        }
    }
}

extension TelemetryScope: CustomStringConvertible {
    /// `everyone`, or `some accounts and vaults`.
    public var description: String { owners == nil ? "everyone" : "some accounts and vaults" }
}
