#if Tools
import Foundation
import GRDB
import HTTPTypes
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// During its cool-off a device neither changes nor shows what the other devices of its account may lose.
@Suite struct CoolOffTests {
    private static let day = Duration.seconds(24 * 3600)

    // MARK: Every route

    /// An account with a device of long standing, and what another device of it would change or see.
    private struct World {
        let live: LiveServer
        let bank: Bank
        let account: String
        let owner: LiveServer.Enrolled

        /// An open approval that lives for a day.
        func approval(_ transaction: String) async throws -> String {
            let payment = Bank.payment("1", "Super Store", transaction)
            return try await bank.ask(account, payment, #","expires_in":86400"#).read(ApprovalRecord.self).id
        }

        /// Calls one route as a device would; nil for a route that the test does not know.
        ///
        /// - Parameters:
        ///   - target: the device to change.
        ///   - approval: an open approval.
        func call(
            _ route: String, by one: LiveServer.Enrolled, target: String, approval: String
        ) async throws -> LoadConnection.Answer? {
            func token() async throws -> String { try await one.signIn().accessToken }
            func post(_ path: String, _ body: [UInt8]) async throws -> LoadConnection.Answer {
                let proof = one.device.dpop("POST", path, body, nonce: try await one.nonce())
                return try await one.connection.send(
                    "POST", path, type: "application/json", headers: [("DPoP", proof)], body: body)
            }
            switch route {
            case "POST v1/accounts/sign-in":
                let request = PasswordSignInRequest(account: "ada", password: LiveServer.password)
                return try await post("/v1/accounts/sign-in", Signing.encode(request))
            case "POST v1/accounts/recover":
                let code = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")[0]
                return try await post("/v1/accounts/recover", Array(#"{"account":"ada","code":"\#(code)"}"#.utf8))
            case "POST v1/revoke": return try await OAuthTests.revoke(try await one.signIn().refreshToken, one)
            case "GET v1/me", "GET v1/notices", "GET v1/devices":
                return try await one.get("/\(route.dropFirst(4))", token: try await token())
            case "POST v1/password":
                // During the cool-off there is no step-up, and a session's own token shows that the route refuses it too.
                let stepUp = try? await PasswordChangeTests.token(one)
                let token = if let stepUp { stepUp } else { try await token() }
                return try await PasswordChangeTests.change(one, to: LiveServer.password, token: token)
            case "POST v1/tickets":
                return try await one.vouch(for: LoadDevice(server: live.url), token: try await token())
            case "GET v1/devices/current":
                let proof = one.device.dpop("GET", "/v1/devices/current", nil, nonce: try await one.nonce())
                return try await one.connection.send("GET", "/v1/devices/current", headers: [("DPoP", proof)])
            case "PATCH v1/devices/current": return try await one.rename("current", "Pad", token: try await token())
            case "DELETE v1/devices/current": return try await one.delete("/v1/devices/current", token: try await token())
            case "PATCH v1/devices/{id}": return try await one.rename(target, "Mine", token: try await token())
            case "DELETE v1/devices/{id}": return try await one.delete("/v1/devices/\(target)", token: try await token())
            case "POST v1/telemetry": return try await post("/v1/telemetry", TelemetryBatches.bytes())
            case "GET v1/approvals": return try await one.approvals("GET")
            case "GET v1/approvals/{id}": return try await one.approvals("GET", "/\(approval)")
            case "POST v1/approvals/{id}/challenge": return try await one.askToApprove(approval)
            case "POST v1/approvals/{id}/decline": return try await one.approvals("POST", "/\(approval)/decline")
            default: return nil
            }
        }
    }

    static func id(of one: LiveServer.Enrolled) async throws -> String {
        try claims(of: try await one.signIn().accessToken).did
    }

    /// The refusal says how long the cool-off lasts and when it ends. Only the session key of the device gets it.
    static func isRefused(_ answer: LoadConnection.Answer, at now: UnixTime) -> Bool {
        let rest = answer.problem?.retryAfter ?? 0
        return answer.kind == "verification-failed" && (1...86_400).contains(rest)
            && answer.problem?.coolingOffUntil == now + .seconds(rest)
    }

    @Test func everyRouteKeepsItsRule() async throws {
        try await LiveServer.withBank({ $0.allowsPlainClients = true }) { live, bank in
            let owner = try await live.device()
            let world = World(live: live, bank: bank, account: try await live.account(of: owner), owner: owner)
            let owners = try await Self.id(of: owner)
            let cooling = try await live.device()
            var seen: [Route.CoolOffRule: Int] = [:]
            for route in Routes(live.service).list {
                let name = "\(route.method.rawValue) \(route.path)"
                seen[route.access.coolOff, default: 0] += 1
                guard route.access.coolOff != .noDevice else {
                    #expect(!route.access.credentials.contains { $0 == .sessionKey || $0 == .accessToken }, "\(name)")
                    continue
                }
                // The tests below, and those of the table of ceremonies, call these.
                guard route.access.coolOff != .byCeremony else { continue }
                let number = seen.values.reduce(0, +)
                let approval = try await route.path.contains("approvals/{id}") ? world.approval("t-\(number)") : ""
                // The route may end the device that calls it.
                let caller = try await route.method == .delete ? live.device() : cooling
                let answer = try #require(
                    try await world.call(name, by: caller, target: owners, approval: approval), "no request for \(name)")
                switch route.access.coolOff {
                case .noDevice, .byCeremony: continue
                case .allowed: #expect(answer.kind == "ok", "\(name): \(answer.text)")
                case .refused, .itselfOnly:
                    #expect(Self.isRefused(answer, at: live.clock.now), "\(name): \(answer.text)")
                    let target = try await Self.id(of: caller)
                    let settled = try await world.call(name, by: owner, target: target, approval: approval)
                    #expect(settled?.kind == "ok", "\(name), after the cool-off: \(settled?.text ?? "")")
                }
                if route.access.coolOff == .itselfOnly {
                    let other = try await live.device()
                    let itself = try await world.call(
                        name, by: other, target: try await Self.id(of: other), approval: approval)
                    #expect(itself?.kind == "ok", "\(name), itself: \(itself?.text ?? "")")
                }
            }
            #expect(Set(seen.keys) == Set(Route.CoolOffRule.allCases))
            #expect(try await bank.state(try await world.approval("last")) == .open)
        }
    }

    // MARK: Every ceremony

    @Test func onlyASignInAndFullCredentialsServeADeviceThatCoolsOff() {
        #expect(CeremonyRules.table.filter(\.coolingOffMay) == [.signIn, .replaceKeyByTicket])
    }

    @Test("a step-up is refused until the cool-off is over", arguments: ["card-details", "new-recipient:EUR:500000"])
    func stepUp(_ act: String) async throws {
        try await LiveServer.run { live in
            let (owner, thief) = (try await live.device(), try await live.device())
            func stepUp(_ one: LiveServer.Enrolled) async throws -> LoadConnection.Answer {
                let asked = try await one.device.challenge(.stepUp, [one.device.kid], act: act, over: one.connection)
                let escaped = act.replacing(":", with: "%3A")
                return try await one.device.redeem(
                    one.device.proof(asked.challenge), more: "&act=\(escaped)", nonce: asked.nonce, over: one.connection)
            }
            let granted = try await stepUp(owner)
            let refused = try await stepUp(thief)
            #expect(refused.status == 400 && refused.problem?.error == "invalid_grant")
            #expect(Self.isRefused(refused, at: live.clock.now))
            live.clock.advance(by: Self.day)
            #expect(try await stepUp(thief).kind == granted.kind, "\(granted.text)")
        }
    }

    @Test func aStepUpOfBeforeTheCoolOffIsNoLongerActive() async throws {
        try await LiveServer.run { live in
            let bank = try await live.backEnd([.introspect])
            let phone = try await KeyChangeTests.Phone(live)
            _ = try await live.device()
            let asked = try await phone.device.challenge(
                .stepUp, [phone.device.kid], act: "card-details", over: phone.connection)
            let answer = try await phone.device.redeem(
                phone.device.proof(asked.challenge), more: "&act=card-details", nonce: asked.nonce, over: phone.connection)
            let token = try answer.read(StepUpAnswer.self).accessToken
            func isActive() async throws -> Bool {
                let said = try await bank.post(
                    "/v1/introspect", "token=\(token)", asserting: try bank.assertion(at: live.clock.now))
                return said.text != #"{"active":false}"#
            }
            expect(try await isActive(), is: true)
            #expect(try await phone.change(.resetPIN, paidBy: .credentials).kind == "ok")
            expect(try await isActive(), is: false)
        }
    }

    // MARK: The device library

    @Test func theDeviceIsToldHowLongToWait() async throws {
        try await LiveServer.withBank { live, bank in
            let old = try await live.phone()
            let new = try await live.phone()
            let id = try await bank.ask(old.account).read(ApprovalRecord.self).id
            let approval = try await old.auth.approval(id)
            for call in [
                { _ = try await new.auth.approvals() }, { _ = try await new.auth.approval(id) },
                { try await new.auth.decline(approval) },
            ] as [@Sendable () async throws -> Void] {
                let refused = await #expect(throws: Failure.self) { try await call() }
                #expect(refused?.code == .coolingOff && refused?.recovery == .wait(Self.day))
            }
            #expect(try await bank.state(id) == .open)
        }
    }

    // MARK: The transaction judges it again

    @Test func whatBeganToCoolOffAfterItWasJudgedChangesNothing() async throws {
        try await LiveServer.withBank { live, bank in
            let (one, other) = (try await live.device(), try await live.device())
            let account = try await live.account(of: one)
            live.clock.advance(by: Self.day)
            let target = try #require(DeviceID(try await Self.id(of: other)))
            let own = try claims(of: try await one.signIn().accessToken)
            let session = try #require(SessionID(own.sid))
            let asked = try await bank.ask(account).read(ApprovalRecord.self)
            let approval = try #require(ApprovalID(asked.id))
            let until = live.clock.now.seconds + 1
            try await live.database().write { db in
                try db.execute(sql: "UPDATE devices SET cools_off_until = ?", arguments: [until])
            }
            let store = live.service.store
            expect(try await store.decline(approval, byDeviceOf: one.device.sessionKid)?.id, is: nil)
            expect(try await store.rename(target, to: "Mine", by: session)?.id, is: nil)
            expect(try await store.revoke(target, by: session), is: false)
            let itself = try #require(DeviceID(own.did))
            expect(try await store.rename(itself, to: "Mine", by: session)?.id, is: itself)
            live.clock.advance(by: .seconds(1))
            expect(try await store.rename(target, to: "Ours", by: session)?.id, is: target)
            expect(try await store.revoke(target, by: session), is: true)
            expect(try await store.decline(approval, byDeviceOf: one.device.kid)?.id, is: nil)
            expect(try await store.decline(approval, byDeviceOf: other.device.sessionKid)?.id, is: nil)
            expect(try await store.decline(approval, byDeviceOf: one.device.sessionKid)?.state, is: .declined)
        }
    }

    @Test func whoMayNotRemoveADeviceDoesNotInTheTransactionEither() async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            let other = try await live.device()
            let target = try #require(DeviceID(try await Self.id(of: other)))
            let session = try #require(SessionID(claims(of: try await phone.signIn(by: .passcode).accessToken).sid))
            expect(try await live.service.store.revoke(target, by: session), is: false)
            let stronger = try #require(SessionID(claims(of: try await phone.signIn(by: .biometric).accessToken).sid))
            expect(try await live.service.store.revoke(target, by: stronger), is: true)
        }
    }
}
#endif
