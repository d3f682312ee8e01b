#if Server
package import ThumbturnCore

/// The consumption of something that is accepted once: a challenge, a ticket, an assertion, an ID token, the token of
/// a step-up or that of a TPM's credential.
///
/// Its identity is use, id and expiry. The use keeps ids of different kinds apart. The expiry has to come from the
/// issuer of the id, under the same signature, so that an id never has two. It is consumed only in the epoch in which
/// it was verified, so that nothing from the secrets of an earlier epoch is accepted in the next one.
package struct Spend: Hashable, Sendable {
    /// The kinds of things that are accepted once. The raw values are stored.
    package enum Use: Int, Sendable {
        /// A challenge for an app's keys.
        case challenge = 1
        /// An enrolment ticket.
        case ticket = 2
        /// The assertion of a back end (RFC 7523).
        case assertion = 3
        /// An ID token of an identity provider.
        case idToken = 4
        /// A challenge for a plain client.
        case plainChallenge = 5
        /// The token of a step-up at one of this server's own routes.
        case stepUp = 6
        /// The one ticket that a visit gives for an enrolment.
        case visit = 7
        /// The token beside a TPM's credential.
        case tpmActivation = 8
        /// A DPoP proof, where several nodes have to know of it. It is remembered by a statement of its own.
        case dpopProof = 9
        /// A challenge that shows when a sign-in elsewhere began. It is the same text as a challenge for keys, and expires
        /// later, so it is remembered apart.
        case signInBeginning = 10
        /// One authentication of a person at a provider, as the fresh one of an ID token.
        case authentication = 11
    }

    package var use: Use
    package var id: [UInt8]
    package var expiresAt: UnixTime
    /// The epoch in which it may be consumed.
    package var epoch: Int64

    package init(_ use: Use, id: [UInt8], expiresAt: UnixTime, epoch: Int64) {
        self.use = use
        self.id = id
        self.expiresAt = expiresAt
        self.epoch = epoch
    }
}
#endif
