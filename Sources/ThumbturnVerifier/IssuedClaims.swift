import ThumbturnCore

/// The claims that every token of an issuer has (RFC 9068 section 2.2), with the one check of them.
protocol IssuedClaims {
    var iss: String { get }
    var aud: String { get }
    var exp: UnixTime { get }
}

extension IssuedClaims {
    /// Throws unless the token is of this issuer, for this audience, and not expired.
    func check(issuer: String, audience: String, at now: UnixTime) throws(VerificationError) {
        guard iss == issuer else { throw .wrongIssuer }
        guard aud == audience else { throw .wrongAudience }
        guard now < exp else { throw .expired }
    }
}

extension AccessTokenClaims: IssuedClaims {}
extension ClientTokenClaims: IssuedClaims {}
extension PlainTokenClaims: IssuedClaims {}
