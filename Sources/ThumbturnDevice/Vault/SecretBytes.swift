public import ThumbturnCore

/// Bytes that are a secret. They have no description and no equality, so they reach no log and are compared nowhere by accident.
public struct SecretBytes: Sendable, Redacted {
    /// The bytes themselves.
    public let bytes: [UInt8]

    /// Marks bytes as a secret.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Marks the UTF-8 bytes of a text as a secret.
    public init(_ text: String) {
        bytes = Array(text.utf8)
    }
}
