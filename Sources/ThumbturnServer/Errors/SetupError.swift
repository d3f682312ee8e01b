#if Server

/// An error of the operator's configuration or commands. The description says what to do next.
public enum SetupError: Error, CustomStringConvertible {
    case unwritable(String)
    case unreadable(String)
    case masterKeyLength
    case masterKeyWrong
    case masterKeyMissing(String)
    case openToOthers(String)
    case publicURL(String)
    case password(minimum: Int, maximum: Int)
    case accountName
    case accountExists(String)
    case noBackup(String)
    case fileExists(String)
    case providers(String)
    case clientName
    case clientNeeds
    case clientExists(String)
    case clientUnknown(String)
    case clientKey
    case clientKeyIsPrivate
    case accountUnknown(String)
    case deviceUnknown(String)
    case webhook
    case livenessVendors(String)
    case newerDatabase(String)

    public var description: String {
        switch self {
        case .unwritable(let path): "Cannot write \(path). Check that the folder exists and belongs to this user."
        case .unreadable(let path): "Cannot read \(path). Check that it belongs to this user."
        case .masterKeyLength: "The master key must be 32 bytes in base64url without padding (43 characters)."
        case .masterKeyWrong: "The master key does not open this data folder's secrets. Use the key that it was made with."
        case .masterKeyMissing(let path):
            "\(path) is missing, and without it the secrets in this folder cannot be read. Put it back, or set THUMBTURN_MASTER_KEY."
        case .openToOthers(let path): "Others can read \(path). Run: chmod go= \(path)"
        case .publicURL(let url):
            "\(url) cannot be the public address. Give --public-url an https address, or http to this machine itself, without a path."
        case .password(let minimum, let maximum):
            "A password has at least \(minimum) characters, and at most \(maximum) bytes."
        case .accountName: "An account name has 1 to 128 characters and no line breaks."
        case .accountExists(let name): "The account \(name) exists already."
        case .noBackup(let path): "\(path) is not a backup of this server. Make one with: thumbturn-server backup FILE"
        case .fileExists(let path): "\(path) exists already. Choose another name."
        case .providers(let path):
            "\(path) does not name providers: {\"providers\": [{\"issuer\": \"https://…\", \"audience\": \"…\", \"jwks\": \"FILE\"}]}, each with a key set that has a P-256 or RSA key."
        case .clientName: "A back end's name has 1 to 64 of a to z, 0 to 9 and -."
        case .clientNeeds: "A back end needs at least one scope and one public key, and has at most two keys."
        case .clientExists(let name): "The back end \(name) exists already. Remove it first, or choose another name."
        case .clientUnknown(let name): "There is no back end \(name). See: thumbturn-server clients list"
        case .clientKey: "The key must be the public half of a P-256 key: a JWK, or an SPKI in PEM (openssl ec -pubout)."
        case .livenessVendors(let path):
            "\(path) does not name vendors of liveness checks. docs/approvals.md shows the format of such a file."
        case .newerDatabase(let path):
            "A newer thumbturn-server has changed \(path), and this version cannot read all of it. Start the newer version."
        case .clientKeyIsPrivate:
            "This is a private key, and it must not leave the back end. Give the public half (openssl ec -pubout)."
        case .accountUnknown(let name): "There is no account \(name). Make it with: thumbturn-server accounts add \(name)"
        case .deviceUnknown(let id): "The account has no device \(id). See: thumbturn-server accounts devices NAME"
        case .webhook:
            """
            A webhook needs an https address, or http to this machine itself, and a secret of 24 to 64 bytes in base64. Make one with: \
            openssl rand -base64 32
            """
        }
    }
}
#endif
