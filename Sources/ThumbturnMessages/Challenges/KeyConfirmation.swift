public import ThumbturnCore

/// The claim `cnf` with the thumbprint of the session key (RFC 7800, RFC 9449 section 6.1).
public struct KeyConfirmation: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case jkt }

    /// The key's RFC 7638 thumbprint.
    public var jkt: String

    /// A confirmation of one key.
    public init(jkt: String) {
        self.jkt = jkt
    }
}
