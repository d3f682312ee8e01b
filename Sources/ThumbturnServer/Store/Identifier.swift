#if Server
package import ThumbturnCore
import ThumbturnMessages

package enum AccountKind {}
package enum DeviceKind {}
package enum SessionKind {}
package typealias AccountID = Identifier<AccountKind>
package typealias DeviceID = Identifier<DeviceKind>
package typealias SessionID = Identifier<SessionKind>

/// An identifier of 16 random bytes, in base64url where it is text. Each kind of thing has its own type, so that they cannot be
/// mixed up.
package struct Identifier<Kind>: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Nil unless there are 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Nil unless the text is 16 bytes in base64url.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// For bytes that were an identifier before, read back from the store.
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// A new identifier. Its text never begins with a dash, so that a command takes it for an argument and not for an option.
    package static func random() -> Self {
        while true {
            let new = Self(unchecked: RandomBytes.sixteen())
            if !new.text.hasPrefix("-") { return new }
        }
    }

    /// An identifier that begins with the time: four bytes of seconds, four of the moment within them, then eight random bytes.
    /// Rows that are written at the same time lie next to each other, so that a batch of them touches few pages.
    package static func random(at now: UnixTime, _ moment: UInt32) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds)) + bigEndian(moment) + random().bytes.dropFirst(8))
    }

    /// The lowest identifier that `random(at:_:)` can make after a time: all that were made until then are below it.
    package static func first(after now: UnixTime) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds + 1)) + [UInt8](repeating: 0, count: 12))
    }

    package var text: String { Base64URL.encode(bytes) }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
#endif
