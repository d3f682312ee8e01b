#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
public import Foundation
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice
import ThumbturnMessages

/// A simulated OpenID provider with the browser in which the person signs in there, for tests of `OAuthSignIn`.
///
/// It answers as a transport for its issuer, and passes other requests on. It checks what a provider checks: the client,
/// the redirect and the code verifier. Its ID tokens are signed with ES256 by a key in memory.
///
/// It keeps a session in the browser, as providers do by a cookie: after the first sign-in it asks the person only where
/// `prompt=login` or `max_age` demands it, and `auth_time` says when it last did.
///
///     let provider = SimulatedProvider(clock: clock, passing: server)
///     let platform = phone.platform(transport: provider)
///     let signIn = try OAuthSignIn(
///         issuer: provider.issuer, clientID: provider.clientID, redirect: redirect, browser: provider, platform: platform)
///     provider.next(.refuse("access_denied"))
public final class SimulatedProvider: SignInBrowser, Transport {
    /// What happens on the provider's page, and what is wrong with its answer.
    public enum Act: Hashable, Sendable, CaseIterable {
        /// The person signs in.
        case signIn
        /// The person closes the page.
        case cancel
        /// The page never leads back to the app.
        case loseRedirect
        /// The answer has another state, is from another sign-in's code, or names another provider or none.
        case swapState, swapCode, swapIssuer, omitIssuer
        /// There is no ID token, or it has another nonce, another issuer or no nonce.
        case omitIDToken, swapNonce, swapTokenIssuer, omitNonce
        /// The provider answers by its session in the browser although it should ask the person, or does not say when it last
        /// asked. A first sign-in asks in any case.
        case answerByCookie, omitAuthTime
        /// The provider answers with an error.
        case refuse(String)

        public static var allCases: [Act] {
            [
                .signIn, .cancel, .loseRedirect, .swapState, .swapCode, .swapIssuer, .omitIssuer, .omitIDToken, .swapNonce,
                .swapTokenIssuer, .omitNonce, .answerByCookie, .omitAuthTime, .refuse("access_denied"),
            ]
        }
    }

    /// The provider.
    public let issuer: URL
    /// The app's id at the provider.
    public let clientID: String
    /// Who signs in.
    public let subject: String
    private let clock: any DeviceClock
    private let rest: any Transport
    private let key = P256.Signing.PrivateKey()
    private let state = Mutex(State())

    private struct State {
        var acts: [Act] = []
        var sent: [String: Request] = [:]
        var pages: [URL] = []
        var codes = 0
        /// When the person last signed in in this browser; nil before that.
        var session: UnixTime?
        /// Changes the members of the metadata.
        var change: (@Sendable (inout [String: Value]) -> Void)?
    }

    /// An authorization request whose code was not exchanged yet.
    private struct Request {
        var act: Act
        var fields: [String: String]
        /// When the provider last asked the person.
        var authTime: UnixTime
    }

    /// A member of the provider's JSON.
    package enum Value: Encodable, Sendable {
        case text(String), texts([String]), flag(Bool), number(Int64)

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let value): try container.encode(value)
            case .texts(let value): try container.encode(value)
            case .flag(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            }
        }
    }

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - issuer: its address.
    ///   - clientID: the app's id there.
    ///   - subject: who signs in: the claim `sub`.
    ///   - clock: the time of its tokens.
    ///   - rest: gets the requests to other servers.
    public init(
        issuer: URL = URL(string: "https://id.example")!, clientID: String = "our-app", subject: String = "ada",
        clock: any DeviceClock, passing rest: any Transport
    ) {
        (self.issuer, self.clientID, self.subject, self.clock, self.rest) = (issuer, clientID, subject, clock, rest)
    }

    /// Sets what happens at the next sign-ins. Afterwards the person signs in.
    public func next(_ acts: Act...) { state.withLock { $0.acts += acts } }

    /// The addresses of the pages that were shown, in order.
    public var pages: [URL] { state.withLock { $0.pages } }

    /// The key of its ID tokens.
    package var publicKey: PublicKey {
        let bytes = Array(key.publicKey.x963Representation)
        guard let key = PublicKey(x963: bytes) else { preconditionFailure("a key of ours has the form of one") }
        return key
    }

    /// Changes the metadata that it publishes.
    package func changeMetadata(_ change: @escaping @Sendable (inout [String: Value]) -> Void) {
        state.withLock { $0.change = change }
    }
}

// MARK: - The browser

extension SimulatedProvider {
    public func open(_ page: SignInPage) async throws(Failure) -> URL {
        let act = state.withLock { $0.acts.isEmpty ? .signIn : $0.acts.removeFirst() }
        let answer = answer(to: page.url(listeningOn: 4242), act)
        switch act {
        case .cancel: throw Failure(.cancelledByUser)
        case .loseRedirect:
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(1_000_000)))
            throw Failure(.cancelledByApp)
        default: return answer
        }
    }

    /// The address to which the provider sends a browser that shows this page.
    package func answer(to page: URL, _ act: Act = .signIn) -> URL {
        state.withLock { $0.pages.append(page) }
        let query = URLComponents(url: page, resolvingAgainstBaseURL: true)?.percentEncodedQuery
        guard let fields = FormText.decode(query ?? ""), let redirect = fields["redirect_uri"],
            let url = URL(string: "\(redirect)?\(FormText.encode(answerFields(to: fields, act)))")
        else { preconditionFailure("the page of a sign-in names its redirect") }
        return url
    }

    private func answerFields(to fields: [String: String], _ act: Act) -> [(String, String)] {
        var answer = [("state", act == .swapState ? "another" : fields["state"] ?? "")]
        if act != .omitIssuer {
            answer.append(("iss", act == .swapIssuer ? "https://evil.example" : issuer.absoluteString))
        }
        guard fields["response_type"] == "code", fields["client_id"] == clientID, fields["code_challenge_method"] == "S256",
            fields["scope"]?.split(separator: " ").contains("openid") == true
        else { return answer + [("error", "invalid_request")] }
        if case .refuse(let error) = act { return answer + [("error", error)] }
        var request = Request(act: act, fields: fields, authTime: authTime(for: fields, act))
        // A code that another person's sign-in got has that one's challenge.
        if act == .swapCode { request.fields["code_challenge"] = Signing.hash([]) }
        let code = state.withLock { state in
            state.codes += 1
            state.sent["code \(state.codes)"] = request
            return "code \(state.codes)"
        }
        return answer + [("code", code)]
    }
}

extension SimulatedProvider {
    /// Asks the person, unless the session in the browser answers. Returns when the person was last asked.
    private func authTime(for fields: [String: String], _ act: Act) -> UnixTime {
        let now = clock.civilTime
        return state.withLock { state in
            if let session = state.session {
                let isTooOld = fields["max_age"].flatMap { Int64($0) }.map { now - session >= .seconds($0) } ?? false
                let asks = isTooOld || fields["prompt"]?.split(separator: " ").contains("login") == true
                if !asks || act == .answerByCookie { return session }
            }
            // A person who closes the page has not signed in.
            if act != .cancel { state.session = now }
            return now
        }
    }
}

// MARK: - The network

extension SimulatedProvider {
    public func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let base = issuer.absoluteString
        switch (request.method, request.url) {
        case ("GET", "\(base)/.well-known/openid-configuration"): return respond(200, metadata)
        case ("POST", "\(base)/token"): return exchange(FormText.decode(String(decoding: request.body, as: UTF8.self)) ?? [:])
        case (_, _) where request.url.hasPrefix(base): return respond(404, ["error": .text("not_found")])
        default: return try await rest.send(request)
        }
    }

    private var metadata: [String: Value] {
        let base = issuer.absoluteString
        var members: [String: Value] = [
            "issuer": .text(base), "authorization_endpoint": .text("\(base)/authorize?tenant=1"),
            "token_endpoint": .text("\(base)/token"), "response_types_supported": .texts(["code"]),
            "code_challenge_methods_supported": .texts(["S256"]),
            "authorization_response_iss_parameter_supported": .flag(true),
        ]
        state.withLock { $0.change }?(&members)
        return members
    }

    private func exchange(_ fields: [String: String]) -> TransportResponse {
        guard let request = state.withLock({ $0.sent.removeValue(forKey: fields["code"] ?? "") }),
            fields["grant_type"] == "authorization_code", fields["client_id"] == clientID,
            fields["redirect_uri"] == request.fields["redirect_uri"],
            Signing.hash(Array((fields["code_verifier"] ?? "").utf8)) == request.fields["code_challenge"]
        else { return respond(400, ["error": .text("invalid_grant")]) }
        var answer: [String: Value] = ["access_token": .text("the provider's own"), "token_type": .text("Bearer")]
        if request.act != .omitIDToken { answer["id_token"] = .text(idToken(for: request)) }
        return respond(200, answer)
    }

    private func idToken(for request: Request) -> String {
        let now = clock.civilTime.seconds
        var claims: [String: Value] = [
            "iss": .text(request.act == .swapTokenIssuer ? "https://evil.example" : issuer.absoluteString),
            "aud": .text(clientID), "sub": .text(subject), "iat": .number(now), "exp": .number(now + 600),
        ]
        if request.act != .omitNonce {
            claims["nonce"] = .text(request.act == .swapNonce ? "another" : request.fields["nonce"] ?? "")
        }
        if request.act != .omitAuthTime { claims["auth_time"] = .number(request.authTime.seconds) }
        let header: [String: Value] = ["alg": .text("ES256"), "typ": .text("JWT")]
        let input = CompactJWS.signingInput(header: StrictJSON.encode(header), payload: StrictJSON.encode(claims))
        guard let signature = try? key.signature(for: input) else { preconditionFailure("a key in memory signs") }
        return CompactJWS.compact(signingInput: input, signature: Array(signature.rawRepresentation))
    }

    private func respond(_ status: Int, _ members: [String: Value]) -> TransportResponse {
        TransportResponse(status: status, headers: ["content-type": "application/json"], body: StrictJSON.encode(members))
    }
}
