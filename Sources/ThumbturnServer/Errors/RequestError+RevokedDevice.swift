#if Server
/// The answers to a revoked device, and to a device whose session has ended.
///
/// | the device sends | it gets |
/// |---|---|
/// | an access token | 401 `invalid_token` (`endedSession`) |
/// | a refresh token | 400 `invalid_grant` (`endedRefresh`) |
/// | a proof by one of its keys | 400 `invalid_grant` or 401: the key is unknown now |
/// | a DPoP proof by its session key only | 404 |
///
/// The answers change with the commit of the revocation, because sessions and keys are looked up for every request.
extension RequestError {
    /// The answer to an access token whose session has ended.
    static let endedSession = invalidToken(.init(.token, .sessionOver))
    /// The answer to a refresh token whose session has ended.
    static let endedRefresh = invalidGrant(.init(.refresh, .sessionOver))
}
#endif
