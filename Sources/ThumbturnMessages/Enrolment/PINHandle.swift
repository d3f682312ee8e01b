/// The key ids of PIN keys: random handles from the server, never thumbprints.
///
/// A PIN key may be derived from the PIN. Whoever has its thumbprint could then try all PINs without asking anybody, so nothing
/// that is computed from the public key stands for it.
package enum PINHandle {
    /// What a device asks for in the `kids` of an `enrol` challenge: the server puts a new handle in its place.
    package static let placeholder = "pin"

    /// A handle of 16 random bytes: `pin.` and the bytes in base64url.
    package static func make(using generator: inout some RandomNumberGenerator) -> String {
        prefix + Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Whether a key id is a handle, as far as can be told without looking.
    package static func isHandle(_ kid: String) -> Bool {
        kid.hasPrefix(prefix) && Base64URL.decode(kid.dropFirst(prefix.count))?.count == 16
    }

    private static let prefix = "pin."
}
