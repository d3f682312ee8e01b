public import ThumbturnCore

/// A problem document (RFC 9457). The types are few and neutral: no answer tells which element was refused.
///
/// At the token endpoint, and wherever DPoP is refused, the member `error` carries the code of RFC 6749 section 5.2 or
/// RFC 9449 sections 5 and 8 as well.
public struct Problem: Codable, Hashable, Sendable {
    enum CodingKeys: String, CodingKey {
        case type, title, status, error, detail
        case triesLeft = "tries_left"
        case retryAfter = "retry_after"
        case coolingOffUntil = "cooling_off_until"
    }

    /// The types of problems.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request cannot be read.
        case malformed
        /// Anything about keys, proofs, challenges, passwords or tokens.
        case verificationFailed = "verification-failed"
        /// A fresh proof of the person's presence is needed (RFC 9470).
        case stepUpRequired = "step-up-required"
        case notFound = "not-found"
        case tooLarge = "too-large"
        /// The state is another than the request expects. Told only to its owner.
        case conflict
        case unavailable

        /// The member `type`.
        public var uri: String { "urn:thumbturn:problem:\(rawValue)" }

        /// The member `title`: the same for every occurrence.
        public var title: String {
            switch self {
            case .malformed: "The request could not be read."
            case .verificationFailed: "The request could not be verified."
            case .stepUpRequired: "A fresh proof of presence is needed."
            case .notFound: "There is nothing here."
            case .conflict: "This cannot be done now, or no longer."
            case .tooLarge: "The request is too large."
            case .unavailable: "The service cannot answer now."
            }
        }
    }

    /// The URI of the type.
    public var type: String
    /// The text of the type.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The OAuth code, where there is one.
    public var error: String?
    /// Where a batch of reports of unlocks is not what it should be, and how. Told only about such batches, which have no secret
    /// and no proof.
    package var detail: String?
    /// How many more consecutive wrong PINs the PIN key allows; at 0 it is disabled permanently. Told only to the
    /// holder of the session key of that key's device, about a guess that was counted.
    public var triesLeft: Int?

    /// How many seconds the key pauses after wrong signatures, or the device cools off, told only to the holder of the
    /// device's session key; or how many seconds a back end has to wait at its rate.
    public var retryAfter: Int64?

    /// When the device's cool-off ends, by the server's clock; absent for every other refusal. Told only to the holder
    /// of the device's session key.
    public var coolingOffUntil: UnixTime?

    /// A problem of a type.
    public init(_ kind: Kind, status: Int, error: String? = nil, triesLeft: Int? = nil) {
        type = kind.uri
        title = kind.title
        self.status = status
        self.error = error
        self.triesLeft = triesLeft
    }
}
