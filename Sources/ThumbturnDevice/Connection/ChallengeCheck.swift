import ThumbturnCore
import ThumbturnMessages

/// Checks that a challenge is the one that this device asked for. No key signs a challenge that was not checked.
struct ChallengeCheck {
    let issuer: String
    let request: ChallengeRequest
    /// The transaction of an approval, byte for byte as it was shown; nil for other purposes.
    var txn: String? = nil
    /// What the approval needs; nil for other purposes.
    var demand: ApprovalDemand? = nil

    /// Returns the challenge if it answers the request. Its MAC is for the server: the device cannot check it.
    func accept(_ challenge: String) throws(Failure) -> CheckedChallenge {
        guard let jws = CompactJWS(challenge), let claims = try? StrictJSON.decode(ChallengeClaims.self, from: jws.payload),
            claims.iss == issuer, claims.aud == issuer,
            claims.purpose == request.purpose, claims.act == request.act,
            claims.txn == txn, claims.demand == demand,
            isAnswered(by: claims.kids),
            claims.cnf.jkt == request.jkt,
            // Both times are the server's: the device's clock may be wrong, and the server judges the age anyway.
            claims.iat < claims.exp, claims.exp - claims.iat <= request.purpose.lifetime
        else { throw Failure(.unexpectedAnswer) }
        let new = zip(request.kids, claims.kids).first { asked, _ in asked == PINHandle.placeholder }
        return CheckedChallenge(text: challenge, newHandle: new?.1, lifetime: claims.exp - claims.iat, issuedAt: claims.iat)
    }

    /// Whether these are the key ids that were asked for, in the same order, with a handle of the server's in place of
    /// the placeholder.
    private func isAnswered(by kids: [String]) -> Bool {
        kids.count == request.kids.count
            && zip(request.kids, kids).allSatisfy { asked, given in
                asked == PINHandle.placeholder ? PINHandle.isHandle(given) : asked == given
            }
    }
}

/// A challenge that was checked to be the one that this device asked for.
package struct CheckedChallenge: Sendable {
    /// The string to sign, exactly as received.
    package let text: String
    /// The id of the new PIN key, where one was asked for.
    package let newHandle: String?
    /// How long the server accepts it.
    let lifetime: Duration
    /// The server's time when it made the challenge.
    let issuedAt: UnixTime

    /// Whether a prompt that is shown now can still be answered: at least a minute is left.
    func leavesTimeToAnswer(after age: Duration) -> Bool { age < lifetime - .seconds(60) }
}
