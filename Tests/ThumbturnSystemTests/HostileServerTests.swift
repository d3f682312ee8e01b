#if Tools
import Foundation
import NIOCore
import Testing
import ThumbturnCore
@testable import ThumbturnTrials

/// Every manner of `thumbturn-trials hostile-server`, met by a phone. How long the calls take depends on what else this machine
/// does, so only `thumbturn-trials hostile-story` judges it.
@Suite(.timeLimit(.minutes(15))) struct HostileServerTests {
    @Test func everyMannerEndsInTimeWithANamedFailure() async throws {
        let server = try await HostileServer.start(host: "127.0.0.1", port: 0, pause: .milliseconds(200))
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let outcome = try await HostileStory(server: url, deadline: .seconds(20)).play()
        // The server can also be honest: a phone gets to the end of a manner whose fault has no meaning for it. No other phone
        // makes it wait, and no deadline ends it on a busy machine.
        let manners = HostileManner.all.filter { $0.name == "me-name-empty" }
        let harmless = try await HostileStory(server: url, deadline: .seconds(300), manners: manners).play().calls
        try await server.stop()
        #expect(Set(outcome.calls.map(\.manner)) == Set(HostileManner.all))
        for manner in outcome.accepted { Issue.record("\(manner.name): every call succeeded") }
        #expect(outcome.openings.count == HostileManner.all.count, "a vault opens beside each of them")
        // Nothing of what is sent may be taken for something else than a fault of the server or of the network.
        // On a busy machine a slow server's challenge may be too old to sign once it has come.
        let codes: Set<Failure.Code> = [
            .unreachable, .unexpectedAnswer, .refused, .approvalOver, .sessionOver, .notEnrolled, .timedOut,
        ]
        for call in outcome.calls {
            guard let failure = call.failure else { continue }
            #expect(codes.contains(failure.code), "\(call.manner.name): \(call.name): \(failure.debugDescription)")
        }
        // A challenge that is not the one that was asked for is refused as such.
        for manner in HostileManner.all {
            guard case .claim = manner.kind else { continue }
            let failed = outcome.calls.first { $0.manner == manner && $0.failure != nil }
            #expect(failed?.failure?.code == .unexpectedAnswer, "\(manner.name)")
        }
        #expect(harmless.map(\.name) == ["enrol", "authenticate", "me", "approvals", "approve"])
        #expect(harmless.compactMap(\.failure) == [])
    }

    @Test func everyMannerHasAName() {
        #expect(HostileManner.all.count > 250 && Set(HostileManner.all.map(\.name)).count == HostileManner.all.count)
        #expect(HostileManner.all.allSatisfy { HostileManner.named(Substring($0.name)) == $0 })
        #expect(HostileManner.named("honest") == nil)
    }
}
#endif
