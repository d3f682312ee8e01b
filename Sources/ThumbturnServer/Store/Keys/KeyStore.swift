#if Server
package import ThumbturnCore

/// The part of the store that keeps the keys of devices.
package protocol KeyStore: Sendable {
    /// The key of this id with its device, also when the device is revoked.
    func key(_ kid: String) async throws -> EnrolledKey?
    /// The key of this id, possibly as it was a while ago: what never changes of it is right. What may have changed is judged in
    /// the transaction that it pays for.
    func knownKey(_ kid: String) async throws -> EnrolledKey?
    /// Spends a challenge whose proof this key did not sign. That is one more wrong signature in a row, unless something was
    /// spent before: a spent challenge tells nobody whether a PIN is right. From the fifth on a key pauses, but for PIN keys,
    /// which have few tries anyway; while it pauses nothing is counted.
    ///
    /// - Returns: how many there are in a row now; nil if it was spent before, or the key is gone.
    func spend(_ spends: [Spend], wronglySignedBy kid: String) async throws -> Int?
    /// Spends, and puts a key in the place of another or takes it away, all at once. Refused if anything was spent before, the
    /// device or the paying key is gone, the old key is no longer the one that was there, or the new one is known already; the
    /// spends stand. The old key is kept as a retired one, and never comes back. The sessions that it opened end, unless it paid.
    func change(_ change: NewKeys, spending: [Spend]) async throws -> Paid<DeviceView>
}

package struct EnrolledKey: Sendable {
    package var kid: String
    package var kind: KeyKind
    package var x963: [UInt8]
    package var device: DeviceID
    package var account: AccountID
    package var accountName: String
    package var coolsOffUntil: UnixTime
    /// The thumbprint of the session key that the device was enrolled with.
    package var sessionJKT: String
    /// The device is revoked, or another key took this one's place.
    package var isRevoked: Bool
    /// It has signed, here or at its enrolment.
    package var isActive: Bool
    package var enrolledBy: KeyOrigin
    /// Wrong signatures in a row.
    package var wrongInARow: Int
    /// Ten wrong PINs in a row end a PIN key, as they do on the device (NIST SP 800-63B-4 section 3.2.10).
    /// A hundred wrong signatures end every other one (section 3.2.2).
    package var isDisabled: Bool { wrongInARow >= (kind == .pin ? PINLedger.limit : ThrottleLimits.standard.mostInARow) }
    /// Until when no signature of it is judged, after wrong ones.
    package var pausedUntil = UnixTime(seconds: 0)
    package func isPaused(at now: UnixTime) -> Bool { now < pausedUntil }
}

/// What stood behind a key when it was enrolled, so that a policy can refuse keys which rest on less.
package enum KeyOrigin: String, Sendable {
    /// A sign-in with the password. Keys of an enrolment are of this kind.
    case credentials
    case biometric
    case pin
    /// The passcode: the weakest, and it is inherited.
    case passcode
}

/// A change of one device's keys of one kind.
package struct NewKeys: Sendable {
    package var device: DeviceID
    package var kind: KeyKind
    /// The key that was there when the change was judged; nil where there was none.
    package var old: String?
    /// Nil: the old one is taken away.
    package var new: NewDevice.Key?
    package var origin: KeyOrigin
    /// The key whose proof pays; nil where a ticket does.
    package var payer: String?
    /// Where a ticket pays: the cool-off of a device whose account has others.
    package var coolOff: Duration

    package init(
        device: DeviceID, kind: KeyKind, old: String?, new: NewDevice.Key?, origin: KeyOrigin, payer: String?, coolOff: Duration
    ) {
        self.device = device
        self.kind = kind
        self.old = old
        self.new = new
        self.origin = origin
        self.payer = payer
        self.coolOff = coolOff
    }
}
#endif
