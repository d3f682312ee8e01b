#if Tools
import Foundation
import HTTPTypes
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// What a visit may do, which is little, and that it counts for nothing that devices count for.
@Suite struct VisitRightsTests {
    typealias Attempt = EnrolmentTests.Attempt

    // MARK: Routes

    /// The routes that answer a visit. All others with an access token need a key.
    private static let allowed: Set = ["GET v1/me", "GET v1/notices", "GET v1/devices", "POST v1/tickets"]
    /// A visit has no device to change, nor one whose unlocks it could report.
    private static let missing: Set = ["DELETE v1/devices/current", "POST v1/telemetry"]

    private func body(_ route: Route, for device: LoadDevice) -> [UInt8] {
        switch "\(route.method.rawValue) \(route.path)" {
        case "POST v1/password": Signing.encode(PasswordChangeRequest(password: PasswordChangeTests.newPassword))
        case "POST v1/tickets": Signing.encode(VouchRequest(jkt: device.sessionKid))
        case "PATCH v1/devices/current", "PATCH v1/devices/{id}": Signing.encode(DeviceRename(name: "Mine"))
        default: []
        }
    }

    @Test func aVisitReadsAndChangesNothing() async throws {
        try await LiveServer.run { live in
            let owner = try await live.device()
            let token = try await owner.signIn().accessToken
            let id = try #require(try await owner.devices(token).first).id
            let (guest, tokens) = try await live.visit()
            var answered: Set<String> = []
            for route in Routes(live.service).list where route.access.credentials.contains(.accessToken) {
                let name = "\(route.method.rawValue) \(route.path)"
                let (path, body) = ("/" + route.path.replacing("{id}", with: id), body(route, for: guest.device))
                let answer =
                    try await body.isEmpty && route.method == .get
                    ? guest.get(path, token: tokens.accessToken)
                    : guest.send(route.method.rawValue, path, body, token: tokens.accessToken)
                if Self.allowed.contains(name) {
                    #expect(answer.status == 200, "\(name): \(answer.text)")
                    answered.insert(name)
                } else if Self.missing.contains(name) {
                    #expect(answer.status == 404, "\(name): \(answer.text)")
                } else {
                    #expect(answer.status == 401 && answer.kind == "step-up-required", "\(name): \(answer.text)")
                    let demanded = answer.challenge.flatMap(StepUpChallenge.init)?.acrValues
                    #expect(demanded == [Assurance.withoutEvidence.acr], "\(name)")
                }
            }
            #expect(answered == Self.allowed)
            let devices = try await owner.devices(token)
            #expect(devices.count == 1 && devices[0].name == "Load" && devices[0].id == id)
        }
    }

    @Test func itsKeyIsNoDevicesKey() async throws {
        try await LiveServer.run { live in
            _ = try await live.device()
            let (guest, tokens) = try await live.visit()
            for path in ["/v1/approvals", "/v1/devices/current"] {
                let proof = guest.device.dpop("GET", path, nil, nonce: try await guest.nonce())
                #expect(try await guest.connection.send("GET", path, headers: [("DPoP", proof)]).status == 404, "\(path)")
            }
            let (challenge, nonce) = try await guest.challenge()
            for proof in [guest.device.proof(challenge), guest.device.sessionProof(challenge)] {
                #expect(try await guest.redeem(proof, nonce: nonce).problem?.error == "invalid_grant")
            }
            #expect(try await guest.get("/v1/me", token: tokens.accessToken).status == 200)
        }
    }

    @Test func theTransactionsRefuseItToo() async throws {
        try await LiveServer.run { live in
            let owner = try await live.device()
            let device = try #require(try await live.service.store.devices(of: try await live.account("ada")).first)
            let tokens = try await live.visit().tokens
            let id = try #require(SessionID(try claims(of: tokens.accessToken).sid))
            let store = live.service.store
            let visit = try #require(try await store.session(id))
            expect(visit.isLive && visit.isVisit, is: true)
            expect(try await store.rename(device.id, to: "Mine", by: id) == nil, is: true)
            expect(try await store.revoke(device.id, by: id), is: false)
            expect(try await store.setPassword("hash", by: visit), is: false)
            let attempt = try await Attempt(live)
            let ticket = live.service.tickets.issue(
                to: visit.account, generation: visit.credentialGeneration, jkt: attempt.device.sessionKid,
                freshness: .fresh, voucher: id, at: live.clock.now, lifetime: .seconds(300))
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed", "it vouches for none")
            #expect(try await owner.signIn().tokenType == "DPoP")
        }
    }

    @Test func noActionTakesItForAProofOfPresence() async throws {
        try await RequireStepUpTests.run { bank in
            let (guest, tokens) = try await bank.live.visit()
            for action in ["card-details", "export"] {
                let refused = try await bank.call("/\(action)", tokens.accessToken, by: guest.device)
                let challenge = refused.challenge.flatMap(StepUpChallenge.init)
                #expect(refused.status == 401 && challenge?.acrValues == [Assurance.withoutEvidence.acr])
            }
            let order = RequireStepUpTests.order(1)
            #expect(try await bank.call("/pay", tokens.accessToken, body: order, by: guest.device).status == 401)
            #expect(bank.calls.made == 0)
        }
    }

    @Test func aRuleThatSaysSoTakesARecentSignIn() async throws {
        try await RequireStepUpTests.run { bank in
            let (guest, tokens) = try await bank.live.visit()
            bank.live.clock.advance(by: .seconds(120))
            #expect(try await bank.call("/history", tokens.accessToken, by: guest.device).status == 200)
            bank.live.clock.advance(by: .seconds(1))
            let renewed = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self).accessToken
            let late = try await bank.call("/history", renewed, by: guest.device)
            #expect(late.status == 401 && late.challenge.flatMap(StepUpChallenge.init)?.maximumAge == .seconds(120))
            let device = LiveServer.Enrolled(device: bank.phone.device, connection: bank.phone.connection)
            let unlocked = try await device.signIn().accessToken
            #expect(try await bank.call("/history", unlocked).status == 401, "a sign-in by a key is neither")
            #expect(try await bank.call("/history", try await bank.token("history")).status == 200, "a step-up is enough")
            #expect(bank.calls.made == 2)
        }
    }

    // MARK: What it does not count for

    @Test func itIsNoDeviceAmongTheAccountsDevices() async throws {
        try await LiveServer.run { live in
            for _ in 1...Limits.visits { _ = try await live.visit() }
            let first = try await live.device()
            let key = try #require(try await live.service.store.key(first.device.kid))
            #expect(key.coolsOffUntil <= live.clock.now, "the account's first device does not cool off")
            let token = try await first.signIn().accessToken
            #expect(try await first.devices(token).count == 1)
            expect(try await live.server.devices(ofAccountNamed: "ada").count, is: 1)
            expect(try await live.server.end(accountNamed: "ada"), is: 1)
        }
    }

    @Test func theOwnersDevicesAreToldOfEachAndTheLogHasIt() async throws {
        try await LiveServer.run { live in
            let owner = try await live.device()
            let token = try await owner.signIn().accessToken
            let tokens = [try await live.visit().tokens, try await live.visit().tokens]
            let told = try await owner.notices(token).filter { $0.kind == "signed-in-without-device" }
            #expect(told.count == 2 && told.allSatisfy { $0.device == nil })
            let sessions = try tokens.map { try claims(of: $0.accessToken).sid }
            let rows = try await live.service.store.auditRows(after: 0, limit: .max).map(\.event)
            for session in sessions {
                #expect(rows.contains { $0.contains(#""session":"\#(session)""#) && $0.contains(#""detail":"credentials""#) })
            }
            #expect(live.service.counters.sessions.total == 3)
        }
    }

    // MARK: The ticket of a visit

    @Test func aPersonWhoHasSignedInEnrolsWithoutASecondPassword() async throws {
        try await LiveServer.run { live in
            let (guest, tokens) = try await live.visit()
            let new = try await Attempt(live)
            let hashes = live.service.passwords.comparisonCount
            let answer = try await guest.vouch(for: new.device, token: tokens.accessToken).read(EnrolmentTicket.self)
            let account = try await live.account("ada").text
            #expect(answer.expiresIn == 300 && answer.account == account)
            #expect(try await Attempt(live).enrol(ticket: answer.ticket).kind == "verification-failed", "bound to the new key")
            #expect(try await new.enrol(ticket: answer.ticket).status == 201)
            #expect(live.service.passwords.comparisonCount == hashes)
            #expect(try await guest.get("/v1/me", token: tokens.accessToken).status == 200, "and the visit goes on")
            let again = try await guest.vouch(for: LoadDevice(server: live.url), token: tokens.accessToken)
            #expect(again.kind == "verification-failed", "one ticket for each visit")
        }
    }

    @Test func itsEnrolmentIsTreatedAsOneByTheCredentialsThemselves() async throws {
        try await LiveServer.run { live in
            let owner = try await live.device()
            var kids: [String] = []
            for throughVisit in [false, true] {
                let new = try await Attempt(live)
                var ticket = try await new.ticket().read(EnrolmentTicket.self).ticket
                if throughVisit {
                    let tokens = try await new.visit(by: ticket).read(TokenAnswer.self)
                    let guest = LiveServer.Enrolled(device: new.device, connection: new.connection)
                    ticket = try await guest.vouch(for: new.device, token: tokens.accessToken).read(EnrolmentTicket.self).ticket
                }
                #expect(try await new.enrol(ticket: ticket).status == 201)
                kids.append(new.device.kid)
            }
            let keys = try await [live.service.store.key(kids[0]), live.service.store.key(kids[1])].compactMap(\.self)
            #expect(keys.map(\.coolsOffUntil) == [live.clock.now + .seconds(86_400), live.clock.now + .seconds(86_400)])
            #expect(keys.map(\.enrolledBy) == [.credentials, .credentials])
            let told = try await owner.notices(try await owner.signIn().accessToken).map(\.kind)
            #expect(told.filter { $0 == "new-device" }.count == 3)
        }
    }

    @Test func itsTicketOpensNoFurtherVisit() async throws {
        try await LiveServer.run { live in
            let (guest, tokens) = try await live.visit()
            let ticket = try await guest.vouch(for: guest.device, token: tokens.accessToken).read(EnrolmentTicket.self).ticket
            let attempt = Attempt(live, guest.device, guest.connection)
            #expect(try await attempt.visit(by: ticket).problem?.error == "invalid_grant")
            #expect(try await attempt.enrol(ticket: ticket).status == 201)
        }
    }

    @Test func itGetsATicketForFiveMinutes() async throws {
        try await LiveServer.run { live in
            let (guest, tokens) = try await live.visit()
            let (late, others) = try await live.visit()
            live.clock.advance(by: .seconds(299))
            let new = LoadDevice(server: live.url)
            #expect(try await guest.vouch(for: new, token: tokens.accessToken).status == 200)
            live.clock.advance(by: .seconds(2))
            let renewed = try await late.refresh(others.refreshToken).read(TokenAnswer.self).accessToken
            #expect(try await late.vouch(for: new, token: renewed).kind == "step-up-required", "a refresh makes it no younger")
            let again = try await guest.refresh(tokens.refreshToken).read(TokenAnswer.self).accessToken
            #expect(try await guest.vouch(for: new, token: again).status == 401)
        }
    }

    @Test func aTicketOfAVisitIsAskedForByItsOwnKeyAndForAThumbprint() async throws {
        try await LiveServer.run { live in
            let (guest, tokens) = try await live.visit()
            let thief = LiveServer.Enrolled(device: LoadDevice(server: live.url), connection: try await live.connect())
            #expect(try await thief.vouch(for: thief.device, token: tokens.accessToken).status == 401)
            let short = try await guest.send("POST", "/v1/tickets", Array(#"{"jkt":"AA"}"#.utf8), token: tokens.accessToken)
            #expect(short.kind == "malformed")
            #expect(try await guest.vouch(for: guest.device, token: tokens.accessToken).status == 200, "neither used it up")
        }
    }

    @Test func aTicketOfAVisitIsVoidAfterANewPassword() async throws {
        try await LiveServer.run { live in
            let (guest, tokens) = try await live.visit()
            let ticket = try await guest.vouch(for: guest.device, token: tokens.accessToken).read(EnrolmentTicket.self).ticket
            try await live.server.setPassword(PasswordChangeTests.newPassword, ofAccountNamed: "ada")
            let attempt = Attempt(live, guest.device, guest.connection)
            #expect(try await attempt.enrol(ticket: ticket).kind == "verification-failed")
        }
    }
}
#endif
