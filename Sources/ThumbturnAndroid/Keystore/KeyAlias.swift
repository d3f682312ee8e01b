import ThumbturnCore
import ThumbturnDevice

/// The names of keys in the Keystore. Server and account are hashed: API 28 to 30 keep an alias in the name of a file, whose
/// length is limited, and no name of a person belongs there.
enum KeyAlias {
    /// What a key is for; no operation on one area finds a key of another.
    enum Area: String {
        case key, pin, vault
    }

    /// The key that encrypts the files of small secrets.
    static let secrets = "thumbturn.secrets"

    static func of(_ name: KeyName, in area: Area) -> String {
        "\(prefix(area, server: name.server, account: name.account))\(name.enrolment).\(name.kind.rawValue)"
    }

    /// How the names of an account's keys begin. No other account's begin so.
    static func prefix(_ area: Area, server: String, account: String) -> String {
        "thumbturn.\(area.rawValue).\(owner(server: server, account: account))."
    }

    /// The hash of both names, each with its length before it, so that no two pairs are the same text.
    static func owner(server: String, account: String) -> String {
        Signing.hash(Array("\(server.utf8.count):\(server)\(account.utf8.count):\(account)".utf8))
    }
}
