#if Server
import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
public import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Delivers notices by HTTP as Standard Webhooks 1.0.0 specifies: a JSON body, and the headers `webhook-id`,
/// `webhook-timestamp` and `webhook-signature`. The signature is `v1,` and the base64 of HMAC-SHA-256 over the id, the
/// timestamp and the body, joined by dots.
public struct NoticeWebhook: Notices, Redacted {
    let url: String
    private let key: SymmetricKey
    /// How long to wait for an answer.
    var limit = TimeAmount.seconds(10)

    /// The receiver's answer was not a success.
    struct NotAccepted: Error, CustomStringConvertible {
        var status: UInt
        var description: String { "the webhook answered \(status)" }
    }

    /// Creates a webhook.
    ///
    /// - Parameter url: https, or http to this machine itself.
    /// - Parameter secret: 24 to 64 bytes in base64, with or without the prefix `whsec_`.
    /// - Throws: `SetupError.webhook` if the address or the secret is not acceptable.
    public init(url: String, secret: String) throws(SetupError) {
        let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            parts.scheme == "https" || (parts.scheme == "http" && Loopback.contains(host: host)),
            let bytes = Data(base64Encoded: text), (24...64).contains(bytes.count)
        else { throw .webhook }
        self.url = url
        key = SymmetricKey(data: bytes)
    }

    /// Sends a notice. Throws unless the receiver answers with a 2xx status within ten seconds.
    public func deliver(_ notice: Notice) async throws {
        let body = WireJSON.encode(notice.record)
        let sentAt = Int64(Date().timeIntervalSince1970)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        for (name, value) in signed(id: notice.id, body: body, at: sentAt) { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let answer = try await Self.client.execute(request, timeout: limit)
        guard (200..<300).contains(answer.status.code) else { throw NotAccepted(status: answer.status.code) }
    }

    /// Follows no redirect: the operator named one address, and a receiver that may name another could have bodies and
    /// signatures posted anywhere.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    func signed(id: String, body: [UInt8], at seconds: Int64) -> [(String, String)] {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(id).\(seconds).".utf8) + body, using: key)
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
        ]
    }
}
#endif
