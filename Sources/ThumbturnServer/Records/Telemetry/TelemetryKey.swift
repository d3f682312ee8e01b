#if Server
import Crypto
import Foundation
package import ThumbturnCore
import ThumbturnMessages

/// A key with which an app sends reports of unlocks, and can do nothing else.
///
/// It is part of the app, so anyone can read it there: it keeps strangers without the app away, and an operator can end it.
package struct TelemetryKey: Hashable, Sendable {
    /// The name that the operator gave it.
    package var name: String
    /// When it was made.
    package var createdAt: UnixTime

    /// Makes the text of a new key, which is shown once: 32 random bytes in base64url.
    static func random() -> String { Base64URL.encode(RandomBytes.sixteen() + RandomBytes.sixteen()) }

    /// What the store keeps of a key's text: its SHA-256. The key is random, so that a slow hash would protect nothing.
    /// Nil for a text that is no key, which is not looked up.
    static func hash(_ text: String) -> [UInt8]? {
        guard let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
        return Array(SHA256.hash(data: bytes))
    }
}
#endif
