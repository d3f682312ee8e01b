#if Server
import ThumbturnCore

/// A plain client's key that is about to be enrolled.
package struct NewPlainKey: Sendable {
    /// The key's thumbprint (RFC 7638).
    package var kid: String
    /// The SubjectPublicKeyInfo in DER.
    package var spki: [UInt8]
    package var format: PlainFormat

    package init(kid: String, spki: [UInt8], format: PlainFormat = .digits) {
        (self.kid, self.spki, self.format) = (kid, spki, format)
    }
}

/// A plain client's key with its device and account.
package struct EnrolledPlainKey: Sendable {
    /// The most keys of an account. A sign-in names no key, so each one takes this many verifications.
    package static let mostOfAnAccount = 8

    package var spki: [UInt8]
    package var device: DeviceID
    package var account: AccountID
    /// The only format in which it is accepted.
    package var format = PlainFormat.digits
}
#endif
