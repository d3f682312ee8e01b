import Foundation
import ThumbturnCore
import ThumbturnMessages

/// The device checks what it signs: a challenge must be what this device asked for, or no key touches it.
struct ChallengeCheck {
    let issuer: String
    let request: ChallengeRequest
    /// Of an approval: what was shown, byte for byte, and what was demanded.
    var txn: String? = nil
    var demand: ApprovalDemand? = nil

    /// Returns the challenge if it answers the request. Its MAC is the server's own business; the device cannot read it.
    func accept(_ challenge: String) throws(Failure) -> CheckedChallenge {
        guard let jws = CompactJWS(challenge), JSONScan.isUnambiguous(jws.payload),
            let claims = try? JSONDecoder().decode(Strict<ChallengeClaims>.self, from: Data(jws.payload)).content,
            claims.iss == issuer, claims.aud == issuer,
            claims.purpose == request.purpose, claims.act == request.act,
            claims.txn == txn, claims.demand == demand,
            isAnswered(by: claims.kids),
            claims.cnf.jkt == request.jkt,
            // By the server's clock alone: the device's own may be wrong, and the server judges the time anyway.
            claims.iat < claims.exp, claims.exp - claims.iat <= request.purpose.lifetime
        else { throw Failure(.unexpectedAnswer) }
        let new = zip(request.kids, claims.kids).first { asked, _ in asked == PINHandle.placeholder }
        return CheckedChallenge(text: challenge, newHandle: new?.1, lifetime: claims.exp - claims.iat, issuedAt: claims.iat)
    }

    /// The same key ids in the same order; only in the place of the placeholder there is a handle of the server's.
    private func isAnswered(by kids: [String]) -> Bool {
        kids.count == request.kids.count
            && zip(request.kids, kids).allSatisfy { asked, given in
                asked == PINHandle.placeholder ? PINHandle.isHandle(given) : asked == given
            }
    }
}

/// A challenge that is what this device asked for.
package struct CheckedChallenge: Sendable {
    /// The string to sign, exactly as received.
    package let text: String
    /// The id of the new PIN key in it, where one was asked for.
    package let newHandle: String?
    /// How long the server takes it.
    let lifetime: Duration
    /// The server's time when it made the challenge; nil where there is none.
    let issuedAt: UnixTime?

    /// Where there is nothing to sign.
    static let nothing = CheckedChallenge(text: "", newHandle: nil, lifetime: .zero, issuedAt: nil)
}
