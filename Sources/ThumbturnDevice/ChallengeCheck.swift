import Foundation
import ThumbturnCore

/// The device checks what it signs: a challenge must be what this device asked for, or no key touches it.
struct ChallengeCheck {
    let issuer: String
    let request: ChallengeRequest

    /// Returns if the challenge answers the request. Its MAC is the server's own business; the device cannot read it.
    func accept(_ challenge: String) throws(Failure) {
        guard let jws = CompactJWS(challenge), JSONScan.isUnambiguous(jws.payload),
            let claims = try? JSONDecoder().decode(Strict<ChallengeClaims>.self, from: Data(jws.payload)).content,
            claims.iss == issuer, claims.aud == issuer,
            claims.purpose == request.purpose,
            claims.kids == request.kids,
            claims.cnf.jkt == request.jkt,
            // By the server's clock alone: the device's own may be wrong, and the server judges the time anyway.
            claims.iat < claims.exp, claims.exp - claims.iat <= .seconds(300)
        else { throw Failure(.unexpectedAnswer, recovery: .report) }
    }
}
