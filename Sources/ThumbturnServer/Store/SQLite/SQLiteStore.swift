#if Server
import Foundation
import GRDB
package import ThumbturnCore
import ThumbturnMessages

/// The store in one SQLite file: WAL, `synchronous=FULL`, group commit. Several processes may share the file.
package final class SQLiteStore: Store {
    let pool: DatabasePool
    let writer: GroupCommit
    let recentKeys = RecentKeys()
    let time: NodeTime
    let mark: CommitMark
    package let wasRestored: Bool

    /// Opens the file, and brings its tables up to date.
    package init(path: String, time: NodeTime) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        let mark = try CommitMark(beside: path)
        self.mark = mark
        pool = try DatabasePool(path: path, configuration: configuration)
        guard try !pool.read(Schema.migrator.hasBeenSuperseded) else { throw SetupError.newerDatabase(path) }
        try Schema.migrator.migrate(pool)
        // GRDB opens WAL files with synchronous=NORMAL, which may lose acknowledged commits when the power fails.
        let mode = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            return try db.one(Int.self, sql: "PRAGMA synchronous")
        }
        guard mode == Self.full else { throw StoreError.notDurable }
        self.time = time
        wasRestored = try Schema.beginEpochIfRestored(pool, mark, at: time.now)
        let epoch = try pool.read { try Int64.fetchOne($0, sql: "SELECT epoch FROM node") }
        let checkpoints = try Checkpoints(of: path)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        writer = GroupCommit(pool: pool, time: time, mark: mark, checkpoints: checkpoints, epoch: epoch ?? 0)
        time.observe(
            UnixTime(seconds: try pool.read { try Int64.fetchOne($0, sql: "SELECT high_water FROM node") } ?? 0)
        )
    }

    private static let full = 2

    /// The writer's settings, read back: `synchronous` (2 is FULL) and `journal_mode`.
    package func durability() throws -> (synchronous: Int?, journal: String?) {
        try pool.writeWithoutTransaction { db in
            (try db.one(Int.self, sql: "PRAGMA synchronous"), try db.one(String.self, sql: "PRAGMA journal_mode"))
        }
    }

    // MARK: Reading

    package func account(named name: String) async throws -> Account? {
        try await pool.read { db in
            // An unknown name reads the row of another account, so that the time does not tell. Nor does it tell who has one-time
            // codes: where there is no secret, as many bytes are read as of a sealed one (nonce 12, secret 20, tag 16).
            let statement = try db.cachedStatement(
                sql: """
                    SELECT id, name, password_hash, one_time_secret IS NOT NULL AS asks,
                        coalesce(one_time_secret, zeroblob(48)) AS secret
                    FROM accounts WHERE id >= coalesce((SELECT id FROM accounts WHERE name = ?), zeroblob(16)) ORDER BY id LIMIT 1
                    """
            )
            let row = try Row.fetchOne(statement, arguments: [name])
            return row.flatMap { row in
                var account = Account(id: identifier(row["id"]), name: row["name"], passwordHash: row["password_hash"])
                let secret = Array(row["secret"] as Data)
                account.oneTimeSecret = row["asks"] ? secret : nil
                return account.name == name ? account : nil
            }
        }
    }

    package func key(_ kid: String) async throws -> EnrolledKey? {
        try await pool.read { try Self.key(kid, in: $0) }
    }

    package func knownKey(_ kid: String) async throws -> EnrolledKey? {
        // Taken before the read: what was read while an epoch ended is not taken for the next one's.
        let epoch = writer.currentEpoch
        if let known = recentKeys[kid, in: epoch] { return known }
        let found = try await key(kid)
        // A key that is gone is not worth the memory, an unproven one may yet become another device's, and a pause has to be told.
        if let found, found.wrongInARow == 0, found.standing(at: time.now).state == .active {
            recentKeys.remember(found, in: epoch)
        }
        return found
    }

    package func session(_ id: SessionID) async throws -> SessionView? {
        try await pool.read { try Self.session(id, in: $0) }
    }

    package func devices(of account: AccountID) async throws -> [DeviceView] {
        try await pool.read { db in
            let ids = try db.all(
                Data.self, sql: "SELECT id FROM devices WHERE account_id = ? AND revoked_at IS NULL ORDER BY enrolled_at, id",
                arguments: [blob(account.bytes)]
            )
            return try ids.compactMap { try Self.device(identifier($0), in: db) }
        }
    }

    // MARK: Writing

    package func addAccount(_ account: Account) async throws -> Bool {
        try await writer.write { db, now in
            try db.run(
                sql: "INSERT INTO accounts (id, name, password_hash, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [blob(account.id.bytes), account.name, account.passwordHash, now.seconds]
            )
            return db.changesCount == 1
        }
    }

    package func device(withSessionKey jkt: String) async throws -> EnrolledDevice? {
        try await pool.read { db in
            guard let session = try Self.key(jkt, in: db), session.kind == .session, !session.isRevoked,
                let row = try db.one(
                    Row.self, sql: "SELECT account_id, cools_off_until FROM devices WHERE id = ?",
                    arguments: [blob(session.device.bytes)]
                )
            else { return nil }
            let kids = try db.all(
                String.self, sql: "SELECT kid FROM keys WHERE device_id = ? AND retired_at IS NULL ORDER BY kind",
                arguments: [blob(session.device.bytes)]
            )
            return EnrolledDevice(
                id: session.device, account: identifier(row["account_id"]),
                coolsOffUntil: UnixTime(seconds: row["cools_off_until"]), keys: try kids.compactMap { try Self.key($0, in: db) }
            )
        }
    }

    package func rotate(_ rotation: Rotation) async throws -> Rotation.Outcome {
        try await writer.write { db, now in
            guard let session = try Self.session(rotation.session, in: db), session.isLive,
                let row = try db.one(
                    Row.self, sql: "SELECT rotated_at FROM sessions WHERE id = ?", arguments: [blob(rotation.session.bytes)]
                )
            else { return .over }
            guard session.sessionJKT == rotation.jkt else {
                // A leaked token may be sent any number of times; its owner hears of it once an hour.
                try Self.note(
                    .foreignKey, of: session.account, session.device, atMostEvery: .seconds(3600), in: db, at: now)
                return .foreign
            }
            let rotatedAt = UnixTime(seconds: row["rotated_at"])
            guard now - session.authTime < rotation.lifetime, now - rotatedAt < rotation.idleLimit else { return .over }

            if rotation.generation == session.generation {
                try db.cachedStatement(
                    sql: """
                        UPDATE sessions SET generation = generation + 1, token_hash = ?, rotated_at = ?
                        WHERE id = ? AND generation = ? AND token_hash = ? AND ended_at IS NULL
                        """
                ).execute(
                    arguments: [
                        blob(rotation.successorHash), now.seconds, blob(rotation.session.bytes), rotation.generation,
                        blob(rotation.tokenHash),
                    ]
                )
                guard db.changesCount == 1, let rotated = try Self.session(rotation.session, in: db) else { return .over }
                return .rotated(rotated)
            }
            // The live generation is the successor of the one before it, and nobody has used it yet: had they, it would not be live.
            if rotation.generation &+ 1 == session.generation, now - rotatedAt <= rotation.grace {
                return .repeated(session)
            }
            try db.run(
                sql: "UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL",
                arguments: [now.seconds, blob(rotation.session.bytes)]
            )
            try Self.note(.refreshTokenReused, of: session.account, session.device, in: db, at: now)
            return .reused
        }
    }

    package func secrets(
        checking check: @escaping @Sendable (SealedSecret) throws -> Void,
        renewing isDue: @escaping @Sendable (SealedSecret) -> Bool,
        make: @escaping @Sendable (SecretUse, UnixTime) throws -> SealedSecret
    ) async throws -> (secrets: [SealedSecret], epoch: Int64) {
        try await writer.write(adopting: true) { db, now in
            var secrets = try db.all(
                Row.self, sql: "SELECT id, use, created_at, sealed FROM secrets ORDER BY created_at DESC, id"
            ).compactMap(Self.secret)
            try secrets.forEach(check)
            for use in SecretUse.allCases {
                if let newest = secrets.first(where: { $0.use == use }), !isDue(newest) { continue }
                let made = try make(use, now)
                try Self.insert(made, in: db)
                secrets.insert(made, at: 0)
            }
            // The last two challenge secrets cover the longest life of a challenge many times over.
            for old in secrets.filter({ $0.use == .challenge }).dropFirst(2) {
                try db.run(sql: "DELETE FROM secrets WHERE id = ?", arguments: [old.id])
            }
            let epoch = try db.one(Int64.self, sql: "SELECT epoch FROM node")
            return (secrets, epoch ?? 0)
        }
    }

    package func purge(sessionsBefore: UnixTime) async throws {
        try await writer.write { db, now in
            try db.run(sql: "DELETE FROM spent WHERE expires_at <= ?", arguments: [now.seconds])
            // By their ids, which begin with the time, so that the others are not even looked at.
            try db.run(
                sql: "DELETE FROM sessions WHERE id < ? AND auth_time <= ?",
                arguments: [blob(SessionID.first(after: sessionsBefore).bytes), sessionsBefore.seconds]
            )
            try Self.forgetNotices(in: db, at: now)
            try Self.forgetThrottles(in: db, at: now)
            try db.run(sql: "UPDATE node SET purged_until = max(purged_until, ?)", arguments: [now.seconds])
        }
    }

    // MARK: Keys

    static func areFree(_ keys: [NewDevice.Key], in db: Database) throws -> Bool {
        try keys.allSatisfy { try isFree($0.kid, forItsHolder: $0.isActive, in: db) }
    }

    /// Neither a device's nor a plain client's: none is ever both. A key that was registered without its own proof reserves nothing:
    /// whoever proves it may have it.
    static func isFree(_ kid: String, forItsHolder isProven: Bool, in db: Database) throws -> Bool {
        let taken = try db.one(
            Int.self,
            sql: """
                SELECT (SELECT count(*) FROM keys WHERE kid = ?1 AND (active_since IS NOT NULL OR NOT ?2))
                    + (SELECT count(*) FROM plain_keys WHERE kid = ?1)
                """,
            arguments: [kid, isProven]
        )
        return taken == 0
    }

    /// Takes the place of the same key without a proof, where there is one. Rows of keys are never deleted: SQLite would look through
    /// all sessions for one that names the key.
    static func insert(
        _ key: NewDevice.Key, of device: Data, enrolledBy origin: KeyOrigin, in db: Database, at now: UnixTime
    ) throws {
        let columns: StatementArguments = [
            device, key.kind.rawValue, blob(key.x963), key.isActive ? now.seconds : nil, origin.rawValue, key.kid,
        ]
        try db.run(
            sql: """
                UPDATE keys SET device_id = ?, kind = ?, x963 = ?, active_since = ?, enrolled_by = ?, wrong_in_a_row = 0,
                    paused_until = 0, retired_at = NULL, sessions_over = -1
                WHERE kid = ? AND active_since IS NULL
                """,
            arguments: columns
        )
        guard db.changesCount == 0 else { return }
        try db.run(
            sql: "INSERT INTO keys (device_id, kind, x963, active_since, enrolled_by, kid) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: columns
        )
    }

    // MARK: Rows

    /// Ends what was opened so far, in this very transaction too.
    static func endSessions(of device: Data, in db: Database) throws {
        try db.run(
            sql: "UPDATE devices SET sessions_over = (SELECT commits FROM node) WHERE id = ?", arguments: [device])
    }

    static func endSessions(openedBy kid: String, in db: Database) throws {
        try db.run(sql: "UPDATE keys SET sessions_over = (SELECT commits FROM node) WHERE kid = ?", arguments: [kid])
    }

    static func key(_ kid: String, in db: Database) throws -> EnrolledKey? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT k.kind, k.x963, k.wrong_in_a_row, k.paused_until, k.enrolled_by, k.active_since IS NOT NULL AS active,
                    d.id AS device_id, d.session_jkt, d.cools_off_until, a.id AS account_id, a.name,
                    d.revoked_at IS NOT NULL OR k.retired_at IS NOT NULL AS revoked
                FROM keys k JOIN devices d ON d.id = k.device_id JOIN accounts a ON a.id = d.account_id WHERE k.kid = ?
                """
        )
        return try Row.fetchOne(statement, arguments: [kid]).flatMap { row in
            guard let kind = KeyKind(rawValue: row["kind"]), let origin = KeyOrigin(rawValue: row["enrolled_by"]) else {
                return nil
            }
            return EnrolledKey(
                kid: kid, kind: kind, x963: Array(row["x963"] as Data), device: identifier(row["device_id"]),
                account: identifier(row["account_id"]), accountName: row["name"],
                coolsOffUntil: UnixTime(seconds: row["cools_off_until"]), sessionJKT: row["session_jkt"],
                isRevoked: row["revoked"], isActive: row["active"], enrolledBy: origin,
                wrongInARow: row["wrong_in_a_row"], pausedUntil: UnixTime(seconds: row["paused_until"])
            )
        }
    }

    static func session(_ id: SessionID, in db: Database) throws -> SessionView? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT s.generation, s.auth_time, s.granted, k.kind, k.enrolled_by,
                    s.ended_at IS NULL AND d.revoked_at IS NULL AND s.opened > max(d.sessions_over, k.sessions_over) AS live,
                    d.id AS device_id, d.session_jkt, d.cools_off_until, a.id AS account_id, a.name
                FROM sessions s JOIN keys k ON k.kid = s.kid JOIN devices d ON d.id = s.device_id
                    JOIN accounts a ON a.id = d.account_id
                WHERE s.id = ?
                """
        )
        return try Row.fetchOne(statement, arguments: [blob(id.bytes)]).flatMap { row in
            guard let kind = KeyKind(rawValue: row["kind"]), let origin = KeyOrigin(rawValue: row["enrolled_by"]) else {
                return nil
            }
            return SessionView(
                id: id, device: identifier(row["device_id"]), account: identifier(row["account_id"]),
                accountName: row["name"], kind: kind, sessionJKT: row["session_jkt"],
                generation: row["generation"], authTime: UnixTime(seconds: row["auth_time"]), isLive: row["live"],
                coolsOffUntil: UnixTime(seconds: row["cools_off_until"]), keyOrigin: origin,
                granted: row["granted"]
            )
        }
    }

    static func device(_ id: DeviceID, in db: Database) throws -> DeviceView? {
        let found = try db.one(
            Row.self,
            sql: """
                SELECT name, enrolled_at, EXISTS (SELECT 1 FROM plain_keys WHERE device_id = ?1) AS plain
                FROM devices WHERE id = ?1
                """,
            arguments: [blob(id.bytes)]
        )
        return try found.map { row in
            let keys = try db.all(
                Row.self,
                sql: """
                    SELECT kid, kind, active_since IS NOT NULL AS active FROM keys
                    WHERE device_id = ? AND retired_at IS NULL ORDER BY kind
                    """,
                arguments: [blob(id.bytes)]
            )
            return DeviceView(
                id: id, name: row["name"], enrolledAt: UnixTime(seconds: row["enrolled_at"]),
                keys: keys.compactMap { key in
                    KeyKind(rawValue: key["kind"]).map { DeviceRecord.Key(kid: key["kid"], kind: $0, active: key["active"]) }
                },
                isPlain: row["plain"]
            )
        }
    }

    static func secret(_ row: Row) -> SealedSecret? {
        SecretUse(rawValue: row["use"]).map {
            SealedSecret(
                id: row["id"], use: $0, createdAt: UnixTime(seconds: row["created_at"]), sealed: Array(row["sealed"] as Data)
            )
        }
    }
}

func blob(_ bytes: [UInt8]) -> Data { Data(bytes) }

func identifier<Kind>(_ data: Data) -> Identifier<Kind> { Identifier(unchecked: Array(data)) }
#endif
