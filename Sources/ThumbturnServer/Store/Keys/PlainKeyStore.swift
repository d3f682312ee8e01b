#if Server
/// The part of the store that knows the keys of plain clients. Each belongs to a device that has no other key.
package protocol PlainKeyStore: Sendable {
    /// Spends, and enrols a device with this key alone. False if the ticket was spent before, the key is known already, the device that
    /// vouches may not, or the account has as many such keys as it may; the spend stands.
    func enrol(_ device: NewDevice, with key: NewPlainKey, spending: Spend) async throws -> Bool
    /// As many as an account may have, all of one length: every one that is the account's, whose device is not revoked, and for the rest
    /// those of other accounts. Whether the account has any changes nothing of what is read. Fewer only where there are no more at all.
    func plainKeys(around account: AccountID, ofLength spkiLength: Int) async throws -> [EnrolledPlainKey]
    /// Spends. False if it was spent before, or the key's device has been revoked; the spend stands.
    func spend(_ spend: Spend, on key: EnrolledPlainKey) async throws -> Bool
    /// Whether a device has such a key, and is not revoked.
    func hasPlainKey(_ device: DeviceID) async throws -> Bool
}

package struct NewPlainKey: Sendable {
    /// The thumbprint.
    package var kid: String
    /// The SubjectPublicKeyInfo in DER.
    package var spki: [UInt8]
}

package struct EnrolledPlainKey: Sendable {
    /// An answer names no key, so each sign-in costs so many verifications.
    package static let mostOfAnAccount = 8

    package var spki: [UInt8]
    package var device: DeviceID
    package var account: AccountID
}
#endif
