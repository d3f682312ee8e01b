#if Server
/// The evidence that the person of a full sign-in was verified for it. It decides what its ticket and its visit are worth.
///
/// A provider may answer by a session of its own in the browser, and ask for nothing. Then its ID token shows who signed in
/// there once, perhaps long ago, and not who holds the device now.
package enum SignInFreshness: String, Codable, Hashable, Sendable, CaseIterable {
    /// The person was verified for this sign-in: by a password or a recovery code, by the key of a device that vouches, or
    /// by a provider after the challenge that began the sign-in.
    case fresh
    /// Nothing shows that the provider asked the person.
    case stale
    /// The same, at a provider whose operator accepts that: see `IdentityProvider.StaleSignIn`.
    case acceptedStale = "accepted-stale"

    /// What a sign-in is worth beside an enrolment and a visit, which each of them may begin.
    struct Worth: Hashable {
        /// Whether its ticket authorises a change of keys, and other keys for a device that enrols again, and lets the device
        /// lift what a stronger rung lifts.
        var changesKeys: Bool
        /// Whether its visit gives a ticket to a device.
        var vouches: Bool
        /// Whether the tokens of its visit say that the person was verified now. An action of the policy may take that for a
        /// proof of presence.
        var datesTokens: Bool
        /// Whether the device that it enrols or changes cools off even if its account has no other device. The owner has
        /// the notice, and this time, to stop what another person began with the session of the browser.
        var coolsOffAlone: Bool
    }

    /// The table of what each sign-in is worth. Nothing else distinguishes them.
    var worth: Worth {
        switch self {
        case .fresh: Worth(changesKeys: true, vouches: true, datesTokens: true, coolsOffAlone: false)
        case .stale: Worth(changesKeys: false, vouches: false, datesTokens: false, coolsOffAlone: true)
        case .acceptedStale: Worth(changesKeys: true, vouches: true, datesTokens: true, coolsOffAlone: true)
        }
    }
}
#endif
