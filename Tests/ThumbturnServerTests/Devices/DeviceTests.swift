#if Tools
import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnServer

/// Other devices of an account: who may let them in, rename them and take them away.
@Suite struct DeviceTests {
    private func long(_ test: @escaping @Sendable (LiveServer) async throws -> Void) async throws {
        try await LiveServer.run(
            configure: {
                $0.sessionLifetime = .seconds(500_000)
                $0.sessionIdleLimit = .seconds(500_000)
                $0.accessTokenLifetime = .seconds(500_000)
            }, test)
    }

    // MARK: Letting a device in

    @Test func aDeviceLetsInAnotherThatMayDoAtOnceWhatItMay() async throws {
        try await LiveServer.run { live in
            let first = try await live.device()
            let token = try await first.signIn().accessToken
            let new = try await EnrolmentTests.Attempt(live)
            let ticket = try await first.vouch(for: new.device, token: token).read(EnrolmentTicket.self).ticket
            let thief = try await EnrolmentTests.Attempt(live)
            #expect(try await thief.enrol(ticket: ticket).kind == "verification-failed", "bound to the key that was named")
            #expect(try await new.enrol(ticket: ticket).status == 201)
            #expect(try await new.enrol(ticket: ticket).kind == "verification-failed", "spent")

            let second = LiveServer.Enrolled(device: new.device, connection: new.connection)
            let fresh = try await second.signIn().accessToken
            let others = try await second.devices(fresh).filter { !$0.current }
            #expect(try await second.delete("/v1/devices/\(others[0].id)", token: fresh).status == 204, "no cool-off")
        }
    }

    @Test func lettingInWantsAFreshProofOfAnExistingDevice() async throws {
        try await long { live in
            let first = try await live.device()
            let token = try await first.signIn()
            let second = try await live.device()
            let new = LoadDevice(server: live.url)
            let cooling = try await second.vouch(for: new, token: try await second.signIn().accessToken)
            #expect(cooling.kind == "verification-failed", "a device that the password brought cools off")
            live.clock.advance(by: .seconds(300))
            #expect(try await first.vouch(for: new, token: token.accessToken).kind == "ok")
            live.clock.advance(by: .seconds(1))
            #expect(try await first.vouch(for: new, token: token.accessToken).kind == "step-up-required", "stale by a second")
            let refreshed = try await first.refresh(token.refreshToken).read(TokenAnswer.self).accessToken
            #expect(try await first.vouch(for: new, token: refreshed).kind == "step-up-required", "a refresh proves nothing")
            live.clock.step(by: .seconds(-3600))
            #expect(try await first.vouch(for: new, token: refreshed).kind == "step-up-required", "nor does a clock set back")
        }
    }

    @Test func aDeviceThatWasRevokedSinceLetsNobodyIn() async throws {
        try await LiveServer.run { live in
            let first = try await live.device()
            let new = try await EnrolmentTests.Attempt(live)
            let ticket = try await first.vouch(for: new.device, token: try await first.signIn().accessToken)
                .read(EnrolmentTicket.self).ticket
            #expect(try await first.delete("/v1/devices/current", token: try await first.signIn().accessToken).status == 204)
            #expect(try await new.enrol(ticket: ticket).kind == "verification-failed")
        }
    }

    @Test("a PIN lets in what cools off, and a passcode lets in nobody", arguments: [KeyChangeTests.Phone.Payer.pin, .passcode])
    func lesserFactors(_ factor: KeyChangeTests.Phone.Payer) async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            let old = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let new = try await EnrolmentTests.Attempt(live)
            let answer = try await old.vouch(for: new.device, token: try await phone.signIn(by: factor).accessToken)
            guard factor == .pin else {
                #expect(answer.kind == "step-up-required")
                return
            }
            #expect(try await new.enrol(ticket: try answer.read(EnrolmentTicket.self).ticket).status == 201)
            let second = LiveServer.Enrolled(device: new.device, connection: new.connection)
            let token = try await second.signIn().accessToken
            let other = try #require(try await second.devices(token).first { !$0.current })
            #expect(try await second.delete("/v1/devices/\(other.id)", token: token).kind == "verification-failed", "cool-off")
        }
    }

    @Test func aTicketOfADevicePaysForNoChangeOfKeys() async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            let own = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let ticket = try await own.vouch(for: phone.device, token: try await own.signIn().accessToken)
                .read(EnrolmentTicket.self).ticket
            var draft = try await phone.draft(.resetPIN, paidBy: .credentials)
            draft.request.ticket = ticket
            #expect(try await phone.send(draft).kind == "verification-failed")
        }
    }

    /// Else a PIN, which may let a device in, could bring its own device another face.
    @Test("a device that vouches for itself changes none of its keys", arguments: [KeyChangeTests.Phone.Payer.pin, .biometric])
    func vouchingForItself(_ factor: KeyChangeTests.Phone.Payer) async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            let own = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let token = try await phone.signIn(by: factor).accessToken
            let before = try await own.devices(token)
            let ticket = try await own.vouch(for: phone.device, token: token).read(EnrolmentTicket.self).ticket
            let asked = try await phone.device.challenge(
                .enrol, [phone.device.sessionKid, phone.device.kid], over: phone.connection)
            let request = EnrolRequest(
                ticket: ticket, name: "Again", keys: phone.device.registrations(asked.challenge), ifEnrolled: .replace)
            let answer = try await PINKeyTests.post(request, from: phone.device, nonce: asked.nonce, over: phone.connection)
            #expect(answer.kind == "verification-failed")
            #expect(try await own.devices(token) == before)
        }
    }

    @Test func aDeviceThatWasVouchedForAsksAgainWithoutHarm() async throws {
        try await LiveServer.run { live in
            let old = try await live.device()
            let new = try await EnrolmentTests.Attempt(live)
            func ticket() async throws -> String {
                try await old.vouch(for: new.device, token: try await old.signIn().accessToken).read(EnrolmentTicket.self).ticket
            }
            let first = try await new.enrol(ticket: try await ticket()).read(DeviceRecord.self)
            let second = try await ticket()
            let again = try await new.enrol { request, _ in
                request.ticket = second
                request.ifEnrolled = .replace
                request.name = "Another name"
            }
            #expect(try again.read(DeviceRecord.self) == first, "the same device, and it was not renamed")
        }
    }

    // MARK: Enrolling again

    @Test func aDeviceThatAsksAgainIsRefusedUnlessItSaysReplace() async throws {
        try await LiveServer.run { live in
            let attempt = try await EnrolmentTests.Attempt(live)
            let first = try await attempt.enrol().read(DeviceRecord.self)
            let own = LiveServer.Enrolled(device: attempt.device, connection: attempt.connection)
            let token = try await own.signIn().accessToken
            #expect(try await attempt.enrol().kind == "verification-failed")
            #expect(try await attempt.enrol { request, _ in request.ifEnrolled = .fail }.kind == "verification-failed")
            let again = try await attempt.enrol { request, _ in
                request.ifEnrolled = .replace
                request.name = "Mine"
            }
            let record = try again.read(DeviceRecord.self)
            #expect(record.id == first.id && record.keys == first.keys && record.name == "Mine", "the same device")
            #expect(try await own.get("/v1/me", token: token).kind == "ok", "a lost answer that is asked for again ends nothing")
        }
    }

    @Test func aDeviceThatBringsOtherKeysHasThoseAlone() async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            _ = try await live.device()
            let own = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let token = try await own.signIn()
            let passcode = try await phone.signIn(by: .passcode)
            let ticket = try await phone.ticket()
            let asked = try await phone.device.challenge(
                .enrol, [phone.device.sessionKid, phone.device.kid], over: phone.connection)
            var request = EnrolRequest(
                ticket: ticket, name: "Again", keys: phone.device.registrations(asked.challenge), ifEnrolled: .replace)
            let answer = try await PINKeyTests.post(request, from: phone.device, nonce: asked.nonce, over: phone.connection)
            #expect(try answer.read(DeviceRecord.self).keys.map(\.kind) == [.biometric, .session])
            for old in [token, passcode] {
                #expect(try await own.get("/v1/me", token: old.accessToken).kind == "verification-failed")
                #expect(try await own.refresh(old.refreshToken).kind == "verification-failed")
            }
            await #expect(throws: LoadDevice.Unexpected.self) { _ = try await phone.signIn(by: .passcode) }
            let fresh = try await own.signIn().accessToken
            let other = try #require(try await own.devices(fresh).first { !$0.current })
            #expect(try await own.delete("/v1/devices/\(other.id)", token: fresh).kind == "verification-failed", "it cools off")

            // What was retired never comes back, and nobody else's ticket changes this device.
            let back = try await phone.device.challenge(
                .enrol, [phone.device.sessionKid, phone.device.kid, phone.kid(of: .passcode) ?? ""], over: phone.connection)
            request.ticket = try await phone.ticket()
            request.keys = phone.device.registrations(back.challenge)
            request.keys.append(KeyRegistration(kind: .passcode, jwk: PINKeyTests.jwk(phone.passcode), proof: nil))
            let revived = try await PINKeyTests.post(request, from: phone.device, nonce: back.nonce, over: phone.connection)
            #expect(revived.kind == "verification-failed")
            let bobs = try await phone.device.challenge(
                .enrol, [phone.device.sessionKid, phone.device.kid], over: phone.connection)
            request.ticket = try await phone.ticket(account: "bob")
            request.keys = phone.device.registrations(bobs.challenge)
            let stolen = try await PINKeyTests.post(request, from: phone.device, nonce: bobs.nonce, over: phone.connection)
            #expect(stolen.kind == "verification-failed")
        }
    }

    // MARK: Names and removal

    @Test func theListHasOnesOwnLiveDevicesAlone() async throws {
        try await LiveServer.run { live in
            let (first, second) = (try await live.device(), try await live.device())
            _ = try await live.device(of: "bob")
            let token = try await first.signIn().accessToken
            let both = try await first.devices(token)
            #expect(both.count == 2 && both.filter(\.current).count == 1)
            #expect(both.first(where: \.current)?.keys.map(\.kid).contains(first.device.kid) == true)
            #expect(both.first { !$0.current }?.keys.map(\.kid).contains(second.device.kid) == true)
            let other = try #require(both.first { !$0.current })
            #expect(try await first.delete("/v1/devices/\(other.id)", token: token).status == 204)
            #expect(try await first.devices(token).map(\.current) == [true])
        }
    }

    @Test func aDeviceThatCoolsOffApprovesNothing() async throws {
        try await LiveServer.withBank { live, bank in
            let first = try await live.device()
            let account = try await live.account(of: first)
            let second = try await live.device()
            let id = try await bank.ask(account).read(ApprovalRecord.self).id
            #expect(try await second.askToApprove(id).kind == "verification-failed")
            #expect(try await first.askToApprove(id).kind == "ok", "nobody else waits")
            live.clock.advance(by: .seconds(24 * 3600))
            let later = try await bank.ask(account, Bank.payment("1", "Super Store", "t-2")).read(ApprovalRecord.self).id
            let challenge = try await second.askToApprove(later).read(ChallengeAnswer.self).challenge
            #expect(try await second.approve(later, second.device.proof(challenge)).kind == "ok")
        }
    }

    @Test func renamingADeviceNeedsAFreshProof() async throws {
        try await long { live in
            let (first, second) = (try await live.device(), try await live.device())
            let bob = try await live.device(of: "bob")
            let token = try await first.signIn().accessToken
            let other = try #require(try await first.devices(token).first { !$0.current })
            #expect(try await first.rename("current", "My phone", token: token).read(DeviceRecord.self).name == "My phone")
            #expect(try await first.rename(other.id, "Tablet", token: token).read(DeviceRecord.self).name == "Tablet")
            #expect(try await first.devices(token).map(\.name).sorted() == ["My phone", "Tablet"])
            for name in ["", String(repeating: "n", count: 65), "enohp\u{202E}phone", "a\nb"] {
                #expect(try await first.rename("current", name, token: token).kind == "malformed")
            }
            let bobs = try await bob.signIn().accessToken
            #expect(try await bob.rename(other.id, "Mine", token: bobs).kind == "not-found")
            #expect(try await bob.rename("nonsense", "Mine", token: bobs).kind == "not-found")
            let cooling = try await second.signIn().accessToken
            #expect(try await second.rename("current", "Pad", token: cooling).kind == "ok", "its own name it may choose")
            let mine = try #require(try await second.devices(cooling).first { !$0.current })
            #expect(try await second.rename(mine.id, "Pad", token: cooling).kind == "verification-failed", "cool-off")
            live.clock.advance(by: .seconds(301))
            #expect(try await first.rename("current", "Later", token: token).kind == "step-up-required")

            let body = Array(#"{"name":"Other"}"#.utf8)
            let fresh = try await first.signIn().accessToken
            let proof = first.device.dpop(
                "PATCH", "/v1/devices/current", Array(#"{"name":"Mine"}"#.utf8), nonce: try await first.nonce(), token: fresh)
            let swapped = try await first.connection.send(
                "PATCH", "/v1/devices/current", type: "application/json",
                headers: [("Authorization", "DPoP \(fresh)"), ("DPoP", proof)], body: body)
            #expect(swapped.kind == "verification-failed", "the proof covers the body")
        }
    }

    @Test func aFactorIsTakenAwayByOneThatIsWorthAsMuch() async throws {
        try await LiveServer.run { live in
            let phone = try await KeyChangeTests.Phone(live)
            let own = LiveServer.Enrolled(device: phone.device, connection: phone.connection)
            let strong = try await live.device()
            let weak = try await EnrolmentTests.Attempt(live)
            #expect(try await weak.enrol { request, _ in request.keys[1].kind = .passcode }.status == 201)
            let token = try await phone.signIn(by: .passcode).accessToken
            let list = try await own.devices(token).filter { !$0.current }
            let passcodeOnly = try #require(list.first { $0.keys.contains { $0.kind == .passcode } })
            let biometric = try #require(list.first { $0.id != passcodeOnly.id })
            #expect(try await own.delete("/v1/devices/\(biometric.id)", token: token).kind == "step-up-required")
            #expect(try await own.delete("/v1/devices/\(passcodeOnly.id)", token: token).status == 204)
            let pin = try await phone.signIn(by: .pin).accessToken
            let before = try await strong.signIn()
            #expect(try await own.delete("/v1/devices/\(biometric.id)", token: pin).status == 204)
            #expect(try await strong.refresh(before.refreshToken).kind == "verification-failed", "its sessions end at once")
            #expect(try await strong.get("/v1/me", token: before.accessToken).kind == "verification-failed")
        }
    }

    @Test func theLastDeviceMayGoAndFullCredentialsBeginAnew() async throws {
        let clock = TestClock()
        try await LiveServer.run(clock: clock) { live in
            let only = try await live.device()
            #expect(try await only.delete("/v1/devices/current", token: try await only.signIn().accessToken).status == 204)
            // Until then the next one would cool off, as if the first were still there.
            clock.advance(by: .seconds(24 * 3600))
            let next = try await live.device()
            let third = try await live.device()
            let token = try await next.signIn().accessToken
            let other = try #require(try await next.devices(token).first { !$0.current })
            #expect(try await next.delete("/v1/devices/\(other.id)", token: token).status == 204, "there was nobody to wait for")
            await #expect(throws: LoadDevice.Unexpected.self) { _ = try await third.signIn() }
        }
    }

    @Test func theOperatorEndsALostDevice() async throws {
        try await LiveServer.run { live in
            let lost = try await live.device()
            let session = try await lost.signIn()
            let server = live.server
            let id = try #require(try await server.devices(ofAccountNamed: "ada").first).id
            await #expect(throws: SetupError.self) { try await server.revoke(id, ofAccountNamed: "bob") }
            await #expect(throws: SetupError.self) { try await server.revoke(id, ofAccountNamed: "nobody") }
            try await server.revoke(id, ofAccountNamed: "ada")
            #expect(try await lost.get("/v1/me", token: session.accessToken).kind == "verification-failed")
        }
    }
}

extension KeyChangeTests.Phone {
    func signIn(by payer: Payer) async throws -> TokenAnswer {
        let asked = try await device.challenge(.signIn, [kid(of: payer) ?? ""], over: connection)
        let answer = try await device.redeem(proof(payer, asked.challenge) ?? "", nonce: asked.nonce, over: connection)
        return try device.read(TokenAnswer.self, answer, expecting: 200)
    }
}

extension LiveServer.Enrolled {
    func send(_ method: String, _ path: String, _ body: [UInt8], token: String) async throws -> LoadConnection.Answer {
        let proof = device.dpop(method, path, body, nonce: try await nonce(), token: token)
        return try await connection.send(
            method, path, type: "application/json", headers: [("Authorization", "DPoP \(token)"), ("DPoP", proof)], body: body)
    }

    func vouch(for device: LoadDevice, token: String) async throws -> LoadConnection.Answer {
        try await send("POST", "/v1/tickets", Signing.encode(VouchRequest(jkt: device.sessionKid)), token: token)
    }

    func rename(_ id: String, _ name: String, token: String) async throws -> LoadConnection.Answer {
        try await send("PATCH", "/v1/devices/\(id)", Signing.encode(DeviceRename(name: name)), token: token)
    }

    func devices(_ token: String) async throws -> [DeviceRecord] {
        try await get("/v1/devices", token: token).read(DeviceList.self).devices
    }

    func notices(_ token: String) async throws -> [NoticeRecord] {
        try await get("/v1/notices", token: token).read(NoticeList.self).notices
    }
}
#endif
