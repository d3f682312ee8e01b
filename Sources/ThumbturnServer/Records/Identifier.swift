#if Server
package import ThumbturnCore
import ThumbturnMessages

/// Marks the identifiers of accounts.
package enum AccountKind {}
/// Marks the identifiers of devices.
package enum DeviceKind {}
/// Marks the identifiers of sessions.
package enum SessionKind {}
/// The identifier of an account.
package typealias AccountID = Identifier<AccountKind>
/// The identifier of a device.
package typealias DeviceID = Identifier<DeviceKind>
/// The identifier of a session.
package typealias SessionID = Identifier<SessionKind>

/// An identifier of 16 random bytes; its text is base64url. Each kind of record has its own type, so that they cannot
/// be mixed up.
package struct Identifier<Kind>: Hashable, Sendable {
    /// The 16 bytes.
    package let bytes: [UInt8]

    /// Creates an identifier from bytes; nil unless there are 16.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Creates an identifier from text; nil unless it is 16 bytes in base64url.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Creates an identifier from bytes of the store, which were an identifier before.
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// A new random identifier. Its text never begins with a dash, so that a command takes it for an argument and not
    /// for an option.
    package static func random() -> Self {
        while true {
            let new = Self(unchecked: RandomBytes.sixteen())
            // The first six bits are the first character.
            if new.bytes[0] >> 2 != 62 { return new }
        }
    }

    /// A new identifier that begins with the time: four bytes of seconds, four bytes of `moment`, and eight random
    /// bytes. Rows that are written at the same time lie next to each other, so that a batch of them touches few pages.
    package static func random(at now: UnixTime, _ moment: UInt32) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds)) + bigEndian(moment) + RandomBytes.eight())
    }

    /// The lowest identifier that `random(at:_:)` can make after a time. All that were made until then are below it.
    package static func first(after now: UnixTime) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds + 1)) + [UInt8](repeating: 0, count: 12))
    }

    /// The bytes in base64url: 22 characters.
    package var text: String { Base64URL.encode(bytes) }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
#endif
