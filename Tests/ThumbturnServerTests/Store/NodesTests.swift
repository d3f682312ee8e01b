#if Tools && PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnServer

/// Several nodes on one database, behind a balancer that sends every request to another one.
@Suite(.enabled(if: TestDatabases.server != nil), .serialized) struct NodesTests {
    /// Runs three nodes with one public address.
    private func three(
        clocks: [TestClock] = [], _ test: @escaping @Sendable ([LiveServer]) async throws -> Void
    ) async throws {
        let address = try PostgresAddress(TestDatabases.make())
        let start = TestClock()
        let clocks = clocks.isEmpty ? [start, start, start] : clocks
        // The nodes have the master key in common, and no folder.
        let key = try MasterKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
        let settings: @Sendable (inout ServerSettings) -> Void = {
            $0.database = address
            $0.masterKey = key
        }
        try await LiveServer.run(clock: clocks[0], configure: settings) { one in
            try await LiveServer.run(publicURL: one.url, clock: clocks[1], configure: settings) { two in
                try await LiveServer.run(publicURL: one.url, clock: clocks[2], configure: settings) { three in
                    try await test([one, two, three])
                }
            }
        }
    }

    @Test("a device enrols, signs in, refreshes and signs out with every request at another node")
    func anywhere() async throws {
        try await three { nodes in
            let lines = [try await nodes[0].connect(), try await nodes[1].connect(), try await nodes[2].connect()]
            let device = LoadDevice(server: nodes[0].url)
            let seed = UInt64.random(in: 0...UInt64.max)
            print("seed \(seed)")
            var generator = SeededGenerator(seed: seed)
            func any() -> LoadConnection { lines[Int.random(in: 0..<3, using: &generator)] }
            let (challenge, first) = try await device.challenge(.enrol, [device.sessionKid, device.kid], over: any())
            let signIn = Signing.encode(PasswordSignInRequest(account: "ada", password: LiveServer.password))
            let ticket = try await any().send(
                "POST", "/v1/accounts/sign-in", type: "application/json",
                headers: [("DPoP", device.dpop("POST", "/v1/accounts/sign-in", signIn, nonce: first))], body: signIn)
            let request = Signing.encode(
                EnrolRequest(
                    ticket: try device.read(EnrolmentTicket.self, ticket, expecting: 200).ticket, name: "Load",
                    keys: device.registrations(challenge)))
            let enrolled = try await any().send(
                "POST", "/v1/devices", type: "application/json",
                headers: [("DPoP", device.dpop("POST", "/v1/devices", request, nonce: ticket.nonce ?? first))], body: request)
            #expect(enrolled.status == 201)
            for _ in 0..<20 {
                let (challenge, nonce) = try await device.challenge(over: any())
                let answer = try await device.redeem(device.proof(challenge), nonce: nonce, over: any())
                let token = try device.read(TokenAnswer.self, answer, expecting: 200)
                let list = try await device.get(
                    "/v1/devices", token: token.accessToken, nonce: try #require(answer.nonce), over: any())
                #expect(list.status == 200, "a nonce of one node is good for all")
            }
        }
    }

    @Test("one proof to 64 requests at three nodes opens one session, and the same request twice none")
    func once() async throws {
        try await three { nodes in
            let device = try await nodes[0].device()
            let (challenge, nonce) = try await device.challenge()
            let proof = device.device.proof(challenge)
            let accepted = try await withThrowingTaskGroup { group in
                for number in 0..<64 {
                    group.addTask {
                        let line = try await nodes[number % 3].connect()
                        return try await device.device.redeem(proof, nonce: nonce, over: line).status == 200
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(accepted == 1)

            // The very same bytes, DPoP proof included, at each node at once.
            for _ in 0..<10 {
                let token = try await device.signIn().accessToken
                let proof = device.device.dpop("GET", "/v1/devices", nil, nonce: try await device.nonce(), token: token)
                let admitted = try await withThrowingTaskGroup { group in
                    for number in 0..<9 {
                        group.addTask {
                            try await nodes[number % 3].connect().send(
                                "GET", "/v1/devices", headers: [("Authorization", "DPoP \(token)"), ("DPoP", proof)]
                            ).status == 200
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(admitted == 1)
            }
        }
    }

    @Test("clocks that differ by minutes accept nothing twice and nothing that has expired, and refuse no honest device")
    func clocks() async throws {
        let now = TestClock().now
        let clocks = [TestClock(now), TestClock(now + .seconds(300)), TestClock(now + .seconds(-240))]
        try await three(clocks: clocks) { nodes in
            // What each node does every minute, by which it learns the time of the others.
            for node in nodes { try await node.service.tidy() }
            let device = try await nodes[0].device()
            let lines = [try await nodes[0].connect(), try await nodes[1].connect(), try await nodes[2].connect()]
            for issuer in 0..<3 {
                for redeemer in 0..<3 {
                    let (challenge, nonce) = try await device.device.challenge(over: lines[issuer])
                    let proof = device.device.proof(challenge)
                    var answer = try await device.device.redeem(proof, nonce: nonce, over: lines[redeemer])
                    // A client gets at most one new nonce.
                    if answer.status == 400, let newer = answer.nonce, newer != nonce {
                        answer = try await device.device.redeem(proof, nonce: newer, over: lines[redeemer])
                    }
                    #expect(answer.status == 200, "\(issuer) to \(redeemer): \(answer.text)")
                    let again = try await device.device.redeem(
                        proof, nonce: try await device.device.challenge(over: lines[issuer]).nonce, over: lines[issuer])
                    #expect(again.status == 400)
                }
            }
            // A challenge of the node that is behind expires by the time of the one that is ahead.
            let (late, _) = try await device.device.challenge(over: lines[2])
            for clock in clocks { clock.advance(by: .seconds(301)) }
            let refused = try await device.device.redeem(
                device.device.proof(late), nonce: try await device.device.challenge(over: lines[2]).nonce, over: lines[2])
            #expect(refused.status == 400)
        }
    }

    @Test("a node that is behind the limit of another one's purge asks for a new nonce, and learns the time")
    func behind() async throws {
        let clock = TestClock()
        try await three(clocks: [clock, clock, clock]) { nodes in
            let device = try await nodes[0].device()
            let (challenge, nonce) = try await device.challenge()
            let proof = device.device.proof(challenge)
            try nodes[1].tables { db in
                try db.run(sql: "UPDATE node SET high_water = high_water + 200, purged_until = high_water + 200")
            }
            let answer = try await device.redeem(proof, nonce: nonce)
            #expect(answer.status == 400 && answer.text.contains("use_dpop_nonce"), "\(answer.text)")
            #expect(try await device.redeem(proof, nonce: #require(answer.nonce)).status == 200)
        }
    }

    @Test("a node without requests learns of an epoch by itself")
    func idle() async throws {
        try await three { nodes in
            let before = nodes[0].service.secrets.current.edition
            try await nodes[1].server.beginEpoch()
            // The audit log's checkpoint is due.
            nodes[0].clock.advance(by: .seconds(61))
            for _ in 0..<100 where nodes[0].service.secrets.current.edition == before {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(nodes[0].service.secrets.current.edition != before)
        }
    }

    /// A database that is replaced by another one while it remembers a proof.
    private final class MovingPlace: SharedProofs {
        private let moves = Mutex(0)
        var place: String { moves.withLock { "\($0)" } }
        func remember(_ proof: [UInt8], until expiry: UnixTime, in epoch: Int64) async throws -> Bool {
            moves.withLock { $0 += 1 }
            return true
        }
        func latestTime() async throws -> UnixTime { UnixTime(seconds: 0) }
    }

    /// An epoch that another node begins while the database remembers a proof.
    private struct MovingEpoch: SharedProofs {
        let store: SQLStore
        var place: String { "here" }
        func remember(_ proof: [UInt8], until expiry: UnixTime, in epoch: Int64) async throws -> Bool {
            try await store.beginEpoch()
            return try await store.secretsEdition().epoch == epoch
        }
        func latestTime() async throws -> UnixTime { UnixTime(seconds: 0) }
    }

    /// A time that this node learns from another request while the database refuses a proof whose nonce has expired there.
    private struct MovingTime: SharedProofs {
        let time: NodeTime
        var place: String { "here" }
        func remember(_ proof: [UInt8], until expiry: UnixTime, in epoch: Int64) async throws -> Bool {
            try time.observe(expiry)
            return false
        }
        func latestTime() async throws -> UnixTime { time.now }
    }

    enum Change: CaseIterable { case place, epoch, time }

    @Test(
        "a proof whose nonce was good before a promotion, an epoch or a later time is not admitted after it, and asks for a new nonce",
        arguments: Change.allCases)
    func movedMeanwhile(change: Change) async throws {
        try await LiveServer.run { live in
            let device = try await live.device()
            let path = "/v1/devices"
            let proof = device.device.dpop("GET", path, nil, nonce: try await device.nonce(), token: "token")
            let target = DPoPProof.Request(method: "GET", uri: live.url + path, accessToken: "token", body: nil)
            var service = live.service
            service.sharedProofs =
                switch change {
                case .place: MovingPlace()
                case .epoch: MovingEpoch(store: live.service.store)
                case .time: MovingTime(time: live.service.time)
                }
            await #expect(throws: VerificationError.nonceNeeded) { _ = try await service.admit(proof, for: target) }
        }
    }

    @Test("what one node revokes no other accepts")
    func revoked() async throws {
        try await three { nodes in
            let device = try await nodes[0].device()
            let lines = [try await nodes[0].connect(), try await nodes[1].connect(), try await nodes[2].connect()]
            // Every node has the key in its memory.
            for line in lines { _ = try await device.device.signIn(over: line) }
            let token = try await device.signIn().accessToken
            let (challenge, _) = try await device.challenge()
            let id = try #require(try await nodes[1].server.devices(ofAccountNamed: "ada").first?.id)
            try await nodes[1].server.revoke(id, ofAccountNamed: "ada")
            for line in lines {
                let nonce = try await device.device.challenge(over: line).nonce
                #expect(try await device.device.redeem(device.device.proof(challenge), nonce: nonce, over: line).status == 400)
                #expect(try await device.device.get("/v1/devices", token: token, nonce: nonce, over: line).status == 401)
            }
        }
    }
}
#endif
