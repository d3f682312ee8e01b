import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// The calls of an app from Java, from the bytes of a request to those of its answer.
@Suite struct AppCallsTests {
    // MARK: - Signing in

    @Test func anEnrolmentAndASignIn() async throws {
        try await AppWorld().run { world in
            let auth = try await world.authenticator(on: world.device())
            #expect(try await world.readiness(auth).isEnrolled == false)
            world.android.screens(.digits("739150"))
            var device = try await world.call(.enrol) { AppWorld.enrolment(&$0, auth) }
            #expect(try device.text() == "device" && device.text() == "Pixel")
            #expect(world.android.state.withLock { $0.screensShown.map(\.operation) } == [.choosePIN])
            #expect(world.android.state.withLock { $0.asked.first?.title } == "Acme")
            var grant = try await world.call(.authenticate) { AppWorld.unlock(&$0, auth) }
            #expect(try grant.text() == "biometric" && !grant.text().isEmpty && grant.number() > 0)
            try grant.end()
            let readiness = try await world.readiness(auth)
            #expect(readiness.next == "biometric" && readiness.isEnrolled)
            #expect(readiness.usable == ["biometric", "devicePasscode", "appPIN", "fullCredentials"])
            #expect(readiness.keys == ["biometric": "usable", "passcode": "usable", "pin": "usable", "session": "usable"])
            var account = try await world.call(.me) { $0.put(auth) }
            _ = try account.text()
            #expect(try account.text() == "ada")
        }
    }

    @Test("an answer that Java has no memory for fails the call")
    func lostAnswer() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            world.refuseNextAnswer()
            let lost = try await world.failure(.me) { $0.put(auth) }
            #expect(lost?.code == "platform" && lost?.status == "thumbturn.bridge 4")
            #expect(lost?.hint?.contains("may have been done") == true)
            #expect(try await world.failure(.me) { $0.put(auth) } == nil)
        }
    }

    @Test("a rung that the person chose is asked, by the app's PIN screen")
    func pin() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            world.android.screens(.digits("111111"), .digits("739150"))
            var grant = try await world.call(.authenticate) { AppWorld.unlock(&$0, auth, start: "appPIN") }
            #expect(try grant.text() == "appPIN")
            let shown = world.android.state.withLock { Array($0.screensShown.dropFirst()) }
            #expect(shown.allSatisfy { $0.number == 9 && $0.texts[0] == "Unlock Acme" && !$0.texts[1].isEmpty })
            #expect(shown.map(\.wrongInARow) == [0, 1])
        }
    }

    @Test("cancelling the screen is the person's, and what it throws is the app's fault")
    func screens() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            world.android.screens(.cancels)
            let cancelled = try await world.failure(.changePIN) { $0.putChange(auth) }
            #expect(cancelled?.code == "cancelledByUser" && cancelled?.recovery == "retry")
            world.android.screens(.throwing("com.example.Broken"))
            let broken = try await world.failure(.changePIN) { $0.putChange(auth) }
            #expect(broken?.code == "platform" && broken?.recovery == "report" && broken?.status == "com.example.Broken 0")
            let garbage: [[UInt8]] = [[], [1], BridgeWriter.fields { $0.put(Int64(0)) }.message]
            for bytes in garbage + [BridgeWriter.fields { for number: Int64 in [0, 7] { $0.put(number) } }.message] {
                world.android.screens(.garbage(bytes))
                #expect(try await world.failure(.changePIN) { $0.putChange(auth) }?.code == "platform")
            }
            for wrong in ["12345", "12345x", "73915\u{660}", String(repeating: "1", count: 33)] {
                world.android.screens(.digits(wrong))
                let failed = try await world.failure(.changePIN) { $0.putChange(auth) }
                #expect(failed?.status == "thumbturn.bridge 1" && failed?.hint?.contains("no PIN") == true)
            }
        }
    }

    @Test func aPINIsChangedRemovedAndSet() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            // The sensor proves presence, so only the new PIN is asked for.
            world.android.screens(.digits("824193"))
            try await world.call(.changePIN) { $0.putChange(auth) }
            world.android.screens(.digits("824193"))
            var grant = try await world.call(.authenticate) { AppWorld.unlock(&$0, auth, start: "appPIN") }
            #expect(try grant.text() == "appPIN")
            try await world.call(.removePIN) { $0.putChange(auth) }
            #expect(try await world.readiness(auth).keys["pin"] == "missing")
            world.android.screens(.digits("615243"))
            try await world.call(.setPIN) { $0.putChange(auth) }
            #expect(try await world.readiness(auth).keys["pin"] == "usable")
            world.android.screens(.digits("483920"))
            try await world.call(.resetPIN) { message in
                message.put(auth)
                AppWorld.password(&message)
            }
            world.android.screens(.digits("483920"))
            grant = try await world.call(.authenticate) { AppWorld.unlock(&$0, auth, start: "appPIN") }
            #expect(try grant.text() == "appPIN")
        }
    }

    @Test("the app's own sign-in is asked as a rung, and for an enrolment")
    func credentials() async throws {
        try await AppWorld().run { world in
            let auth = try await world.authenticator(on: world.device(), signInScreen: 4)
            world.android.screens(.gives { AppWorld.password(&$0) }, .digits("739150"))
            try await world.call(.enrol) { message in
                AppWorld.enrolment(&message, auth) {
                    $0.put(Int64(5))
                    $0.put(Int64(3))
                }
            }
            let asked = world.android.state.withLock { $0.screensShown[0] }
            #expect(
                asked.operation == .credentials && asked.number == 3 && asked.texts[0] == "Set up" && asked.texts[1].count == 43)
            #expect(Array(asked.texts.dropFirst(2)) == ["enrolment", ""])
            world.android.screens(.gives { AppWorld.password(&$0) })
            var grant = try await world.call(.authenticate) { AppWorld.unlock(&$0, auth, start: "fullCredentials") }
            #expect(try grant.text() == "fullCredentials")
            #expect(world.android.state.withLock { $0.screensShown.last?.number } == 4)
        }
    }

    @Test func aSignInWithCredentialsAndThenBiometrics() async throws {
        try await AppWorld().run { world in
            let auth = try await world.authenticator(on: world.device())
            let wrong = try await world.failure(.signIn) { message in
                message.put(auth)
                AppWorld.password(&message, "wrong")
                message.put("Sign in")
            }
            #expect(wrong?.code == "refused")
            var grant = try await world.call(.signIn) { message in
                message.put(auth)
                AppWorld.password(&message)
                message.put("Sign in")
            }
            #expect(try grant.text() == "fullCredentials")
            world.android.screens(.digits("739150"))
            try await world.call(.addBiometrics) {
                $0.put(auth)
                $0.put("unlock")
                $0.put(nil as String?)
                $0.put("Set up")
            }
            #expect(try await world.readiness(auth).isEnrolled)
        }
    }

    @Test("all kinds of credentials are read", arguments: [Int64(1), 2, 3, 4, 6, 0, -1])
    func kinds(_ kind: Int64) async throws {
        try await AppWorld().run { world in
            let auth = try await world.authenticator(on: world.device())
            let failed = try await world.failure(.signIn) { message in
                message.put(auth)
                message.put(kind)
                let count = [1: 3, 2: 3, 3: 1, 4: 2][kind] ?? 0
                for _ in 0..<count { message.put("/x") }
                message.put("Sign in")
            }
            #expect(failed?.status == ((1...4).contains(kind) ? failed?.status : "thumbturn.bridge 1"))
            #expect((failed?.code == "platform") == !(1...4).contains(kind))
        }
    }

    @Test func anEnrolmentThatExists() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            let prompts = world.phone.promptCount
            try await world.call(.enrol) { AppWorld.enrolment(&$0, auth) }
            #expect(world.phone.promptCount == prompts)
            let failed = try await world.failure(.enrol) { AppWorld.enrolment(&$0, auth, ifExists: "fail") }
            #expect(failed?.code == "alreadyEnrolled")
            world.android.screens(.digits("739150"))
            try await world.call(.enrol) { AppWorld.enrolment(&$0, auth, ifExists: "replace") }
            #expect(world.phone.promptCount == prompts + 1)
            #expect(
                try await world.failure(.enrol) { AppWorld.enrolment(&$0, auth, ifExists: "x") }?.status == "thumbturn.bridge 1")
        }
    }

    // MARK: - Steering and news

    @Test func anotherWayAndNews() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            let news = world.begin(.news) { $0.put(auth) }
            world.phone.next(.ignore)
            world.android.screens(.digits("739150"))
            let unlock = world.begin(.authenticate) { AppWorld.unlock(&$0, auth, policy: "sensitiveScreen") }
            await world.sleep(.seconds(1))
            // Those for a call that asks nothing and for one that never was change nothing.
            for id in [news.id, -9999] {
                try await world.call(.useAnotherWay) { $0.put(id) }
                await world.sleep(.seconds(1))
            }
            #expect(world.android.state.withLock { $0.screensShown.count } == 1)
            try await world.call(.useAnotherWay) { $0.put(unlock.id) }
            var grant = try await world.end(unlock.answers)
            #expect(try grant.text() == "appPIN")
            try await world.call(.cancel) { $0.put(news.id) }
            var kinds: [Int64] = []
            for await message in news.answers {
                var reader = BridgeReader(message)
                guard try reader.number() == 2 else { continue }
                kinds.append(try reader.number())
                if kinds.last == 4 {
                    #expect(
                        try reader.text() == "biometric" && reader.text() == "appPIN" && reader.text() == "the person's choice")
                    #expect(try reader.number() == 250 && reader.text().isEmpty == false)
                }
                if kinds.last == 5 { #expect(try reader.text() == "unlock") }
            }
            #expect(kinds.contains(4) && kinds.contains(5) && kinds.contains(6) && kinds.contains(7))
        }
    }

    @Test("a call that listens ends once nothing tells news any more", .timeLimit(.minutes(1)))
    func newsEnd() async {
        var source: AppNews? = AppNews()
        let news = source?.stream()
        source = nil
        guard let news else { return }
        for await _ in news {}
    }

    @Test func aScreenWaitsForATap() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            let prompts = world.phone.promptCount
            let unlock = world.begin(.authenticate) { AppWorld.unlock(&$0, auth, start: "screen", policy: "highRisk") }
            await world.sleep(.seconds(5))
            #expect(world.phone.promptCount == prompts)
            try await world.call(.promptNow) { $0.put(unlock.id) }
            _ = try await world.end(unlock.answers)
            #expect(world.phone.promptCount == prompts + 1)
            // A call that has ended is no failure.
            for operation in [AppOperation.promptNow, .useAnotherWay] { try await world.call(operation) { $0.put(unlock.id) } }
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test("of two calls with the same words, what the person chose for one moves only that one")
    func choicesAreForOneCall() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            let prompts = world.phone.promptCount
            let (first, second) = (
                world.begin(.authenticate) { AppWorld.unlock(&$0, auth, start: "screen", policy: "highRisk") },
                world.begin(.authenticate) { AppWorld.unlock(&$0, auth, start: "screen", policy: "transaction") }
            )
            await world.sleep(.seconds(5))
            world.android.screens(.digits("739150"))
            try await world.call(.useAnotherWay) { $0.put(second.id) }
            var grant = try await world.end(second.answers)
            #expect(try grant.text() == "appPIN")
            await world.sleep(.seconds(5))
            #expect(world.calls.count == 1 && world.phone.promptCount == prompts, "the first one still waits for its tap")
            try await world.call(.promptNow) { $0.put(first.id) }
            grant = try await world.end(first.answers)
            #expect(try grant.text() == "biometric" && world.phone.promptCount == prompts + 1)
        }
    }

    @Test("what the person chose before a call has begun to ask is kept until it does")
    func earlyChoices() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            let prompts = world.phone.promptCount
            let payment = world.begin(.authenticate) { AppWorld.unlock(&$0, auth, start: "screen", policy: "highRisk") }
            world.calls.question(of: payment.id)?.prompt()
            var grant = try await world.end(payment.answers)
            #expect(try grant.text() == "biometric" && world.phone.promptCount == prompts + 1)
            world.android.screens(.digits("739150"))
            let other = world.begin(.authenticate) { AppWorld.unlock(&$0, auth, start: "screen", policy: "transaction") }
            world.calls.question(of: other.id)?.useAnotherWay()
            grant = try await world.end(other.answers)
            #expect(try grant.text() == "appPIN" && world.phone.promptCount == prompts + 1)
        }
    }

    @Test("cancelling a call dismisses its prompt or screen, and the call ends")
    func cancel() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            world.phone.next(.ignore)
            let unlock = world.begin(.authenticate) { AppWorld.unlock(&$0, auth) }
            await world.sleep(.seconds(1))
            try await world.call(.cancel) { $0.put(unlock.id) }
            await #expect(throws: AppWorld.Failed.self) { try await world.end(unlock.answers) }
            world.android.screens(.waits)
            let pin = world.begin(.authenticate) { AppWorld.unlock(&$0, auth, start: "appPIN") }
            await world.sleep(.seconds(1))
            try await world.call(.cancel) { $0.put(pin.id) }
            do {
                _ = try await world.end(pin.answers)
                Issue.record("a cancelled call succeeded")
            } catch let failed as AppWorld.Failed {
                #expect(failed.code == "cancelledByApp" && failed.recovery == "retry")
            }
            try await world.call(.cancel) { $0.put(Int64(-9999)) }
        }
    }

    // MARK: - Requests

    @Test func aStepUpAndRequests() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            var grant = try await world.call(.stepUp) {
                $0.put(auth)
                $0.putAction("new-recipient")
                $0.put(Int64(1250))
                $0.put("EUR")
                $0.put("Pay")
                $0.put("highRisk")
            }
            #expect(try grant.text() == "biometric")
            let prompts = world.phone.promptCount
            world.server.state.withLock { $0.wantsNonce = true }
            var answer = try await world.call(.send) {
                $0.put(auth)
                $0.putRequest("/balance")
            }
            #expect(try answer.number() == 200)
            #expect(try answer.headers() == ["content-type": "text/plain"])
            #expect(try answer.bytes() == Array("12.50".utf8))
            try answer.end()
            #expect(world.phone.promptCount == prompts)
            let challenge = StepUpChallenge(maximumAge: .zero, ask: ActionAsk("new-recipient"))
            world.server.state.withLock { $0.demand = challenge.header(scheme: .dpop) }
            try await world.call(.send) {
                $0.put(auth)
                $0.putRequest("/transfers", action: "new-recipient")
            }
            #expect(world.phone.promptCount == prompts + 1 && world.server.state.withLock { $0.authorized } == 2)
        }
    }

    @Test func aRequestThatTheAppSendsItself() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            var signed = try await world.call(.authorize) {
                $0.put(auth)
                $0.putRequest("/balance")
            }
            let headers = try signed.headers()
            try signed.end()
            #expect(headers["Authorization"]?.hasPrefix("DPoP ") == true && Set(headers.keys) == ["Authorization", "DPoP"])
            var again = try await world.call(.authorizeAfter) {
                $0.put(auth)
                $0.putRequest("/balance", headers: headers)
                $0.put(Int64(401))
                $0.put(["www-authenticate": #"DPoP error="use_dpop_nonce""#, "dpop-nonce": "n2"])
            }
            #expect(try again.flag())
            #expect(try again.headers()["DPoP"] != headers["DPoP"])
            var done = try await world.call(.authorizeAfter) {
                $0.put(auth)
                $0.putRequest("/balance", headers: headers)
                $0.put(Int64(200))
                $0.put([:] as [String: String])
            }
            #expect(try !done.flag() && done.headers().isEmpty)
            let foreign = try await world.failure(.authorize) {
                $0.put(auth)
                $0.put("GET")
                $0.put("https://elsewhere.example/")
                $0.put([:] as [String: String])
                $0.put([])
                $0.putAction(nil)
                $0.put(nil as [UInt8]?)
                $0.put("")
                $0.put("highRisk")
            }
            #expect(foreign?.code == "insecureServer")
        }
    }

    // MARK: - Approvals and devices

    @Test func anApprovalIsShownSignedAndDeclined() async throws {
        try await AppWorld(language: "de-AT").run { world in
            let auth = try await world.signedIn()
            var list = try await world.call(.approvals) { $0.put(auth) }
            #expect(try list.number() == 1)
            let bytes = try list.bytes()
            #expect(try list.text() == AppServer.approval && list.text() == "open" && !list.flag() && list.text() == "Acme")
            let title = try list.text()
            #expect(!title.isEmpty && title != "Sign in")
            let values = try list.list { (reader) throws(BridgeReader.Malformed) in
                _ = try reader.text()
                return try reader.text()
            }
            #expect(values.contains("Acme"))
            #expect(try list.optionalText() == nil && list.number() == 86400)
            try list.end()
            var one = try await world.call(.approval) {
                $0.put(auth)
                $0.put(AppServer.approval)
            }
            #expect(try one.bytes() == bytes)
            let prompts = world.phone.promptCount
            var signed = try await world.call(.approve) {
                $0.put(auth)
                $0.put(bytes)
            }
            _ = try signed.bytes()
            #expect(try signed.text() == AppServer.approval && signed.text() == "approved" && signed.flag())
            #expect(world.phone.promptCount == prompts + 1)
            try await world.call(.decline) {
                $0.put(auth)
                $0.put(bytes)
            }
            #expect(world.server.state.withLock { $0.decline } == 1)
            for bytes in [[], [1, 2, 3], Array("{}".utf8), Array(bytes.dropLast())] {
                let failed = try await world.failure(.approve) {
                    $0.put(auth)
                    $0.put(bytes)
                }
                #expect(failed?.status == "thumbturn.bridge 1")
            }
            let unknown = try await world.failure(.approval) {
                $0.put(auth)
                $0.put("../../me")
            }
            #expect(unknown?.code == "approvalOver")
        }
    }

    @Test func devicesAreListedRenamedAndRemoved() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            var list = try await world.call(.devices) { $0.put(auth) }
            #expect(try list.number() == 2)
            #expect(try list.text() == "device" && list.text() == "Pixel" && list.number() >= 0 && list.flag() && !list.flag())
            let tablet: (inout BridgeWriter) -> Void = {
                $0.put("tablet")
                $0.put("tablet")
                $0.put(Int64(5))
                $0.put(false)
                $0.put(false)
                $0.put(["k"]) { message, id in
                    message.put(id)
                    message.put("passcode")
                    message.put(true)
                }
            }
            var renamed = try await world.call(.rename) {
                $0.put(auth)
                tablet(&$0)
                $0.put("renamed")
                $0.put("Rename")
                $0.put("unlock")
            }
            #expect(try renamed.text() == "tablet" && renamed.text() == "renamed")
            try await world.call(.remove) {
                $0.put(auth)
                tablet(&$0)
                $0.put("Remove")
                $0.put("unlock")
            }
            #expect(world.server.state.withLock { $0.otherDevice } == nil)
        }
    }

    @Test func signingOutAndRevoking() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            try await world.call(.forgetRecentAuthentication) { $0.put(auth) }
            try await world.call(.signOut) {
                $0.put(auth)
                $0.put(false)
            }
            let over = try await world.failure(.me) { $0.put(auth) }
            #expect(over?.code == "sessionOver" && over?.recovery == "fallBack" && over?.rung == "biometric")
            #expect(over?.button?.isEmpty == false)
            try await world.call(.revoke) { $0.put(auth) }
            #expect(try await world.failure(.revoke) { $0.put(auth) }?.code == "notEnrolled")
        }
    }

    @Test("a dismissal ends a session that the app keeps until its lock, and no stored one", arguments: [true, false])
    func aSessionAfterADismissal(_ isStored: Bool) async throws {
        try await AppWorld().run { world in
            let auth = try await world.authenticator(on: world.device(), keepsSession: isStored)
            world.android.screens(.digits("739150"))
            try await world.call(.enrol) { AppWorld.enrolment(&$0, auth) }
            try await world.call(.authenticate) { AppWorld.unlock(&$0, auth) }
            let balance = { (message: inout BridgeWriter) in
                message.put(auth)
                message.putRequest("/balance")
            }
            try await world.call(.authorize, balance)
            try await world.call(.forgetRecentAuthentication) { $0.put(auth) }
            #expect(try await world.failure(.authorize, balance)?.code == (isStored ? nil : "sessionOver"))
        }
    }

    @Test(
        "a lock ends the sessions that the app keeps until then, of every account, and no stored one", arguments: [true, false])
    func aSessionAfterALock(_ isStored: Bool) async throws {
        try await AppWorld().run { world in
            let device = try await world.device()
            let auth = try await world.authenticator(on: device, keepsSession: isStored)
            let other = try await world.authenticator(on: device, account: "other")
            world.android.screens(.digits("739150"))
            try await world.call(.enrol) { AppWorld.enrolment(&$0, auth) }
            try await world.call(.authenticate) { AppWorld.unlock(&$0, auth) }
            let balance = { (message: inout BridgeWriter) in
                message.put(auth)
                message.putRequest("/balance")
            }
            try await world.call(.authorize, balance)
            try await world.call(.lockNow) { $0.put(other) }
            let over = try await world.failure(.authorize, balance)
            #expect(over?.code == (isStored ? nil : "sessionOver"))
            try await world.call(.authenticate) { AppWorld.unlock(&$0, auth) }
            #expect(try await world.failure(.authorize, balance) == nil)
        }
    }

    @Test func aLockEndsTheUnlockThatIsUnderWay() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            world.phone.next(.ignore)
            let unlock = world.begin(.authenticate) { AppWorld.unlock(&$0, auth) }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            try await world.call(.lockNow) { $0.put(auth) }
            do {
                _ = try await world.end(unlock.answers)
                Issue.record("it opens what has been locked since")
            } catch let failed as AppWorld.Failed {
                #expect(failed.code == "cancelledByApp")
            }
        }
    }

    @Test func aNewFingerAndANewBiometricKey() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            world.phone.enrolNewFace()
            #expect(try await world.readiness(auth).keys["biometric"] == "invalidated")
            world.server.server.state.withLock { $0.letsPasscodeReplaceBiometricKey = true }
            // The passcode key becomes active when it first signs.
            try await world.call(.authenticate) { AppWorld.unlock(&$0, auth, start: "devicePasscode") }
            try await world.call(.replaceBiometricKey) { $0.putChange(auth) }
            #expect(try await world.readiness(auth).keys["biometric"] == "usable")
        }
    }

    @Test func thePasswordIsChanged() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            func change(_ reason: String) -> (inout BridgeWriter) -> Void {
                {
                    $0.put(auth)
                    $0.put("correct horse battery")
                    $0.put(reason)
                    $0.put("highRisk")
                }
            }
            #expect(try await world.failure(.changePassword, change(" "))?.code == "reasonMissing")
            try await world.call(.changePassword, change("Change your password"))
            #expect(world.server.state.withLock { $0.password } == "correct horse battery")
        }
    }

    @Test("the texts are in the language that the app had when its phone was opened")
    func languages() async throws {
        try await AppWorld(language: "de-AT").run { world in
            let german = try await world.authenticator(on: world.device())
            world.android.state.withLock { $0.language = "en" }
            let english = try await world.authenticator(on: world.device())
            for (auth, language) in [(german, MessageLanguage.german), (english, .english)] {
                let failed = try await world.failure(.me) { $0.put(auth) }
                let code = try #require(Failure.Code.all.first { $0.name == failed?.code })
                #expect(failed?.message == Failure(code).message.text(in: language))
            }
            world.android.screens(.digits("739150"))
            try await world.call(.enrol) { AppWorld.enrolment(&$0, german) }
            try await world.call(.authenticate) { AppWorld.unlock(&$0, german) }
            world.android.screens(.cancels)
            _ = try await world.failure(.authenticate) { AppWorld.unlock(&$0, german, start: "appPIN") }
            let shown = try #require(world.android.state.withLock { $0.screensShown.last })
            #expect(
                UnlockFlow.CancelButton.cancel.message.text(in: .german)
                    != UnlockFlow.CancelButton.cancel.message.text(in: .english))
            #expect(shown.texts.last == UnlockFlow.CancelButton.cancel.message.text(in: .german))
        }
    }

    @Test("an open vault speaks the language of its phone")
    func languageOfAVault() async throws {
        try await AppWorld(language: "de-AT").run { world in
            let vault = try await world.vault(on: world.device())
            let use = world.begin(.useVault) { $0.putUse(vault) }
            var answers = use.answers.makeAsyncIterator()
            var news = BridgeReader(try #require(await answers.next()))
            #expect(try news.number() == 2)
            let open = try news.number()
            let failed = try await world.failure(.openSealed) {
                $0.put(open)
                $0.put("house.plan")
                $0.put(Int64(0))
                $0.put([7])
            }
            #expect(failed?.code == "notAuthentic")
            let message = Failure(.notAuthentic).message
            #expect(message.text(in: .german) != message.text(in: .english))
            #expect(failed?.message == message.text(in: .german))
            try await world.call(.close) { $0.put(open) }
            _ = try AppWorld.done(try #require(await answers.next()))
        }
    }

    @Test func biometricsAreOfferedDeclinedPreferredAndSwitchedOff() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            func isOffered() async throws -> Bool {
                var reader = try await world.call(.shouldOfferBiometrics) {
                    $0.put(auth)
                    $0.put("unlock")
                }
                return try reader.flag()
            }
            #expect(try await !isOffered(), "there is a key")
            try await world.call(.prefer) {
                $0.put(auth)
                $0.put("appPIN")
            }
            world.android.screens(.digits("739150"))
            var preferred = try await world.call(.authenticate) { AppWorld.unlock(&$0, auth) }
            #expect(try preferred.text() == "appPIN")
            try await world.call(.prefer) {
                $0.put(auth)
                $0.put(nil as String?)
            }
            preferred = try await world.call(.authenticate) { AppWorld.unlock(&$0, auth) }
            #expect(try preferred.text() == "biometric")
            try await world.call(.requireStrongerRung) { $0.put(auth) }
            #expect(try await world.readiness(auth).next != "biometric")
            world.android.screens(.digits("739150"))
            try await world.call(.authenticate) { AppWorld.unlock(&$0, auth, start: "appPIN") }
            #expect(try await world.readiness(auth).next == "biometric")
            try await world.call(.removeBiometricKey) { $0.putChange(auth) }
            #expect(try await world.readiness(auth).keys["biometric"] == "missing")
            try await world.call(.answerBiometricOffer) {
                $0.put(auth)
                $0.put("never")
            }
            #expect(try await !isOffered())
            try await world.call(.declineBiometrics) { $0.put(auth) }
            for (operation, text) in [(AppOperation.prefer, "toe"), (.answerBiometricOffer, "maybe")] {
                let failed = try await world.failure(operation) {
                    $0.put(auth)
                    $0.put(text)
                }
                #expect(failed?.status == "thumbturn.bridge 1")
            }
        }
    }

    @Test("diagnostics tell the phone, the sensor and where keys were made, and no secret")
    func diagnostics() async throws {
        try await AppWorld(level: 36).run { world in
            let device = try await world.device()
            func text() async throws -> String {
                var reader = try await world.call(.diagnostics) { $0.put(device) }
                let text = try reader.text()
                try reader.end()
                return text
            }
            #expect(try await text().hasSuffix("keys made by this process: none"))
            world.android.state.withLock { $0.strongBox = .failing }
            let auth = try await world.authenticator(on: device)
            world.android.screens(.digits("739150"))
            try await world.call(.enrol) { AppWorld.enrolment(&$0, auth) }
            let told = try await text()
            for part in [
                "API level 36, security patch 2026-06-01", "phone: Google Pixel 9", "app: com.example.bank, language en", "ready",
                "canAuthenticate: strong 0, weak 0, credential 0", "fingerprints: reader not told, enrolled not told",
                "lock screen: set, unlocked", "unlocked since the start: yes, 1 s after it", "touch exploration: off",
                "biometric in trustedEnvironment, without StrongBox (java.security.ProviderException)",
            ] {
                #expect(told.contains(part), "\(told)")
            }
        }
    }

    // MARK: - Vaults

    @Test func aVaultIsOpenUntilItIsClosed() async throws {
        try await AppWorld().run { world in
            let vault = try await world.vault(on: world.device())
            let use = world.begin(.useVault) { $0.putUse(vault) }
            var answers = use.answers.makeAsyncIterator()
            var news = BridgeReader(try #require(await answers.next()))
            #expect(try news.number() == 2)
            let open = try news.number()
            #expect(try news.text() == "biometric")
            try await world.call(.saveSecret) {
                $0.put(open)
                $0.put("token")
                $0.put([1, 2, 3])
            }
            var read = try await world.call(.readSecret) {
                $0.put(open)
                $0.put("token")
            }
            #expect(try read.bytes() == [1, 2, 3])
            var contains = try await world.call(.containsSecret) {
                $0.put(vault)
                $0.put("token")
            }
            #expect(try contains.flag())
            var sealed = try await world.call(.seal) {
                $0.put(open)
                $0.put("house.plan")
                $0.put(Int64(2))
                $0.put([7])
            }
            let file = try sealed.bytes()
            var opened = try await world.call(.openSealed) {
                $0.put(open)
                $0.put("house.plan")
                $0.put(Int64(2))
                $0.put(file)
            }
            #expect(try opened.bytes() == [7])
            let older = try await world.failure(.openSealed) {
                $0.put(open)
                $0.put("house.plan")
                $0.put(Int64(3))
                $0.put(file)
            }
            #expect(older?.code == "notAuthentic")
            try await world.call(.deleteSecret) {
                $0.put(open)
                $0.put("token")
            }
            read = try await world.call(.readSecret) {
                $0.put(open)
                $0.put("token")
            }
            #expect(try read.optionalBytes() == nil)
            try await world.call(.close) { $0.put(open) }
            let end = try AppWorld.done(try #require(await answers.next()))
            try end.end()
            let closed = try await world.failure(.readSecret) {
                $0.put(open)
                $0.put("token")
            }
            #expect(closed?.code == "vaultClosed" && closed?.recovery == "retry")
            try await world.call(.deleteVault) { $0.put(vault) }
        }
    }

    @Test("cancelling the use of a vault ends it; another way leads to the passcode")
    func endsOfVaults() async throws {
        try await AppWorld().run { world in
            let vault = try await world.vault(on: world.device())
            world.phone.next(.ignore)
            let use = world.begin(.useVault) { $0.putUse(vault) }
            await world.sleep(.seconds(1))
            for operation in [AppOperation.promptNow, .useAnotherWay] { try await world.call(operation) { $0.put(use.id) } }
            var answers = use.answers.makeAsyncIterator()
            var news = BridgeReader(try #require(await answers.next()))
            _ = try (news.number(), news.number())
            #expect(try news.text() == "devicePasscode")
            let open = world.calls.handles.count
            try await world.call(.cancel) { $0.put(use.id) }
            _ = try AppWorld.done(try #require(await answers.next()))
            #expect(world.calls.handles.count == open - 1)
            #expect(try await world.readiness(vault).next == "biometric")
        }
    }

    // MARK: - What Java may get wrong

    @Test("an unknown operation, a foreign handle and a cut request are failures, and nothing traps")
    func refusals() async throws {
        try await AppWorld().run { world in
            for operation in [Int32(0), -1, 51, .max] {
                await #expect(throws: AppWorld.Failed.self) { try await world.end(world.begin(operation, []).answers) }
            }
            let (device, vault) = (try await world.device(), try await world.vault(on: world.device()))
            let auth = try await world.authenticator(on: device)
            let onAuthenticator: [AppOperation] = [
                .me, .revoke, .approvals, .devices, .forgetRecentAuthentication, .enrol, .authenticate, .signIn, .stepUp, .send,
                .authorize, .authorizeAfter, .approval, .approve, .decline, .setPIN, .changePIN, .removePIN, .resetPIN,
                .replaceBiometricKey, .rename, .remove, .signOut, .addBiometrics, .changePassword, .removeBiometricKey,
                .lockNow,
            ]
            for operation in onAuthenticator {
                for handle in [vault, device, 0, -1, .max] {
                    #expect(try await world.failure(operation) { $0.put(handle) }?.status == "thumbturn.bridge 3", "\(operation)")
                }
            }
            for operation in [AppOperation.useVault, .containsSecret, .deleteVault, .readSecret, .seal, .openAuthenticator] {
                #expect(try await world.failure(operation) { $0.put(auth) }?.status == "thumbturn.bridge 3", "\(operation)")
            }
            let onBoth: [AppOperation] = [
                .news, .readiness, .declineBiometrics, .requireStrongerRung, .prefer, .shouldOfferBiometrics,
                .answerBiometricOffer,
            ]
            for operation in onBoth {
                #expect(try await world.failure(operation) { $0.put(device) }?.status == "thumbturn.bridge 3", "\(operation)")
            }
            for operation in AppOperation.allCases {
                let failed = try await world.failure(operation)
                #expect(failed?.code == "platform" && failed?.recovery == "report" && failed?.status == "thumbturn.bridge 1")
            }
            let more = try await world.failure(.me) {
                $0.put(auth)
                $0.put(Int64(1))
            }
            #expect(more?.status == "thumbturn.bridge 1")
            try await world.call(.close) { $0.put(auth) }
            #expect(try await world.failure(.me) { $0.put(auth) }?.status == "thumbturn.bridge 3")
            try await world.call(.close) { $0.put(auth) }
        }
    }

    @Test("a number that was closed is told apart from one that was never given")
    func closedNumbers() async throws {
        try await AppWorld().run { world in
            let first = try await world.device()
            #expect(first == 1 && !world.calls.handles.wasClosed(first))
            try await world.call(.close) { $0.put(first) }
            for (number, isClosed) in [(first, true), (0, false), (-1, false), (2, false)] {
                #expect(world.calls.handles.wasClosed(number) == isClosed, "\(number)")
            }
        }
    }

    @Test("values out of their bounds are failures")
    func values() async throws {
        try await AppWorld().run { world in
            let auth = try await world.signedIn()
            #expect(try await world.failure(.authenticate) { AppWorld.unlock(&$0, auth, policy: "x") }?.code == "policyDenies")
            #expect(
                try await world.failure(.authenticate) { AppWorld.unlock(&$0, auth, start: "x") }?.status == "thumbturn.bridge 1")
            #expect(try await world.stepUp(auth, age: -1)?.code == "policyDenies")
            #expect(try await world.stepUp(auth, age: 300_001)?.code == "policyDenies")
            #expect(try await world.stepUp(auth, age: .max)?.code == "policyDenies")
            #expect(try await world.stepUp(auth, minor: -1)?.code == "policyDenies")
            #expect(try await world.stepUp(auth, currency: "euro")?.code == "policyDenies")
            for status in [Int64(0), 99, 600, .min, .max] {
                let failed = try await world.failure(.authorizeAfter) {
                    $0.put(auth)
                    $0.putRequest("/")
                    $0.put(status)
                    $0.put([:] as [String: String])
                }
                #expect(failed?.status == "thumbturn.bridge 1")
            }
            let insecure = try await world.failure(.openAuthenticator) {
                $0.put(Int64(1))
                $0.put("http://bank.example")
                $0.put("default")
                $0.put(Int64(0))
                $0.put(true)
                $0.put(Int64(0))
            }
            #expect(insecure?.code == "insecureServer")
        }
    }

    @Test("hostile bytes never trap, and each call has its one answer", arguments: [UInt64(1), 2, 3])
    func hostile(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let requests = (0..<400).map { _ in
            (
                Int32.random(in: 0...50, using: &generator),
                (0..<Int.random(in: 0...6, using: &generator)).flatMap { _ -> [UInt8] in
                    var writer = BridgeWriter()
                    switch Int.random(in: 0...4, using: &generator) {
                    case 0: writer.put(Int64.random(in: 0...4, using: &generator))
                    case 1: writer.put(Int64.random(in: .min ... .max, using: &generator))
                    case 2: writer.put(["unlock", "tap", "", "keep", "https://x.example"].randomElement(using: &generator))
                    case 3: writer.put(nil as String?)
                    default: return (0..<5).map { _ in UInt8.random(in: 0...255, using: &generator) }
                    }
                    return writer.message
                }
            )
        }
        try await AppWorld().run { world in
            let device = try await world.device()
            _ = (try await world.authenticator(on: device), try await world.vault(on: device))
            for (operation, request) in requests {
                let call = world.begin(operation, request)
                world.calls.cancel(call.id)
                var count = 0
                for await message in call.answers {
                    var reader = BridgeReader(message)
                    if try reader.number() != 2 { count += 1 }
                }
                #expect(count == 1, "seed \(seed), operation \(operation)")
            }
        }
    }

    @Test("the news that a screen shows begin with the number of their kind")
    func kindsOfNews() throws {
        let failure = Failure(.biometryNotEnrolled)
        let told: [(UnlockNews, Int64, String)] = [
            (.hint(.appPIN), 1, "appPIN"), (.readPoorly(.tooShort), 2, "tooShort"),
            (.offerSetUp(failure), 3, failure.code.name),
        ]
        for (news, number, value) in told {
            var reader = BridgeReader(BridgeWriter.fields { $0.put(news, in: .english) }.message)
            #expect(try reader.number() == number && reader.text() == value)
        }
    }

    @Test("a failure tells its next step and its text in the app's language")
    func failures() async throws {
        let failures: [(Failure, String, String?, Int64?)] = [
            (Failure(.unreachable), "retry", nil, nil),
            (Failure(.paused, recovery: .wait(.milliseconds(1500))), "wait", nil, 1500),
            (Failure(.lockedOut, recovery: .fallBack(.appPIN)), "fallBack", "appPIN", nil),
            (Failure(.keyInvalidated), "reEnrol", nil, nil), (Failure(.biometryNotEnrolled), "openSettings", nil, nil),
            (Failure(.passcodeNotSet), "setPasscode", nil, nil), (Failure(.notEnrolled), "signInAgain", nil, nil),
            (Failure(.refused, status: .init(domain: "HTTP", code: 403)), "report", nil, nil),
            (.coolingOff(until: UnixTime(seconds: 99), rest: .seconds(9)), "wait", nil, 9000),
        ]
        for (failure, recovery, rung, wait) in failures {
            for language in MessageLanguage.allCases {
                var reader = BridgeReader(BridgeWriter.fields { $0.put(failure, in: language) }.message)
                let read = try AppWorld.Failed(reading: &reader)
                try reader.end()
                #expect(read.code == failure.code.name && read.recovery == recovery && read.rung == rung && read.wait == wait)
                #expect(read.message == failure.message.text(in: language))
                #expect(read.button == failure.recovery.button?.text(in: language) && read.status == failure.status?.description)
                #expect(read.until == failure.until?.seconds)
            }
        }
    }
}

extension AppWorld {
    /// What a step-up failed with.
    func stepUp(_ auth: Int64, age: Int64 = 0, minor: Int64 = 1, currency: String = "EUR") async throws -> Failed? {
        try await failure(.stepUp) {
            $0.put(auth)
            $0.put("new-recipient")
            $0.put(age)
            $0.put(false)
            $0.put(minor)
            $0.put(currency)
            $0.put("Pay")
            $0.put("highRisk")
        }
    }

    struct Ready {
        var next: String
        var usable: [String]
        var isEnrolled: Bool
        var keys: [String: String]
    }

    func readiness(_ handle: Int64) async throws -> Ready {
        var reader = try await call(.readiness) {
            $0.put(handle)
            $0.put("unlock")
        }
        let (next, usable) = (
            try reader.text(), try reader.list { (reader) throws(BridgeReader.Malformed) in try reader.text() }
        )
        let isEnrolled = try reader.flag()
        _ = try (reader.optionalText(), reader.optionalText(), reader.text())
        if try reader.flag() { _ = try Failed(reading: &reader) }
        let keys = try reader.list { (reader) throws(BridgeReader.Malformed) in
            let (kind, state) = (try reader.text(), try reader.text())
            _ = (try reader.optionalText(), try reader.optionalNumber(), try reader.optionalText())
            return (kind, state)
        }
        try reader.end()
        return Ready(next: next, usable: usable, isEnrolled: isEnrolled, keys: Dictionary(uniqueKeysWithValues: keys))
    }
}

extension BridgeWriter {
    fileprivate mutating func putChange(_ auth: Int64) {
        put(auth)
        put("Change")
        put("unlock")
    }

    fileprivate mutating func putUse(_ vault: Int64) {
        put(vault)
        put("Open the vault")
        put("tap")
    }
}

extension BridgeReader {
    fileprivate mutating func headers() throws -> [String: String] {
        let pairs = try list { (reader) throws(BridgeReader.Malformed) in (try reader.text(), try reader.text()) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
