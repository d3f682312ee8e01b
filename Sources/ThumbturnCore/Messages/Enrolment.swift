/// `POST /v1/accounts/sign-in`, with a DPoP proof by the new session key: the first mile.
public struct PasswordSignInRequest: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case account, password
        case oneTimeCode = "one_time_code"
    }

    /// The account's name.
    public var account: String
    /// As typed.
    public var password: String
    /// The code of an authenticator app (RFC 6238), which some accounts need beside the password.
    public var oneTimeCode: String?

    /// Name and password, and a one-time code where the account has them.
    public init(account: String, password: String, oneTimeCode: String? = nil) {
        self.account = account
        self.password = password
        self.oneTimeCode = oneTimeCode
    }
}

/// `POST /v1/accounts/recover`, with a DPoP proof by the new session key: a written-down code in the place of what was lost. The answer
/// is an `EnrolmentTicket`.
public struct RecoveryRequest: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable { case account, code, password }

    /// The account's name.
    public var account: String
    /// A recovery code, as typed.
    public var code: String
    /// Needed where the account has one-time codes: then the recovery code stands for those.
    public var password: String?

    /// A code of an account.
    public init(account: String, code: String, password: String? = nil) {
        self.account = account
        self.code = code
        self.password = password
    }
}

/// The answer: the right to enrol one device, once, with the session key that asked.
public struct EnrolmentTicket: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket
        case expiresIn = "expires_in"
    }

    /// Opaque to the device.
    public var ticket: String
    /// Seconds from now.
    public var expiresIn: Int64

    /// A ticket and its life.
    public init(ticket: String, expiresIn: Int64) {
        self.ticket = ticket
        self.expiresIn = expiresIn
    }
}

/// `POST /v1/devices`: registers all keys of a device in one request, under one challenge of purpose `enrol`.
public struct EnrolRequest: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket, name, keys
        case ifEnrolled = "if_enrolled"
    }

    /// The ticket of the first mile, as received.
    public var ticket: String
    /// How the person will recognise the device in a list, 1 to 64 characters.
    public var name: String
    /// The session key and at least one key that verifies the person; one of each kind at most.
    public var keys: [KeyRegistration]
    /// What to do where the session key is enrolled already; nil is `fail`.
    public var ifEnrolled: IfEnrolled?

    /// A request to enrol these keys.
    public init(ticket: String, name: String, keys: [KeyRegistration], ifEnrolled: IfEnrolled? = nil) {
        self.ticket = ticket
        self.name = name
        self.keys = keys
        self.ifEnrolled = ifEnrolled
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ticket = try container.decode(String.self, forKey: .ticket)
        name = try container.decode(String.self, forKey: .name)
        keys = try container.decode([Strict<KeyRegistration>].self, forKey: .keys).map(\.content)
        ifEnrolled = try container.decodeIfPresent(IfEnrolled.self, forKey: .ifEnrolled)
    }
}

/// One key of an enrolment, in exactly one of three encodings.
public struct KeyRegistration: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable { case kind, jwk, spki, x963, proof }

    /// What the key is for.
    public var kind: KeyKind
    /// The public key as a JSON Web Key.
    public var jwk: JWK?
    /// SubjectPublicKeyInfo (RFC 5280 section 4.1): PEM, or DER in base64.
    public var spki: String?
    /// The uncompressed point, 65 bytes in base64url.
    public var x963: String?
    /// The key's own proof over the challenge. A PIN key's proof carries the handle as its `kid`. A passcode key may come without: it is registered under the biometric key's
    /// proof, so that enrolling shows one prompt, and becomes active with its own first proof.
    public var proof: String?

    /// A key as a JSON Web Key, with its proof.
    public init(kind: KeyKind, jwk: JWK, proof: String?) {
        self.kind = kind
        self.jwk = jwk
        self.proof = proof
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(KeyKind.self, forKey: .kind)
        jwk = try container.decodeIfPresent(Strict<JWK>.self, forKey: .jwk)?.content
        spki = try container.decodeIfPresent(String.self, forKey: .spki)
        x963 = try container.decodeIfPresent(String.self, forKey: .x963)
        proof = try container.decodeIfPresent(String.self, forKey: .proof)
    }
}

/// A device as its owner sees it: the answer to an enrolment, and an entry of `GET /v1/devices`.
public struct DeviceRecord: Message, Hashable {
    public enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, keys
        case enrolledAt = "enrolled_at"
        case current, use
    }

    /// One of a device's keys.
    public struct Key: Message, Hashable {
        public enum CodingKeys: String, CodingKey, CaseIterable { case kid, kind, active }

        /// The RFC 7638 thumbprint; of a PIN key its random handle.
        public var kid: String
        /// What the key is for.
        public var kind: KeyKind
        /// False until a key that was registered without its own proof has signed once.
        public var active: Bool

        /// A key as the server knows it.
        public init(kid: String, kind: KeyKind, active: Bool) {
            self.kid = kid
            self.kind = kind
            self.active = active
        }
    }

    /// The device's id at this server.
    public var id: String
    /// How the person calls it.
    public var name: String
    /// Its keys.
    public var keys: [Key]
    /// When it was enrolled, by the server's clock.
    public var enrolledAt: UnixTime
    /// Whether this is the device that asks.
    public var current: Bool
    /// What it is good for, where that is less than all.
    public var use: DeviceUse?

    /// A device as the server knows it.
    public init(id: String, name: String, keys: [Key], enrolledAt: UnixTime, current: Bool, use: DeviceUse? = nil) {
        self.id = id
        self.name = name
        self.keys = keys
        self.enrolledAt = enrolledAt
        self.current = current
        self.use = use
    }
}

/// What a device is good for, where that is less than all.
public enum DeviceUse: String, Hashable, Sendable, Codable, CaseIterable {
    /// An app that signs in with a key of another library, which the list of keys does not have, and does nothing else.
    case plain
}

/// `GET /v1/devices`.
public struct DeviceList: Message {
    public enum CodingKeys: String, CodingKey, CaseIterable { case devices }

    /// The devices that are not revoked, oldest first.
    public var devices: [DeviceRecord]

    /// A list of devices.
    public init(devices: [DeviceRecord]) {
        self.devices = devices
    }
}
