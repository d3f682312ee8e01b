#if Server
/// Why the server cannot start, with the next step.
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
            "A password that stands alone has at least \(minimum) characters, and at most \(maximum) bytes."
        case .accountName: "An account name has 1 to 128 characters and no line breaks."
        case .accountExists(let name): "The account \(name) exists already."
        }
    }
}
#endif
