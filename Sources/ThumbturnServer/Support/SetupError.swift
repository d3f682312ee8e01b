#if Server
public import ThumbturnCore

/// An error of the operator's configuration or commands. The description says what to do next.
public enum SetupError: Error, CustomStringConvertible {
    /// The file or folder at this path cannot be written or created.
    case unwritable(String)
    /// The file or folder at this path cannot be read.
    case unreadable(String)
    /// The master key does not have 32 bytes.
    case masterKeyLength
    /// The master key does not decrypt the secrets in the data folder.
    case masterKeyWrong
    /// The file of the master key at this path is missing, although the data folder has a database.
    case masterKeyMissing(String)
    /// Other users of the machine have access to the file or folder at this path.
    case openToOthers(String)
    /// The address cannot be the public one: it is neither https nor http to this machine itself, or it has a path.
    case publicURL(String)
    /// The password is too short or too long. The minimum is in characters, the maximum in bytes of UTF-8.
    case password(minimum: Int, maximum: Int)
    /// The account's name does not have 1 to 128 characters, or it has a line break.
    case accountName
    /// An account of this name exists already.
    case accountExists(String)
    /// The file at this path is not a backup of a server's database.
    case noBackup(String)
    /// A file at this path exists already, and a backup does not replace it.
    case fileExists(String)
    /// The file at this path, or a key set that it names, does not describe identity providers.
    case providers(String)
    /// The back end's name does not have 1 to 64 of a to z, 0 to 9 and -.
    case clientName
    /// The back end has no scope, no key, or more than two keys.
    case clientNeeds
    /// A back end of this name exists already.
    case clientExists(String)
    /// There is no back end of this name.
    case clientUnknown(String)
    /// The text is not a public P-256 key.
    case clientKey
    /// The text is a private key, which must not leave the back end.
    case clientKeyIsPrivate
    /// The file at this path does not describe the limits of a back end; see docs/http.md.
    case clientLimits(String)
    /// There is no account of this name.
    case accountUnknown(String)
    /// The account of this name is switched off already.
    case accountDisabled(String)
    /// The account of this name is on already.
    case accountEnabled(String)
    /// The evidence policy of the running server has no group of this name.
    case groupUnknown(String)
    /// A list of roots has none with a public key of this SHA-256.
    case rootMissing([UInt8])
    /// No accepted root has a public key of this SHA-256.
    case rootNotAccepted([UInt8])
    /// Another command changed the accepted roots at the same moment.
    case rootsNotKept
    /// A status list names no certificates, or less than half as many as the list before.
    case statusListShorter(before: Int, now: Int)
    /// The account has no device of this id, or the device is revoked already.
    case deviceUnknown(String)
    /// The webhook's address or its secret is not acceptable; see `NoticeWebhook`.
    case webhook
    /// The file at this path does not describe vendors of liveness checks; see `LivenessVendors`.
    case livenessVendors(String)
    /// There is no server's data in the folder at this path.
    case noData(String)
    /// The file or folder at this path belongs to another user.
    case foreignOwner(String)
    /// The machine's clock is far ahead of the latest time that the database has seen.
    case clockAhead(clock: UnixTime, stored: UnixTime)
    /// The machine's clock is behind the latest time that the database has seen.
    case clockBehind(clock: UnixTime, stored: UnixTime)
    /// The master key does not open the secrets of the backup at this path.
    case backupMasterKey(String)
    /// The present master key is not in the data folder, and there is no next one.
    case nextMasterKeyMissing
    /// There is no key of access tokens with this id.
    case tokenKeyUnknown(String)
    /// The name of a write key does not have 1 to 64 of a to z, 0 to 9 and -.
    case telemetryKeyName
    /// A write key of this name exists already.
    case telemetryKeyExists(String)
    /// There is no write key of this name.
    case telemetryKeyUnknown(String)
    /// The database has counts of unlocks that this version of the server cannot read.
    case telemetryUnreadable
    /// A newer version of the server has migrated the database at this path.
    case newerDatabase(String)
    /// The address of the database is not acceptable, for this reason.
    case databaseAddress(String)
    /// The database server cannot be reached or does not let this user in. It says why.
    case databaseUnreachable(String)
    /// The machine's clock differs by more than a minute from that of the database server.
    case clockUnlikeDatabase(clock: UnixTime, database: UnixTime)
    /// Another node has used a later version of this policy.
    case policyOutdated(String, version: Int64?, latest: Int64)
    /// The database has no tables of a server.
    case noTables
    /// A version from before the first release has made the database at this path, and no version since reads its tables.
    case olderDatabase(String)
    /// The database was restored, copied or promoted, and no server has settled yet whether an epoch begins.
    case databaseMoved
    /// Another node has made the database, and this one, whose folder is at this path, has no master key.
    case sharedMasterKeyMissing(String)
    /// The database server may lose commits that it has confirmed: these of its settings, by name, are weaker than they must be.
    case weakDatabase([String: String])
    /// This program was built without the trait PostgreSQL.
    case noPostgreSQL

    /// A sentence with the fault and the operator's next step. It has no secret.
    public var description: String {
        switch self {
        case .unwritable(let path): "Cannot write \(path). Check that the folder exists and belongs to this user."
        case .unreadable(let path): "Cannot read \(path). Check that it belongs to this user."
        case .masterKeyLength:
            "The master key must be 32 bytes in base64url without padding (43 characters). "
                + "Make one with: openssl rand -base64 32 | tr '+/' '-_' | tr -d '='"
        case .masterKeyWrong: "The master key does not open this server's secrets. Use the key that they were made with."
        case .masterKeyMissing(let path):
            "\(path) is missing, and without it the secrets in this folder cannot be read. "
                + "Put it back, or set THUMBTURN_MASTER_KEY."
        case .openToOthers(let path): "Others can read \(path). Run: chmod go= \(path)"
        case .publicURL(let url):
            "\(url) cannot be the public address. "
                + "Give --public-url an https address, or http to this machine itself, without a path."
        case .password(let minimum, let maximum):
            "A password has at least \(minimum) characters, and at most \(maximum) bytes."
        case .accountName: "An account name has 1 to 128 characters and no line breaks."
        case .accountExists(let name): "The account \(name) exists already."
        case .noBackup(let path): "\(path) is not a backup of this server. Make one with: thumbturn-server backup FILE"
        case .fileExists(let path): "\(path) exists already. Choose another name."
        case .providers(let path):
            "\(path) does not name providers: "
                + "{\"providers\": [{\"issuer\": \"https://…\", \"audience\": \"…\", \"jwks\": \"FILE\"}]}, "
                + "each with a key set that has a P-256 or RSA key, and an optional \"stale_sign_in\": "
                + "\"enrols_with_cool_off_only\" or \"a_browser_cookie_may_reset_keys\"."
        case .clientName: "A back end's name has 1 to 64 of a to z, 0 to 9 and -."
        case .clientNeeds: "A back end needs at least one scope and one public key, and has at most two keys."
        case .clientExists(let name): "The back end \(name) exists already. Remove it first, or choose another name."
        case .clientUnknown(let name): "There is no back end \(name). See: thumbturn-server clients list"
        case .clientKey: "The key must be the public half of a P-256 key: a JWK, or an SPKI in PEM (openssl ec -pubout)."
        case .clientLimits(let path):
            "\(path) does not describe limits: {\"accounts\": [NAME, …], \"transactions\": [TYPE, …], "
                + "\"amounts\": {\"EUR\": \"1000.00\"}, \"requests_per_minute\": 600}, each member optional."
        case .livenessVendors(let path):
            "\(path) does not name vendors of liveness checks. docs/approvals.md shows the format of such a file."
        case .noData(let path):
            "There is no server's data in \(path). Name its folder with --data. "
                + "`thumbturn-server serve` and `accounts add` make a new one."
        case .foreignOwner(let path):
            "\(path) belongs to another user. Run this as that user, or give it to this one with chown."
        case .clockAhead(let clock, let stored):
            "The machine's clock is \(Self.text(clock - stored)) ahead of the latest time that this server has seen. "
                + "Set the clock right; if it is right, run: thumbturn-server time set"
        case .clockBehind(let clock, let stored):
            "The machine's clock is \(Self.text(stored - clock)) behind the latest time that this server has seen. "
                + "Set the clock right; if it is right, run: thumbturn-server time set"
        case .backupMasterKey(let path):
            "The master key does not open the secrets of \(path), so nothing was restored. "
                + "Give the key that it was made under, in a file, with --backup-key FILE."
        case .nextMasterKeyMissing:
            "The next master key is missing. Set THUMBTURN_NEXT_MASTER_KEY to 32 bytes in base64url (43 characters)."
        case .tokenKeyUnknown(let kid): "There is no key \(kid). See: thumbturn-server keys list"
        case .telemetryKeyName: "A write key's name has 1 to 64 of a to z, 0 to 9 and -."
        case .telemetryKeyExists(let name):
            "The write key \(name) exists already. Remove it first, or choose another name."
        case .telemetryKeyUnknown(let name): "There is no write key \(name). See: thumbturn-server telemetry key list"
        case .telemetryUnreadable:
            "A newer thumbturn-server has written counts of unlocks that this version cannot read. Report with the newer version."
        case .newerDatabase(let path):
            "A newer thumbturn-server has changed \(path), and this version cannot read all of it. Start the newer version."
        case .databaseAddress(let reason):
            "The address of the database is not acceptable: \(reason). "
                + "Give one like postgresql://thumbturn@db.example/thumbturn?sslrootcert=/etc/ca.pem"
        case .databaseUnreachable(let reason):
            "The database cannot be used: \(reason.split(separator: "\n").joined(separator: " ")). "
                + "Check --database, PGPASSWORD and the rights of the user; docs/cluster.md shows what it needs."
        case .clockUnlikeDatabase(let clock, let database):
            "The machine's clock is \(Self.text(max(clock - database, database - clock))) "
                + "\(clock > database ? "ahead of" : "behind") that of the database server. Set both right."
        case .policyOutdated(let policy, let version, let latest):
            "A node has used version \(latest) of the \(policy) policy, and this one has \(version.map { "version \($0)" } ?? "none"). "
                + "Give it the same file; to go back to an earlier one, give that a higher version."
        case .noTables:
            "There is no server's data in this database. Check --database. "
                + "`thumbturn-server serve`, `accounts add` and `restore` make the tables in an empty one."
        case .olderDatabase(let path):
            "A thumbturn-server from before the first release has made \(path), and this version cannot read its tables. Begin with a "
                + "new data folder or an empty database: add the accounts and the back ends again, and enroll the devices again."
        case .databaseMoved:
            "The database was restored, copied or promoted, and no node has connected since. Start a node first, with `serve` and its "
                + "--replication. Where that promotion may have lost commits, run instead: thumbturn-server new-epoch"
        case .sharedMasterKeyMissing(let folder):
            "Another node has made this database, and its secrets need its master key. Set THUMBTURN_MASTER_KEY to it, or copy that "
                + "node's master.key into \(folder)."
        case .weakDatabase(let settings):
            "The database may lose commits that it has confirmed (\(settings.map { "\($0) = \($1)" }.sorted().joined(separator: ", "))). "
                + "Set synchronous_commit to on or remote_apply, and fsync and full_page_writes to on. "
                + "If you accept what docs/cluster.md says of such a database, give --accept-lost-commits."
        case .noPostgreSQL: "This program was built without PostgreSQL. Build it with: swift build --traits Tools"
        case .clientKeyIsPrivate:
            "This is a private key, and it must not leave the back end. Give the public half (openssl ec -pubout)."
        case .accountUnknown(let name): "There is no account \(name). Make it with: thumbturn-server accounts add \(name)"
        case .accountDisabled(let name):
            "The account \(name) is switched off already. Switch it on with: thumbturn-server accounts enable \(name)"
        case .accountEnabled(let name):
            "The account \(name) is on already. Switch it off with: thumbturn-server accounts disable \(name)"
        case .groupUnknown(let name):
            "There is no group \(name). Name it under \"groups\" in the file of `serve --evidence`, and start the server with it once."
        case .rootMissing(let pin):
            "No root of the list has a public key of the SHA-256 \(Hex.text(pin)). "
                + "Nothing was changed. Compare with: thumbturn-server evidence roots list"
        case .rootNotAccepted(let pin):
            "No accepted root has a public key of the SHA-256 \(Hex.text(pin)); built-in roots cannot be removed. "
                + "Nothing was changed. See: thumbturn-server evidence roots list"
        case .rootsNotKept:
            "Another command changed the accepted roots at the same moment, so nothing was changed. "
                + "See: thumbturn-server evidence roots list, and run this again."
        case .statusListShorter(let before, let now):
            "The list names \(now) certificates, and the one before \(before). A list that is empty or less than half as long "
                + "may be damaged, so nothing was changed. Compare it with Google's; if it is right, give --allow-shorter."
        case .deviceUnknown(let id): "The account has no device \(id). See: thumbturn-server accounts devices NAME"
        case .webhook:
            """
            A webhook needs an https address, or http to this machine itself, and a secret of 24 to 64 bytes in base64. \
            Make one with: openssl rand -base64 32
            """
        }
    }

    /// A length of time, in the largest unit of which it has more than two.
    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        let units: [(name: String, length: Int64)] = [("days", 86_400), ("hours", 3600), ("minutes", 60)]
        let unit = units.first { seconds > 2 * $0.length }
        return unit.map { "\(seconds / $0.length) \($0.name)" } ?? "\(seconds) seconds"
    }
}
#endif
