#if Server
import GRDB

extension Schema {
    static func registerTelemetry(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("35 telemetry") { db in
            try db.execute(
                sql: """
                    -- Counts of unlocks by the day in days since 1970 and by what they are counted, in JSON. `devices` is a sketch of
                    -- hashes. Rows have some thousand bytes, which a table without rowids would not keep well.
                    CREATE TABLE telemetry_cells (
                        day INTEGER NOT NULL,
                        context TEXT NOT NULL,
                        -- Whether a batch with a write key brought the cell.
                        by_key INTEGER NOT NULL,
                        tally BLOB NOT NULL,
                        devices BLOB NOT NULL,
                        PRIMARY KEY (day, context)
                    ) STRICT;
                    -- For the number of cells of a day.
                    CREATE INDEX telemetry_cells_of_day ON telemetry_cells (day, by_key);
                    -- The hashes of the names of batches that were counted.
                    CREATE TABLE telemetry_batches (
                        id BLOB PRIMARY KEY,
                        seen_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX telemetry_batches_by_time ON telemetry_batches (seen_at);
                    -- Write keys: the SHA-256 of each.
                    CREATE TABLE telemetry_keys (
                        name TEXT PRIMARY KEY,
                        hash BLOB NOT NULL UNIQUE,
                        created_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE telemetry_salts (
                        day INTEGER PRIMARY KEY,
                        salt BLOB NOT NULL
                    ) STRICT;
                    """
            )
        }
    }
}
#endif
