/// A change of the keys of a device that is enrolled: the `act` of a challenge of purpose `manage`.
public enum KeyChange: String, Hashable, Sendable, Codable, CaseIterable {
    /// A first PIN.
    case setPIN = "set-pin"
    /// Another PIN in the place of one that is there.
    case changePIN = "change-pin"
    /// A new PIN for somebody who forgot the old one.
    case resetPIN = "reset-pin"
    case removePIN = "remove-pin"
    /// A new biometric key: the old one died with a changed face or finger, or was removed.
    case replaceBiometric = "replace-biometric"
    case removeBiometric = "remove-biometric"

    /// Which of the device's keys it is about.
    public var kind: KeyKind {
        switch self {
        case .setPIN, .changePIN, .resetPIN, .removePIN: .pin
        case .replaceBiometric, .removeBiometric: .biometric
        }
    }

    /// Whether there is a new key afterwards. Of such a change the first of the challenge's `kids` names that key.
    public var bringsKey: Bool {
        switch self {
        case .setPIN, .changePIN, .resetPIN, .replaceBiometric: true
        case .removePIN, .removeBiometric: false
        }
    }
}

/// `POST /v1/devices/current/keys`: one change of a live enrolment's keys, under one challenge of purpose `manage` that names it.
public struct KeyChangeRequest: Message, Redacted {
    public enum CodingKeys: String, CodingKey, CaseIterable { case key, proof, ticket }

    /// The new key with its own proof; nil where the change brings none.
    public var key: KeyRegistration?
    /// The proof of the key that pays for the change.
    public var proof: String?
    /// The ticket of a full sign-in, in the place of such a proof.
    public var ticket: String?

    /// A change that one of the device's keys pays for.
    public init(key: KeyRegistration?, proof: String) {
        self.key = key
        self.proof = proof
    }

    /// A change that a full sign-in pays for.
    public init(key: KeyRegistration, ticket: String) {
        self.key = key
        self.ticket = ticket
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        key = try container.decodeIfPresent(Strict<KeyRegistration>.self, forKey: .key)?.content
        proof = try container.decodeIfPresent(String.self, forKey: .proof)
        ticket = try container.decodeIfPresent(String.self, forKey: .ticket)
    }
}
