/// The key ids of PIN keys: random handles from the server, never thumbprints.
///
/// A PIN key may be derived from the PIN. An attacker with its thumbprint could then try all PINs offline, so nothing
/// that is computed from the public key identifies it.
package enum PINHandle {
    /// The placeholder for a new PIN key in the `kids` of a request: the server replaces it by a new handle.
    package static let placeholder = "pin"

    /// A handle of 16 random bytes: `pin.` and the bytes in base64url.
    package static func make(using generator: inout some RandomNumberGenerator) -> String {
        prefix + Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Whether a key id has the form of a handle.
    package static func isHandle(_ kid: String) -> Bool {
        kid.hasPrefix(prefix) && Base64URL.decode(kid.dropFirst(prefix.count))?.count == 16
    }

    private static let prefix = "pin."
}
