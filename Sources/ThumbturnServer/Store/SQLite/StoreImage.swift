#if Server
import GRDB

/// What a store held at one moment, in memory. It never changes.
package final class StoreImage: Sendable {
    private let database: DatabaseQueue

    init(of source: any SQLPool) throws {
        guard let source = source as? SQLitePool else { preconditionFailure("an image is one of SQLite") }
        database = try Self.empty()
        try source.base.backup(to: database)
    }

    /// A database of its own with the contents of an image; with the tables alone if there is none.
    static func copy(of image: StoreImage?) throws -> DatabaseQueue {
        let copy = try empty()
        if let image {
            try image.database.backup(to: copy)
        } else {
            try Schema.migrator.migrate(copy)
        }
        return copy
    }

    private static func empty() throws -> DatabaseQueue {
        var configuration = Configuration()
        // Most tables have few rows, and a copy takes the time of its pages.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA page_size = 1024") }
        return try DatabaseQueue(configuration: configuration)
    }
}
#endif
