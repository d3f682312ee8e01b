#if Tools
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnServer

/// The rules by which a refresh token is exchanged for its successor.
@Suite struct RefreshSuccessorTests {
    private let signedIn = UnixTime(seconds: 1_000_000)

    private func judge(
        presented: UInt32, live: UInt32, rotatedAfter: Int64 = 0, after: Int64 = 10, jkt: String = "key", isLive: Bool = true,
        opener: SessionOpener = .key(.biometric, .credentials)
    ) -> RefreshRotation.Judgement {
        let session = SessionView(
            id: .random(), device: .random(), account: .random(), accountName: "ada", opener: opener,
            sessionJKT: "key", generation: live, authTime: signedIn, rotatedAt: signedIn + .seconds(rotatedAfter),
            isLive: isLive, coolsOffUntil: signedIn)
        let rotation = RefreshRotation(
            session: session.id, generation: presented, tokenHash: [], successorHash: [], jkt: jkt, grace: .seconds(30),
            lifetime: .seconds(1000), visitLifetime: .seconds(50), idleLimit: .seconds(100))
        return rotation.judge(session, at: signedIn + .seconds(after))
    }

    @Test func theLiveTokenGetsItsSuccessor() {
        #expect(judge(presented: 3, live: 3) == .successor)
    }

    @Test func theTokenBeforeGetsTheSameSuccessorWithinTheGrace() {
        #expect(judge(presented: 2, live: 3, after: 30) == .sameSuccessor)
        #expect(judge(presented: 2, live: 3, after: 31) == .reused)
    }

    @Test func anOlderTokenIsReuse() {
        #expect(judge(presented: 1, live: 3, after: 1) == .reused)
    }

    @Test func anotherKeyIsForeignWhateverItPresents() {
        for presented in [1, 2, 3] as [UInt32] { #expect(judge(presented: presented, live: 3, jkt: "other") == .foreign) }
    }

    @Test func aSessionEndsByItsLifetimeAndByIdleness() {
        #expect(judge(presented: 3, live: 3, rotatedAfter: 950, after: 999) == .successor)
        #expect(judge(presented: 3, live: 3, rotatedAfter: 950, after: 1000) == .over)
        #expect(judge(presented: 3, live: 3, after: 99) == .successor)
        #expect(judge(presented: 3, live: 3, after: 100) == .over)
        #expect(judge(presented: 3, live: 3, isLive: false) == .over)
        #expect(judge(presented: 3, live: 3, jkt: "other", isLive: false) == .over, "an ended session tells nothing about keys")
    }

    @Test func aVisitHasALifeOfItsOwn() {
        #expect(judge(presented: 0, live: 0, after: 49, opener: .credentials(["pwd"], .fresh)) == .successor)
        #expect(judge(presented: 0, live: 0, after: 50, opener: .credentials(["pwd"], .fresh)) == .over)
        #expect(judge(presented: 0, live: 0, after: 50) == .successor)
    }
}
#endif
