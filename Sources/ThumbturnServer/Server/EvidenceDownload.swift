#if Server
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ThumbturnMessages

/// Fetches lists that evidence is judged by, from the address that the operator names and from no other.
package struct EvidenceDownload: Sendable {
    /// Google's list of revoked and suspended attestation certificates.
    package static let googleStatus = "https://android.googleapis.com/attestation/status"
    /// Google's list of roots of attestation.
    package static let googleRoots = "https://android.googleapis.com/attestation/root"
    /// The most bytes of a list: 1 MiB.
    package static let largest = 1024 * 1024
    /// How often a running server fetches: a certificate that is revoked counts half a day later at most.
    package static let interval = Duration.seconds(12 * 3600)
    /// How long it waits after a failure.
    package static let intervalAfterFailure = Duration.seconds(15 * 60)

    private let url: String

    /// A list could not be fetched.
    package struct Failed: Error, CustomStringConvertible {
        package var description: String
    }

    /// Creates a download. Throws `Failed` unless the address is https, or http to this machine itself.
    package init(_ url: String) throws(Failed) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            parts.scheme == "https" || (parts.scheme == "http" && Loopback.contains(host: host))
        else { throw Failed(description: "\(url) is neither https nor http to this machine itself.") }
        self.url = url
    }

    /// The bytes of the list. Throws `Failed`, which says what happened, after 30 s at most.
    package func fetch() async throws(Failed) -> [UInt8] {
        do {
            let answer = try await Self.client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            guard answer.status.code == 200 else {
                throw Failed(description: "\(url) answered \(answer.status.code); status 200 was expected.")
            }
            return Array(buffer: try await answer.body.collect(upTo: Self.largest))
        } catch let failed as Failed {
            throw failed
        } catch {
            throw Failed(description: "\(url) could not be fetched: \(error)")
        }
    }

    /// Follows no redirect: the operator named one address.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}
#endif
