import Synchronization
import ThumbturnCore
import ThumbturnMessages

/// Signs requests with DPoP proofs by a session key (RFC 9449), with the newest nonce of each origin.
final class DPoPSigner: Sendable {
    private let platform: DevicePlatform
    /// The newest nonce that each origin gave.
    private let nonces = Mutex<[WebOrigin: String]>([:])

    init(platform: DevicePlatform) { self.platform = platform }

    /// Sets the fields `DPoP` and, with a token, `Authorization`.
    ///
    /// - Parameters:
    ///   - request: the request. Its URL goes into the proof, without query and fragment (RFC 9449 section 4.2).
    ///   - origin: where the request goes.
    ///   - token: the access token that goes with it.
    ///   - key: the session key.
    ///   - hasWholeBody: whether the proof is over the body too. A body that is sent as a stream is not known here.
    func sign(
        _ request: inout TransportRequest, to origin: WebOrigin, token: String?, key: KeyName, hasWholeBody: Bool = true
    ) async throws(Failure) {
        let publicKey = try await platform.keys.publicKey(of: key)
        let claims = DPoPClaims(
            jti: Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255) }), htm: request.method,
            htu: String(request.url.prefix { $0 != "?" && $0 != "#" }),
            iat: platform.clock.civilTime, ath: token.map { Signing.hash(Array($0.utf8)) },
            nonce: nonces.withLock { $0[origin] },
            bdy: request.method == "GET" || !hasWholeBody ? nil : Signing.hash(request.body)
        )
        let input = Signing.dpopInput(claims, key: publicKey)
        let signature = try await platform.keys.sign(input, with: key, presence: nil)
        request.headers["DPoP"] = CompactJWS.compact(signingInput: input, signature: signature)
        if let token { request.headers["Authorization"] = "DPoP \(token)" }
    }

    /// Keeps the nonce of an answer. It is echoed in each proof, so one that is no nonce is not kept.
    func note(_ response: TransportResponse, from origin: WebOrigin) {
        guard let fresh = response.headers["dpop-nonce"], EchoedText.isNonce(fresh) else { return }
        nonces.withLock { $0[origin] = fresh }
    }
}
