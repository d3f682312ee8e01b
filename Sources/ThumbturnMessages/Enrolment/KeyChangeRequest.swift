public import ThumbturnCore

/// `POST /v1/devices/current/keys`: one change of a live enrolment's keys, under one challenge of purpose `manage` that
/// names it.
public struct KeyChangeRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable { case key, proof, ticket, evidence }

    /// The new key with its own proof; nil where the change brings none.
    public var key: KeyRegistration?
    /// The proof of the key that authorises the change.
    public var proof: String?
    /// The ticket of a full sign-in, in the place of such a proof.
    public var ticket: String?
    /// Evidence of where the new key lives.
    public var evidence: KeyEvidence?

    /// A change that one of the device's keys authorises.
    public init(key: KeyRegistration?, proof: String) {
        self.key = key
        self.proof = proof
    }

    /// A change that a full sign-in authorises.
    public init(key: KeyRegistration, ticket: String) {
        self.key = key
        self.ticket = ticket
    }
}
