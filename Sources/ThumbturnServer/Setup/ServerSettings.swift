#if Server
package import CoreMetrics
import Foundation
public import ThumbturnCore
import ThumbturnMessages

/// The settings of a server.
///
/// Longer durations, higher limits and a shorter cool-off than the defaults weaken the protection that they give.
public struct ServerSettings: Sendable {
    /// The address that clients use, without a slash at the end. It is the issuer of tokens, and DPoP proofs must be
    /// for it.
    public let publicURL: String
    /// The folder of the database and the master key. If it does not exist it is made, with mode 0700.
    public var dataFolder: String
    /// The PostgreSQL database that nodes on several machines share; nil for one of SQLite in the data folder.
    public var database: PostgresAddress?
    /// The key that encrypts the server's secrets on disk. If nil, it is in a file in the data folder, which is made at
    /// the first start.
    public var masterKey: MasterKey?

    /// The audience of access tokens; `publicURL` by default. The server's own routes demand it as well.
    public var audience: String
    /// The client that access tokens are issued to, which is the app (RFC 9068 section 2.2).
    public var clientID = "thumbturn-app"

    /// The path of a file that lists the app's own OpenID providers, whose ID tokens authorise an enrolment. If nil,
    /// there are none.
    public var identityProviders: String?

    /// How long an access token is valid.
    public var accessTokenLifetime = Duration.seconds(300)
    /// How long a single-use access token is valid, which a step-up for one action gives.
    public var oneUseTokenLifetime = ActionGrant.lifeOfOneUse
    /// How long after the sign-in a session ends, no matter how often it is refreshed.
    public var sessionLifetime = Duration.seconds(12 * 3600)
    /// How long a session lasts without a refresh.
    public var sessionIdleLimit = Duration.seconds(3600)
    /// How long an enrolment ticket is valid after a full sign-in.
    public var ticketLifetime = Duration.seconds(300)
    /// How long a visit lasts after its sign-in, no matter how often it is refreshed: a session of full credentials alone,
    /// without an enrolled device. If nil, there are none, and full credentials only enrol.
    public var visitLifetime: Duration? = .seconds(1800)
    /// How long an old refresh token is accepted while its successor is unused.
    public var refreshGrace = Duration.seconds(30)
    /// How long a device that was enrolled with only a password, on an account with other devices, may not change other
    /// devices.
    public var coolOff = Duration.seconds(24 * 3600)
    /// The maximum age of the proof of presence that a change of another device needs.
    public var deviceChangeMaximumAge = Duration.seconds(300)
    /// The settings of approvals.
    public var approvals = ApprovalSettings()
    /// The level of a liveness check that each enrolment of a device demands, by evidence that is bound to its challenge. If
    /// nil, none. A vendor of `approvals.livenessVendors` has to be certified for it, otherwise no device is enrolled; plain
    /// clients have no such evidence, so none of them is.
    public var enrolmentLiveness: LivenessLevel?
    /// The evidence of keys that is judged, and what accounts demand of it. By default none is: every key then counts as
    /// `software`, whatever its device says.
    public var evidence = EvidenceRules()
    /// Where the list of revoked Android certificates is fetched twice a day; nil where the operator brings it by command.
    public var androidStatusURL: String?
    /// The demands of each action on a step-up.
    public var stepUp = StepUpPolicy()
    /// What devices get in place of their apps' own unlock policies; nil where each app keeps its own.
    public var unlockPolicies: UnlockPolicies?
    /// Whether the device passcode is enough to enrol a new biometric key after a changed face or finger. That key then
    /// proves less, because anyone who knows the passcode can enrol a face. Its record says that the passcode
    /// authorised it.
    public var letsPasscodeReplaceBiometricKey = false

    /// Whether apps may sign in with keys of other libraries and get tokens that are bound to no key. Such a token
    /// protects as little as a password that is valid for five minutes.
    public var allowsPlainClients = false

    /// How long a row of the audit log is kept; 400 days by default, so that a whole year can be looked at.
    public var auditRetention = Duration.seconds(400 * 24 * 3600)

    /// How long the counts of unlocks are kept; 400 days by default. If nil, the server takes no reports of
    /// unlocks, and keeps the counts that it has.
    public var telemetryRetention: Duration? = .seconds(400 * 24 * 3600)
    /// The rates of batches; nil, in measurements, for any number.
    package var telemetryRates: TelemetryRates? = TelemetryRates()
    /// The time between the starts of two transactions that count unlocks.
    package var telemetrySpacing = Limits.telemetrySpacing
    /// Where the server's metrics go: by default to what the process has bootstrapped, which is nothing unless it does so.
    package var metrics: any MetricsFactory = MetricsSystem.factory

    /// How many proxies in front of the server add to `X-Forwarded-For`. Wrong attempts are counted by the client's
    /// address. With too small a number they are counted by a proxy's address, and with too large a number by an
    /// address that the client makes up.
    public var trustedProxies = 0

    /// The most connections in all and by address.
    public var connections = ConnectionLimits()

    /// The most proofs of a device in a minute; nil, in measurements, for any number.
    package var proofsOfDevice: Int? = Limits.proofsOfDevice

    /// How long a connection may be silent before the server closes it.
    package var connectionIdleLimit = Limits.silence
    /// The time for a whole request, from its first byte to the end of its body, and then for sending the answer.
    package var requestLimit = Limits.request

    /// Delivers notices to the owners of accounts, in addition to the log and `GET /v1/notices`.
    public var notices: (any Notices)?

    /// Creates settings with the defaults. Throws `SetupError.publicURL` unless the address is ASCII, is https,
    /// or http to this machine itself, and has no path.
    public init(publicURL: String, dataFolder: String, masterKey: MasterKey? = nil) throws(SetupError) {
        let address = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        guard address.utf8.allSatisfy({ $0 < 0x80 }), let parts = URLComponents(string: address), let host = parts.host,
            !host.isEmpty, parts.path.isEmpty,
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
