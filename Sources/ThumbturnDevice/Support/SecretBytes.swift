public import ThumbturnCore

/// Secret bytes. They print as their type's name and have no equality, so they reach no log and are not compared by
/// accident.
public struct SecretBytes: Sendable, Redacted {
    /// The bytes themselves.
    public let bytes: [UInt8]

    /// Marks bytes as secret.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Marks the UTF-8 bytes of a text as secret.
    public init(_ text: String) {
        bytes = Array(text.utf8)
    }
}
