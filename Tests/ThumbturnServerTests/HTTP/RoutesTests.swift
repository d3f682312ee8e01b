#if Tools
import Foundation
import HTTPTypes
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer

/// The list of routes: each line keeps its promise of who may call.
@Suite struct RoutesTests {
    @Test func eachRouteStandsOnce() async throws {
        try await LiveServer.run(configure: { $0.allowsPlainClients = true }) { live in
            let names = Routes(live.service).list.map { "\($0.method.rawValue) \($0.path)" }
            #expect(Set(names).count == names.count)
        }
    }

    @Test func plainClientsHaveRoutesOnlyWhereTheOperatorAllowsThem() async throws {
        try await LiveServer.run { live in
            #expect(!Routes(live.service).list.contains { $0.path.hasPrefix("v1/plain") })
        }
    }

    @Test func aRouteRefusesARequestWithoutTheCredentialsThatItsLineNames() async throws {
        try await LiveServer.run(configure: { $0.allowsPlainClients = true }) { live in
            var refused: [Route.Credentials: Int] = [:]
            for route in Routes(live.service).list where route.access.credentials != [.none] {
                let path = "/" + route.path.replacing("{id}", with: Identifier<SessionKind>.random().text)
                let isForm = Routes.oauthPaths.contains(path)
                let answer = try await live.connect().send(
                    route.method.rawValue, path, type: isForm ? "application/x-www-form-urlencoded" : "application/json",
                    body: Array((isForm ? "token=x" : "{}").utf8))
                let expected = route.access.credentials.contains(.sessionKey) ? 400 : 401
                #expect(
                    answer.status == expected && answer.kind == "verification-failed", "\(route.method) \(path): \(answer.text)")
                for credentials in route.access.credentials { refused[credentials, default: 0] += 1 }
            }
            #expect(refused.keys.contains(.sessionKey) && refused.keys.contains(.accessToken))
            #expect(refused.keys.contains(.backEnd(.approvals)) && refused.keys.contains(.backEnd(.introspect)))
        }
    }
}
#endif
