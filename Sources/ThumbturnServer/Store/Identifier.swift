#if Server
package import ThumbturnCore

/// An identity of 16 random bytes; in text it is base64url. One type for each kind, so that they cannot be mixed up.
package struct Identifier<Kind>: Hashable, Sendable {
    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Four bytes of the time, four of the moment within it, then eight random ones: what is made together lies together in the store.
    package static func random(at now: UnixTime, _ moment: UInt32) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds)) + bigEndian(moment) + random().bytes.dropFirst(8))
    }

    /// Above everything that was made until then, and not above anything later.
    package static func first(after now: UnixTime) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds + 1)) + [UInt8](repeating: 0, count: 12))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    package static func random() -> Self {
        Self(unchecked: RandomBytes.sixteen())
    }

    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
    package var text: String { Base64URL.encode(bytes) }
}

package enum AccountKind {}
package enum DeviceKind {}
package enum SessionKind {}
package typealias AccountID = Identifier<AccountKind>
package typealias DeviceID = Identifier<DeviceKind>
package typealias SessionID = Identifier<SessionKind>
#endif
