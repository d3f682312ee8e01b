public import ThumbturnCore

/// The port to evidence of where a device's keys live, which the server judges at an enrolment and at a change of keys.
public protocol EvidenceSource: Sendable {
    /// Whether the system attests a key when it is made. `DeviceKeys.create(_:attesting:)` then gets a value of the server's.
    var attestsNewKeys: Bool { get }

    /// Makes evidence for new keys, without a prompt. Returns nil where the system has none.
    ///
    /// - Throws: a failure with the recovery `retry`, for example `unreachable`, ends the enrolment, because the next attempt
    ///   may have the evidence. After any other failure the enrolment goes on without, and the server decides.
    func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence?
}

extension EvidenceSource {
    /// Attested when they are made are keys of Android's Keystore alone.
    public var attestsNewKeys: Bool { false }
}

/// What evidence is asked for.
public struct EvidenceRequest: Sendable {
    /// The server's challenge, as received.
    public let challenge: String
    /// The new keys, without a PIN key.
    public let keys: [KeyName: PublicKey]
    /// The challenge that the keys were made for; nil unless the system attests keys when they are made.
    public let makingChallenge: String?
    /// The issuer address of the server.
    public let server: String
    /// The app's own label for the account.
    public let account: String
    /// Posts a JSON body to a path of the server, in the name of the device's session key, and returns the answer's body: for
    /// evidence that answers a question of the server. Throws what the server's refusal means.
    public let exchange: Exchange

    /// Posts a body to a path of the server.
    public typealias Exchange = @Sendable (_ path: String, _ body: [UInt8]) async throws(Failure) -> [UInt8]

    /// A request for evidence.
    ///
    /// - Parameters:
    ///   - challenge: the server's challenge, as received.
    ///   - keys: the new keys, without a PIN key.
    ///   - makingChallenge: the challenge that the keys were made for, where the system attests keys when they are made.
    ///   - server: the issuer address of the server.
    ///   - account: the app's own label for the account.
    ///   - exchange: posts a body to a path of the server. Without one, every exchange fails with `platform`.
    public init(
        challenge: String, keys: [KeyName: PublicKey], makingChallenge: String?, server: String, account: String,
        exchange: @escaping Exchange = { (_, _) async throws(Failure) in throw Failure(.platform) }
    ) {
        (self.challenge, self.keys, self.makingChallenge) = (challenge, keys, makingChallenge)
        (self.server, self.account, self.exchange) = (server, account, exchange)
    }

    /// The bound value: the SHA-256 of the challenge and of the keys' thumbprints (RFC 7638) in their order, 32 bytes.
    public var boundValue: [UInt8] { Signing.boundValue(challenge: challenge, keys: Array(keys.values)) }
}
