import ThumbturnCore

/// The claims that every token of an issuer has (RFC 9068 section 2.2), with the one check of them.
protocol IssuedClaims {
    var iss: String { get }
    var aud: String { get }
    var iat: UnixTime { get }
    var exp: UnixTime { get }
    /// When the subject was verified.
    var authTime: UnixTime { get }
}

extension IssuedClaims {
    /// Throws unless the token is of this issuer, for this audience, not expired, not from the future, and valid for no
    /// longer than the issuer's tokens are.
    func check(
        issuer: String, audience: String, longestLife: Duration, at now: UnixTime
    ) throws(VerificationError) {
        guard iss == issuer else { throw .wrongIssuer }
        guard aud == audience else { throw .wrongAudience }
        try TokenTimes.check(issued: iat, expiry: exp, longestLife: longestLife, at: now)
        try TokenTimes.checkPast(authTime, at: now)
    }
}

extension AccessTokenClaims: IssuedClaims {}
extension ClientTokenClaims: IssuedClaims {
    /// A back end is verified for each of its tokens.
    var authTime: UnixTime { iat }
}
extension PlainTokenClaims: IssuedClaims {}
