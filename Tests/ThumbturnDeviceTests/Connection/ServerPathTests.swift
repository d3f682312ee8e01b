import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The paths that an app gives to `send`, as they are signed and as they reach a transport.
@Suite struct ServerPathTests {
    /// Runs a story with a session whose requests are recorded, under an app's own transport.
    private static func recorded(
        _ story: @escaping @Sendable (World, Authenticator, RecordingTransport) async throws -> Void
    ) async throws {
        try await World.enrolled { world in
            let network = RecordingTransport(world.server)
            let auth = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: network))
            _ = try await auth.authenticate("Unlock")
            try await story(world, auth, network)
        }
    }

    @Test(
        "a path is signed and sent in the one spelling that it was read in",
        arguments: [
            ("/x/me HTTP/1.1\r\nX: y", "/x/me%20HTTP/1.1%0D%0AX:%20y"), ("/x\n", "/x%0A"), ("/x\t\u{7F}\0", "/x%09%7F%00"),
            ("/\\evil.example", "/%5Cevil.example"), ("/x?a=b c\r\nHost: evil.example", "/x?a=b%20c%0D%0AHost:%20evil.example"),
            ("/x\"<>^`{|}", "/x%22%3C%3E%5E%60%7B%7C%7D"), ("/ä\u{202E}", "/%C3%A4%E2%80%AE"), ("/[::1]", "/%5B::1%5D"),
            ("/%zz", "/%25zz"), ("/%0d%0aHost:x", "/%0d%0aHost:x"), ("/x?a=%20+&b=/?", "/x?a=%20+&b=/?"),
            ("/..//evil.example/@x:1", "/..//evil.example/@x:1"),
        ])
    func spelling(_ path: String, _ sent: String) async throws {
        try await Self.recorded { _, auth, network in
            // Nothing is there, which is an answer.
            await expectFailure(.unexpectedAnswer) { _ = try await auth.send("GET", to: path) }
            let request = try #require(network.exchanges.last).request
            #expect(request.url == "https://bank.example" + sent)
            #expect(request.url.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
            let proof = try #require(request.headers["DPoP"].flatMap { CompactJWS($0) })
            let claims = try StrictJSON.decodeIgnoringUnknown(DPoPClaims.self, from: proof.payload)
            #expect(claims.htu == request.url.prefix { $0 != "?" }, "the address that was sent is the one that was signed")
        }
    }

    @Test(
        "a path that is none, or that leads elsewhere, is refused before anything is signed",
        arguments: [
            "", "x", "@evil.example/x", ".evil.example/x", ":8443/x", ":1@evil.example/", "//evil.example/x", "\\\\evil.example",
            "?x=/y", "/x#y", "#", "\r\n/x", " /x",
        ])
    func refused(_ path: String) async throws {
        try await Self.recorded { world, auth, network in
            // The token has expired: a path that is read too late would cost a refresh.
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(3600)))
            let (sent, prompts) = (network.exchanges.count, world.phone.promptCount)
            await expectFailure(.insecureServer) { _ = try await auth.send("GET", to: path) }
            await expectFailure(.insecureServer) {
                _ = try await auth.send("POST", to: path, for: .newRecipient, reason: "Add Super Store")
            }
            #expect(network.exchanges.count == sent && world.phone.promptCount == prompts)
        }
    }
}
