#if Server
import ThumbturnCore

/// The part of the store that keeps the keys of plain clients. Each belongs to a device that has no other key.
package protocol PlainKeyStore: Sendable {
    /// Consumes the ticket, and enrols a device whose only key is this one. False if the ticket was consumed before, if
    /// the key is known already, if the vouching device may not vouch, or if the account has the maximum of such keys
    /// or of devices. The ticket is consumed in any case.
    func enrol(_ device: NewDevice, with key: NewPlainKey, by ticket: Tickets.Right) async throws -> Bool
    /// Keys of one length, as many as an account may have: all of the account's own whose device is not revoked, filled
    /// up with keys of other accounts. So the number of rows does not reveal how many keys the account has. There are
    /// fewer only if the store has fewer.
    func plainKeys(around account: AccountID, ofLength spkiLength: Int) async throws -> [EnrolledPlainKey]
    /// Consumes a challenge, in any case.
    ///
    /// - Returns: the account's credential generation. Nil if the challenge was consumed before, the key's device has been
    ///   revoked or its account was switched off.
    func spend(_ spend: Spend, on key: EnrolledPlainKey) async throws -> Int64?
    /// The credential generation of a device's account. Nil unless the device has such a key and is not revoked, and its
    /// account is on.
    func plainGeneration(of device: DeviceID) async throws -> Int64?
}

/// A plain client's key that is about to be enrolled.
package struct NewPlainKey: Sendable {
    /// The key's thumbprint (RFC 7638).
    package var kid: String
    /// The SubjectPublicKeyInfo in DER.
    package var spki: [UInt8]
    package var format = PlainFormat.digits
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
