public import ThumbturnCore
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends batches of reports to a Thumbturn server: `POST /v1/telemetry`, which answers 202. It may hold a key, so it prints as its
/// type's name.
public struct ServerTelemetry: TelemetrySender, Redacted {
    public let scope: TelemetryScope
    private let post: @Sendable ([UInt8]) async -> TelemetryAnswer

    private static let path = "/v1/telemetry"

    /// Sends the reports of an authenticator's account with its session. Without a session they wait for the next one of the same
    /// person. Reports of other accounts and servers never go, and those of a vault only if it is named here.
    ///
    /// - Parameters:
    ///   - auth: the authenticator whose account and session it is.
    ///   - vaults: vaults whose reports go in that account's name, too.
    public init(_ auth: Authenticator, vaults: [Vault] = []) {
        scope = .only(auth, vaults: vaults)
        post = { batch in
            do throws(Failure) {
                _ = try await auth.send("POST", to: Self.path, json: batch)
                return .taken
            } catch {
                return TelemetryAnswer(error)
            }
        }
    }

    /// Sends with a write key, for an app without sessions: `Authorization: Bearer KEY`. Such a key is in every copy of the app,
    /// so it may allow nothing else. Its server learns of no account, so the reports of all accounts and vaults go.
    ///
    /// Throws `insecureServer` for an address that is neither https nor http of this machine itself, and `unexpectedAnswer` for a
    /// key that is no token of RFC 6750 section 2.1.
    public init(server: URL, key: String, on platform: DevicePlatform) throws(Failure) {
        scope = .everyone
        let address = try ServerAddress(server)
        guard EchoedText.isAccessToken(key) else {
            throw Failure(.unexpectedAnswer, hint: "A write key has only letters, digits, -._~+/ and = at its end.")
        }
        let transport = BoundedTransport(platform.transport, clock: platform.clock)
        var unsent = TransportRequest(
            method: "POST", url: address.issuer + Self.path,
            headers: ["Content-Type": "application/json", "Authorization": "Bearer \(key)"])
        unsent.deadline = platform.exchangeDeadline
        post = { [unsent] batch in
            var request = unsent
            request.body = batch
            guard let response = try? await transport.send(request) else { return .later(after: nil) }
            return TelemetryAnswer(status: response.status, retryAfter: response.headers["retry-after"])
        }
    }

    public func send(_ batch: [UInt8]) async -> TelemetryAnswer { await post(batch) }
}

extension TelemetryAnswer {
    /// What a failure of `Authenticator.send` says.
    fileprivate init(_ failure: Failure) {
        guard let status = failure.status, status.domain == "HTTP" else {
            self = .later(after: nil)
            return
        }
        self.init(status: status.code)
        if case .later = self, case .wait(let delay) = failure.recovery { self = .later(after: delay) }
    }
}
