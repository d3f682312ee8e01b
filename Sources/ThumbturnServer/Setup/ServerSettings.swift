#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

/// What an operator decides. Durations and limits have the defaults of the design; longer ones, and a shorter cool-off, weaken
/// what they limit.
public struct ServerSettings: Sendable {
    /// The address that clients use, without a slash at the end: the issuer, and what DPoP proofs must be for.
    public let publicURL: String
    /// The folder of the database and the master key; made with mode 0700 where it does not exist.
    public var dataFolder: String
    /// What encrypts the server's secrets on disk. Nil: a file in the data folder, made at the first start.
    public var masterKey: MasterKey?

    /// Who our access tokens are for. This server's own routes are one such resource.
    public var audience: String
    /// The client that our tokens are issued to (RFC 9068 section 2.2): the app.
    public var clientID = "thumbturn-app"

    /// A file that names the app's own providers, whose ID tokens give the right to enrol. Nil: there are none.
    public var identityProviders: String?

    /// How long an access token is good.
    public var accessTokenLifetime = Duration.seconds(300)
    /// How long a token is good that a signature for one action bought, and that a resource takes once.
    public var oneUseTokenLifetime = ActionGrant.lifeOfOneUse
    /// A session ends this long after the sign-in, whatever happens.
    public var sessionLifetime = Duration.seconds(12 * 3600)
    /// A session ends after so long without a refresh.
    public var sessionIdleLimit = Duration.seconds(3600)
    /// How long the right to enrol lives after a full sign-in.
    public var ticketLifetime = Duration.seconds(300)
    /// An old refresh token is honoured for so long, while its successor is unused.
    public var refreshGrace = Duration.seconds(30)
    /// For so long a device that was enrolled by password alone, beside others, may not change other devices.
    public var coolOff = Duration.seconds(24 * 3600)
    /// Changing another device needs a proof of presence that is at most so old.
    public var deviceChangeMaximumAge = Duration.seconds(300)
    /// What is decided about approvals.
    public var approvals = ApprovalSettings()
    /// What each action demands of a step-up.
    public var stepUp = StepUpPolicy()
    /// Whether the device passcode alone may bring a new biometric key after a changed face or finger. It weakens what that key
    /// stands for: whoever knows the passcode can enrol a face. Such a key is remembered as one that the passcode brought.
    public var letsPasscodeReplaceBiometricKey = false

    /// Whether apps may sign in with keys of other libraries, for tokens that are bound to no key. Such a token is worth as little as a
    /// password that is good for five minutes.
    public var allowsPlainClients = false

    /// How many proxies stand before the server and add to `X-Forwarded-For`. Wrong attempts are counted by the client's address; with
    /// too small a number the proxies' own, and with too large a one whatever a client makes up.
    public var trustedProxies = 0

    /// A connection on which nobody says anything for so long makes room for others.
    package var connectionIdleLimit = Duration.seconds(30)

    /// Where notices for the owners of accounts go, beside the log and `GET /v1/notices`.
    public var notices: (any Notices)?

    /// Throws `SetupError.publicURL` unless the address is https, or http to this machine itself, without a path.
    public init(publicURL: String, dataFolder: String, masterKey: MasterKey? = nil) throws(SetupError) {
        let address = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        guard let parts = URLComponents(string: address), let host = parts.host, !host.isEmpty, parts.path.isEmpty,
            parts.query == nil, parts.fragment == nil, parts.user == nil,
            parts.scheme == "https" || (parts.scheme == "http" && Loopback.contains(host: host))
        else { throw .publicURL(publicURL) }
        self.publicURL = address
        self.dataFolder = dataFolder
        self.masterKey = masterKey
        audience = address
    }
}
#endif
