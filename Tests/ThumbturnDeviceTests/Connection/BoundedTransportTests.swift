import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit

/// Whatever an app's transport does, each call of the library ends in time, and what a server sends is bounded before
/// anything reads it.
@Suite struct BoundedTransportTests {
    /// An authenticator of the same phone over a transport of the test.
    private static func authenticator(of world: World, over transport: any Transport) throws -> Authenticator {
        var platform = world.auth.platform
        platform.transport = transport
        return try Authenticator(server: InMemoryServer.url, platform: platform)
    }

    @Test func aServerThatNeverAnswersIsLeftAfterHalfAMinute() async throws {
        try await World.enrolled { world in
            let auth = try Self.authenticator(of: world, over: Deaf(clock: world.clock))
            let start = world.clock.now
            let failed = await failure { _ = try await auth.approvals() }
            #expect(failed?.code == .unreachable && failed?.recovery == .retry)
            #expect(start.duration(to: world.clock.now) == .seconds(30))
        }
    }

    @Test func cancellingEndsACallWhoseTransportIgnoresIt() async throws {
        try await World.enrolled { world in
            let auth = try Self.authenticator(of: world, over: Deaf(clock: world.clock))
            let start = world.clock.now
            let call = Task(executorPreference: world.clock.executor) { await failure { _ = try await auth.approvals() } }
            try await world.clock.sleep(until: start.advanced(by: .seconds(1)))
            call.cancel()
            #expect(await call.value?.code == .cancelledByApp)
            #expect(start.duration(to: world.clock.now) == .seconds(1))
        }
    }

    @Test func aTransportIsCancelledAtTheDeadline() async throws {
        try await World.enrolled { world in
            let (ends, mailbox) = AsyncStream.makeStream(of: Instant.self)
            let auth = try Self.authenticator(
                of: world,
                over: Changed(world.server) { [clock = world.clock] in
                    try? await clock.sleep(until: clock.now.advanced(by: .seconds(86_400)))
                    mailbox.yield(clock.now)
                    return $1
                })
            let start = world.clock.now
            await expectFailure(.unreachable) { _ = try await auth.approvals() }
            for await end in ends {
                #expect(start.duration(to: end) == .seconds(30))
                break
            }
        }
    }

    @Test func aSlowAnswerIsTakenWithinTheDeadline() async throws {
        try await World.enrolled { world in
            let auth = try Self.authenticator(
                of: world,
                over: Changed(world.server) { [clock = world.clock] in
                    try? await clock.sleep(until: clock.now.advanced(by: .seconds(29)))
                    return $1
                })
            #expect(try await auth.authenticate("Unlock").rung == .biometric)
        }
    }

    @Test("what an answer may be", arguments: ["body", "fields", "one field"], [false, true])
    func bounds(_ part: String, _ isTooMuch: Bool) async throws {
        try await World.enrolled { world in
            let auth = try Self.authenticator(
                of: world,
                over: Changed(world.server) { _, answer in
                    guard !answer.body.isEmpty else { return answer }
                    var answer = answer
                    let excess = isTooMuch ? 1 : 0
                    switch part {
                    case "body":
                        // White space behind JSON changes nothing else.
                        let rest = TransportRequest.usualLongestAnswer - answer.body.count + excess
                        answer.body += [UInt8](repeating: 32, count: rest)
                    case "fields":
                        for index in 0..<(100 - answer.headers.count + excess) { answer.headers["x-\(index)"] = "" }
                    default:
                        let length = answer.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
                        answer.headers["x"] = String(repeating: "x", count: 32 * 1024 - length - 1 + excess)
                    }
                    return answer
                })
            let failed = await failure { _ = try await auth.authenticate("Unlock") }
            #expect(failed?.code == (isTooMuch ? .unexpectedAnswer : nil))
        }
    }

    @Test(
        "what is no nonce is not sent back",
        arguments: ["", String(repeating: "n", count: 513), "a b", "a\"b", "a\\b", "a\r\nb", "é"])
    func nonces(_ text: String) async throws {
        try await World.enrolled { world in
            let sent = RecordingTransport(
                Changed(world.server) { request, answer in
                    var answer = answer
                    // The first answer has a nonce; the others have none that is one.
                    if !request.url.hasSuffix("/v1/challenges") { answer.headers["dpop-nonce"] = text }
                    return answer
                })
            let auth = try Self.authenticator(of: world, over: sent)
            _ = try await auth.authenticate("Unlock")
            _ = try await auth.refresh()
            let last = try #require(sent.exchanges.last?.request.headers["DPoP"].flatMap(CompactJWS.init))
            #expect(try StrictJSON.decodeIgnoringUnknown(DPoPClaims.self, from: last.payload).nonce == "first-nonce")
        }
    }

    @Test(
        "what is no token is not kept",
        arguments: [
            ("access_token", ""), ("access_token", "a b"), ("access_token", "a\r\nX: y"), ("access_token", "é"),
            ("access_token", "=="), ("access_token", String(repeating: "a", count: 8193)),
            ("refresh_token", ""), ("refresh_token", "a\nb"), ("refresh_token", String(repeating: "a", count: 8193)),
        ])
    func tokens(_ member: String, _ text: String) async throws {
        try await World.enrolled { world in
            let auth = try Self.authenticator(
                of: world,
                over: Changed(world.server) { request, answer in
                    guard request.url.hasSuffix("/v1/token") else { return answer }
                    var answer = answer
                    var members = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
                    members?[member] = text
                    answer.body = (try? JSONSerialization.data(withJSONObject: members as Any)).map(Array.init) ?? []
                    return answer
                })
            await expectFailure(.unexpectedAnswer) { _ = try await auth.authenticate("Unlock") }
            await expectFailure(.sessionOver) { _ = try await world.auth.refresh() }
        }
    }

    @Test(
        "an approval is shown for a back end whose name can be shown",
        arguments: [
            ("shop", true), ("Super Store", true), ("", false), (String(repeating: "a", count: 71), false),
            ("shop\u{202E}", false), ("pаypal", false),
        ])
    func approvals(_ name: String, _ isShown: Bool) async throws {
        try await World.enrolled { world in
            let auth = try Self.authenticator(
                of: world,
                over: Changed(world.server) { request, answer in
                    guard request.url.hasSuffix("/v1/approvals") else { return answer }
                    return TransportResponse(status: 200, headers: [:], body: StrictJSON.encode(Self.list(from: name)))
                })
            #expect(try await auth.approvals().map(\.from) == (isShown ? [name] : []))
        }
    }

    @Test func anApprovalWhoseIDIsNoneIsNotShown() throws {
        let record = Self.list(from: "shop").approvals[0]
        #expect(Approval(record) != nil)
        for id in ["", "a", "../devices/current", "AAAAAAAAAAAAAAAAAAAAAA/proofs"] {
            let other = ApprovalRecord(
                id: id, state: record.state, txn: record.txn, demand: record.demand, from: record.from,
                createdAt: record.createdAt, expiresAt: record.expiresAt, signed: false)
            #expect(Approval(other) == nil)
        }
    }

    private static func list(from name: String) -> ApprovalList {
        let transaction = #"""
            {"payload":{"action":"Raise the daily limit","date_time":"2026-11-21T10:20:30Z","service":"Acme Bank",\#
            "transaction_id":"t-1"},"type":"urn:eudi:sca:login_risk_transaction:1"}
            """#
        return ApprovalList(approvals: [
            ApprovalRecord(
                id: "AAAAAAAAAAAAAAAAAAAAAA", state: .open, txn: Base64URL.encode(Array(transaction.utf8)), demand: .oneKey,
                from: name, createdAt: UnixTime(seconds: 1_800_000_000), expiresAt: UnixTime(seconds: 1_800_000_300),
                signed: false)
        ])
    }
}

/// A transport that answers never and ignores its cancellation.
private struct Deaf: Transport {
    let clock: VirtualClock

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        // A day, in a task that no cancellation reaches.
        await Task(executorPreference: clock.executor) { [clock] in
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(86_400)))
        }.value
        throw Failure(.cancelledByApp)
    }
}

/// A transport whose answers are changed on their way.
private struct Changed: Transport {
    let transport: any Transport
    let change: @Sendable (TransportRequest, TransportResponse) async -> TransportResponse

    init(
        _ transport: any Transport, _ change: @escaping @Sendable (TransportRequest, TransportResponse) async -> TransportResponse
    ) {
        self.transport = transport
        self.change = change
    }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        await change(request, try await transport.send(request))
    }
}
