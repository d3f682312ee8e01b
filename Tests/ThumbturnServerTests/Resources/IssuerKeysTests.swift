#if Tools
import Crypto
import Synchronization
import Testing
import ThumbturnCore
@testable import ThumbturnServer
import ThumbturnVerifier

/// A resource server's copy of the issuer's keys.
@Suite struct IssuerKeysTests {
    private struct Away: Error {}

    /// An issuer that can be out of reach and change its keys.
    private final class Issuer: Sendable {
        private struct State {
            var keys: [TokenSigner] = []
            var isAway = false
            var fetches = 0
        }
        private let state = Mutex(State())

        init() throws { try change() }

        var kid: String { state.withLock { $0.keys[0].kid } }
        var fetches: Int { state.withLock { $0.fetches } }
        func change() throws {
            state.withLock { $0.keys = [] }
            try add()
        }
        func add() throws {
            let signer = try TokenSigner(P256.Signing.PrivateKey())
            state.withLock { $0.keys.insert(signer, at: 0) }
        }
        func leave() { state.withLock { $0.isAway = true } }
        func comeBack() { state.withLock { $0.isAway = false } }

        var cache: IssuerKeys {
            IssuerKeys {
                try self.state.withLock { state throws(Away) in
                    state.fetches += 1
                    guard !state.isAway else { throw Away() }
                    return JWKS(keys: state.keys.map(\.jwk))
                }
            }
        }
    }

    private let start = UnixTime(seconds: 1_000_000)
    private func at(_ seconds: Int) -> UnixTime { start + .seconds(seconds) }

    @Test func keysAreNotTrustedWithoutEndWhileFetchingFails() async throws {
        let issuer = try Issuer()
        let (keys, kid) = (issuer.cache, issuer.kid)
        #expect(try await keys.keys(with: kid, at: start)[kid] != nil)
        issuer.leave()
        for second in [0, 299, 300, 600, 899] {
            #expect(try await keys.keys(with: kid, at: at(second))[kid] != nil, "\(second) s after the last answer")
        }
        for second in [900, 100_000] {
            await #expect(throws: Away.self, "\(second) s") { _ = try await keys.keys(with: kid, at: at(second)) }
        }
        issuer.comeBack()
        #expect(try await keys.keys(with: kid, at: at(100_030))[kid] != nil)
    }

    @Test func aKeyThatWasWithdrawnIsRefusedWithinFiveMinutes() async throws {
        let issuer = try Issuer()
        let (keys, kid) = (issuer.cache, issuer.kid)
        _ = try await keys.keys(with: kid, at: start)
        try issuer.change()
        #expect(try await keys.keys(with: kid, at: at(299))[kid] != nil)
        #expect(try await keys.keys(with: kid, at: at(300))[kid] == nil)
    }

    @Test func aNewKeyIsFoundAndManyUnknownOnesCauseFewFetches() async throws {
        let issuer = try Issuer()
        let keys = issuer.cache
        _ = try await keys.keys(with: issuer.kid, at: start)
        try issuer.add()
        let new = issuer.kid
        #expect(try await keys.keys(with: new, at: at(30))[new] != nil)
        for second in 31...59 { _ = try await keys.keys(with: "made up", at: at(second)) }
        #expect(issuer.fetches == 2)
        _ = try await keys.keys(with: "made up", at: at(60))
        #expect(issuer.fetches == 3)
    }

    @Test func anIssuerThatIsAwayIsAskedOnceInThirtySeconds() async throws {
        let issuer = try Issuer()
        let keys = issuer.cache
        issuer.leave()
        for second in 0...29 {
            await #expect(throws: Away.self) { _ = try await keys.keys(with: "made up", at: at(second)) }
        }
        #expect(issuer.fetches == 1)
        await #expect(throws: Away.self) { _ = try await keys.keys(with: nil, at: at(30)) }
        #expect(issuer.fetches == 2)
    }

    @Test func keysFromTheFutureAreFetchedAgain() async throws {
        let issuer = try Issuer()
        let (keys, kid) = (issuer.cache, issuer.kid)
        _ = try await keys.keys(with: kid, at: at(86_400))
        try issuer.change()
        #expect(try await keys.keys(with: kid, at: start)[kid] == nil, "the clock was set back")
    }
}
#endif
