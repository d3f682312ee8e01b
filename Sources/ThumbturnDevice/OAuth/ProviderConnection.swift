import ThumbturnCore

/// The two requests that the device itself sends to a provider: for its metadata, and for the ID token. Their answers
/// are bounded as those of the server are, and no redirect is followed.
struct ProviderConnection {
    let issuer: String
    let platform: DevicePlatform

    /// Reads the provider's metadata.
    func metadata() async throws(Failure) -> ProviderMetadata {
        var last = 0
        for address in ProviderMetadata.addresses(of: issuer) {
            let answer = try await send(TransportRequest(method: "GET", url: address))
            if answer.status == 200 { return try ProviderMetadata(answer.body, of: issuer) }
            last = answer.status
        }
        throw .provider("metadata", http: last)
    }

    /// Exchanges a code for an ID token. Whatever else comes with it is not read.
    func idToken(_ fields: [(String, String)], at endpoint: String) async throws(Failure) -> String {
        var request = TransportRequest(method: "POST", url: endpoint, body: Array(FormText.encode(fields).utf8))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        let answer = try await send(request)
        guard answer.status == 200 else {
            let refusal = try? StrictJSON.decodeIgnoringUnknown(Refusal.self, from: answer.body)
            throw Failure(oauth: refusal?.error ?? "", http: answer.status)
        }
        guard let tokens = try? StrictJSON.decodeIgnoringUnknown(Tokens.self, from: answer.body), let token = tokens.idToken
        else { throw .provider("id_token") }
        return token
    }

    private func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        var request = request
        request.headers["Accept"] = "application/json"
        request.deadline = platform.exchangeDeadline
        let answer = try await BoundedTransport(platform.transport, clock: platform.clock).send(request)
        guard answer.status < 500, answer.status != 429 else {
            let http = Failure.PlatformStatus(domain: "HTTP", code: answer.status)
            throw Failure(.unreachable, recovery: .wait(.seconds(5)), status: http)
        }
        return answer
    }

    private struct Refusal: Decodable { var error: String }

    private struct Tokens: Decodable {
        enum CodingKeys: String, CodingKey { case idToken = "id_token" }
        var idToken: String?
    }
}
