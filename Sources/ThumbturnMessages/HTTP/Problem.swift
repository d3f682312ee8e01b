/// A problem document (RFC 9457). The types are few and neutral: no answer tells which element was wrong.
///
/// At the token endpoint, and wherever DPoP is refused, the member `error` carries the code of RFC 6749 section 5.2 or
/// RFC 9449 sections 5 and 8 as well.
public struct Problem: Codable, Hashable, Sendable {
    enum CodingKeys: String, CodingKey {
        case type, title, status, error
        case triesLeft = "tries_left"
        case retryAfter = "retry_after"
    }

    /// The types there are.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request cannot be read.
        case malformed
        /// Anything about keys, proofs, challenges, passwords or tokens.
        case verificationFailed = "verification-failed"
        /// The person has to prove presence again (RFC 9470).
        case stepUpRequired = "step-up-required"
        case notFound = "not-found"
        case tooLarge = "too-large"
        /// Something is no longer as the request takes it to be. Told only to whom it belongs.
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
    /// The type in words.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The OAuth code, where there is one.
    public var error: String?
    /// How many wrong PINs in a row the PIN key still takes; at 0 it is disabled for good. Told only to the holder of the session key
    /// of that key's device, about a guess that was counted.
    public var triesLeft: Int?

    /// For how many seconds the key pauses after wrong signatures. Told only to the holder of its device's session key.
    public var retryAfter: Int64?

    /// A problem of a type.
    public init(_ kind: Kind, status: Int, error: String? = nil, triesLeft: Int? = nil) {
        type = kind.uri
        title = kind.title
        self.status = status
        self.error = error
        self.triesLeft = triesLeft
    }
}
