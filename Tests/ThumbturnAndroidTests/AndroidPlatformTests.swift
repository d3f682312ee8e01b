import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnAndroid

/// The network, the phases, the evidence and the facts of an Android.
@Suite struct AndroidPlatformTests {
    // MARK: The network

    @Test func anExchangeKeepsEverythingOfBothSides() async throws {
        let world = AndroidWorld()
        try await world.run {
            let recorded = Recorded()
            let android = FakeAndroid(world.phone, level: 35, clock: world.clock, server: recorded)
            var request = TransportRequest(
                method: "POST", url: "https://bank.example/v1/x?y=z", headers: ["DPoP": "abc", "Accept": "a/b"], body: [1, 2, 3])
            request.deadline = .milliseconds(1500)
            request.longestAnswer = 10
            let answer = try await AndroidTransport(system: android).send(request)
            let sent = try #require(recorded.sent)
            #expect(
                sent.method == "POST" && sent.url == request.url && sent.headers == request.headers && sent.body == [1, 2, 3])
            #expect(sent.deadline == request.deadline && sent.longestAnswer == 10)
            #expect(answer.status == 207 && answer.body == [9] && answer.headers == ["dpop-nonce": "n", "date": "today"])
        }
    }

    private final class Recorded: Transport {
        private let requests = Mutex<[TransportRequest]>([])
        var sent: TransportRequest? { requests.withLock { $0.last } }

        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            requests.withLock { $0.append(request) }
            return TransportResponse(status: 207, headers: ["dpop-nonce": "n", "Date": "today"], body: [9])
        }
    }

    @Test(arguments: [
        "java.net.UnknownHostException", "java.net.SocketTimeoutException", "javax.net.ssl.SSLHandshakeException", "a.B",
    ])
    func anExchangeWithoutAnAnswerIsUnreachable(_ name: String) async throws {
        let world = AndroidWorld()
        try await world.run {
            world.android.failNext(.http, name)
            let failed = await failure {
                _ = try await AndroidTransport(system: world.android).send(
                    TransportRequest(method: "GET", url: "https://a.example"))
            }
            #expect(failed == Failure(.unreachable, status: .init(domain: name, code: 0)))
        }
    }

    /// An answer of this status, with header fields and a body.
    private static func answer(_ status: Int64, _ fields: [(String, String)] = [], body: [UInt8]? = []) -> [UInt8] {
        var writer = BridgeWriter()
        writer.put(Int64(0))
        writer.put(status)
        writer.put(Int64(fields.count))
        for (name, value) in fields {
            writer.put(name)
            writer.put(value)
        }
        writer.put(body)
        return writer.message
    }

    @Test func anAnswerBeyondItsBoundsIsNone() async throws {
        let world = AndroidWorld()
        try await world.run {
            let transport = AndroidTransport(system: world.android)
            var request = TransportRequest(method: "GET", url: "https://a.example")
            request.longestAnswer = 3
            for bytes in [
                Self.answer(99), Self.answer(600), [], [0, 0], Self.answer(200) + [0],
            ] {
                world.android.state.withLock { $0.answering[.http] = [bytes] }
                let asked = request
                let failed = await failure { _ = try await transport.send(asked) }
                #expect(failed?.code == .unexpectedAnswer)
            }
            world.android.state.withLock {
                $0.answering[.http] = [
                    Self.answer(401, [("A", "1"), ("a", "2"), ("B", "3")], body: [1, 2, 3]), Self.answer(204, body: nil),
                ]
            }
            let answer = try await transport.send(request)
            #expect(answer.headers == ["a": "1, 2", "b": "3"] && answer.body == [1, 2, 3])
            #expect(try await transport.send(request).body.isEmpty)
        }
    }

    @Test("the first and the last status of HTTP are answers", arguments: [Int64(100), 599])
    func outermostStatus(_ status: Int64) async throws {
        let world = AndroidWorld()
        try await world.run {
            world.android.state.withLock { $0.answering[.http] = [Self.answer(status)] }
            let answer = try await AndroidTransport(system: world.android).send(
                TransportRequest(method: "GET", url: "https://a.example"))
            #expect(answer.status == Int(status))
        }
    }

    @Test("an answer that is longer than the request allows is refused by the library's own bound")
    func tooLong() async throws {
        let world = AndroidWorld()
        try await world.run {
            let authenticator = try await world.authenticator()
            let long = Self.answer(
                200, body: [UInt8](repeating: 32, count: TransportRequest(method: "", url: "").longestAnswer + 1))
            world.android.state.withLock { $0.answering[.http] = [long] }
            let failed = await failure { _ = try await authenticator.signIn(with: AndroidWorld.signIn, reason: "Sign in") }
            #expect(failed?.code == .unexpectedAnswer)
        }
    }

    @Test func cancellingAnExchangeEndsIt() async throws {
        let world = AndroidWorld()
        try await world.run {
            let endless = Endless(clock: world.clock)
            let android = FakeAndroid(world.phone, level: 35, clock: world.clock, server: endless)
            let exchange = Task(executorPreference: world.clock.executor) {
                await failure {
                    _ = try await AndroidTransport(system: android).send(
                        TransportRequest(method: "GET", url: "https://a.example"))
                }
            }
            await world.sleep(.seconds(1))
            exchange.cancel()
            #expect(await exchange.value?.code == .cancelledByApp)
            await world.sleep(.seconds(1))
            #expect(endless.isCancelled && android.calls(.cancel) == 1)
        }
    }

    @Test func theDeadlineOfACallCancelsItsExchange() async throws {
        let world = AndroidWorld()
        try await world.run {
            let endless = Endless(clock: world.clock)
            let android = FakeAndroid(world.phone, level: 35, clock: world.clock, server: endless)
            let bounded = BoundedTransport(AndroidTransport(system: android), clock: world.clock)
            await expectFailure(.unreachable) {
                _ = try await bounded.send(TransportRequest(method: "GET", url: "https://a.example"))
            }
            await world.sleep(.seconds(1))
            #expect(endless.isCancelled && android.calls(.cancel) == 1)
        }
    }

    private final class Endless: Transport {
        let clock: VirtualClock
        private let ended = Mutex(false)
        var isCancelled: Bool { ended.withLock { $0 } }
        init(clock: VirtualClock) { self.clock = clock }

        func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(1_000_000)))
            ended.withLock { $0 = true }
            throw Failure(.cancelledByApp)
        }
    }

    // MARK: The phases

    @Test func thePhasesAreTold() async throws {
        let world = AndroidWorld()
        try await world.run {
            let phases = try await world.platform().phases
            let heard = Mutex<[AppPhase]>([])
            let listening = Task(executorPreference: world.clock.executor) {
                for await phase in phases.phases() { heard.withLock { $0.append(phase) } }
            }
            await world.sleep(.seconds(1))
            world.phone.becomeInactive()
            world.phone.moveToBack()
            world.phone.moveToFront()
            await world.sleep(.seconds(1))
            #expect(heard.withLock { $0 } == [.front, .inactive, .back, .front])
            listening.cancel()
            await world.sleep(.seconds(1))
            #expect(world.android.calls(.cancel) == 1, "the listener in Java ends")
        }
        for number in Int64(-1)...5 {
            var writer = BridgeWriter()
            writer.put(Int64(2))
            writer.put(number)
            #expect(AndroidPhases.phase(in: writer.message) == [1: AppPhase.front, 2: .inactive, 3: .back][number])
        }
    }

    // MARK: The evidence

    @Test("each attested key has its chain, which the server's verifier accepts", arguments: [30, 31, 36])
    func evidence(_ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            let platform = try await world.platform()
            let source = try #require(platform.evidence)
            #expect(source.attestsNewKeys)
            let challenge = [UInt8](repeating: 7, count: 32)
            var keys: [KeyName: PublicKey] = [.of(.session): try await platform.keys.create(.of(.session))]
            for kind in [KeyKind.biometric, .passcode] {
                keys[.of(kind)] = try await platform.keys.create(.of(kind), attesting: challenge)
            }
            func request(_ making: String?) -> EvidenceRequest {
                EvidenceRequest(
                    challenge: "the second", keys: keys, makingChallenge: making, server: "https://a.example", account: "ada")
            }
            #expect(try await source.evidence(request(nil)) == nil)
            guard case .androidKey(let evidence)? = try await source.evidence(request("the first")) else {
                Issue.record("no evidence")
                return
            }
            #expect(evidence.challenge == "the first" && Set(evidence.chains.keys) == [.biometric, .passcode])
            for (kind, chain) in evidence.chains {
                var policy = AndroidPolicy(
                    apps: [AndroidPolicy.App(package: "com.example.bank", signingDigests: [[UInt8](repeating: 1, count: 32)])],
                    verification: kind == .biometric ? .biometric : .passcode,
                    minimumPatchLevel: AndroidPatchLevel(year: 2026, month: 6),
                    status: AndroidStatusPolicy(maximumAge: .seconds(86_400), whenUnknown: .refuse))
                policy.roots = [try TrustAnchor(certificate: FakeAndroid.root.certificate)]
                let status = try AndroidStatusList(
                    json: Array(#"{"entries":{}}"#.utf8), fetched: UnixTime(seconds: 1_799_950_000))
                let key = try VerifyingKey(try #require(keys[.of(kind)]))
                let verdict = try AndroidKeyAttestation.verify(
                    chain, challenge: challenge, key: key, policy: policy, status: status, at: UnixTime(seconds: 1_800_000_000))
                _ = verdict
            }
            world.android.failNext(.certificateChain, "java.security.KeyStoreException")
            await expectFailure(.platform) { _ = try await source.evidence(request("the first")) }
        }
    }

    @Test("keys that were made without an attestation are no evidence")
    func noEvidence() async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            let key = try await platform.keys.create(.of(.biometric))
            let request = EvidenceRequest(
                challenge: "c", keys: [.of(.biometric): key], makingChallenge: "m", server: "https://a.example", account: "ada")
            #expect(try await platform.evidence?.evidence(request) == nil)
        }
    }

    @Test("two certificates are evidence: the key's own and the one that signed it")
    func shortestEvidence() async throws {
        let world = AndroidWorld()
        try await world.run {
            let platform = try await world.platform()
            let source = try #require(platform.evidence)
            let key = try await platform.keys.create(.of(.biometric))
            var writer = BridgeWriter()
            for number in [Int64(0), 2] { writer.put(number) }
            for certificate in [[UInt8(1)], [2]] { writer.put(certificate) }
            world.android.state.withLock { $0.answering[.certificateChain] = [writer.message] }
            let request = EvidenceRequest(
                challenge: "c", keys: [.of(.biometric): key], makingChallenge: "m", server: "https://a.example", account: "ada")
            guard case .androidKey(let evidence)? = try await source.evidence(request) else {
                Issue.record("no evidence")
                return
            }
            #expect(evidence.chains == [.biometric: [[1], [2]]])
        }
    }

    @Test("a device that cannot attest makes the key without, and one that cannot now is tried again", arguments: [8, 16, 10])
    func attestationRunsOut(_ code: Int) async throws {
        let world = AndroidWorld()
        try await world.run {
            let keys = try await world.platform().keys
            let challenge = [UInt8](repeating: 7, count: 32)
            world.android.failNext(.createKey, "java.security.ProviderException", AndroidThrown.keyStore, code: code)
            let failed = await failure { _ = try await keys.create(.of(.biometric), attesting: challenge) }
            #expect((failed == nil) == (code != 10) && (failed?.recovery ?? .retry) == .retry)
            world.android.failNext(
                .createKey, "java.security.ProviderException", AndroidThrown.keyStore, code: code, isTransient: true)
            let passing = await failure { _ = try await keys.create(.of(.biometric), attesting: challenge) }
            #expect(passing?.code == .platform && passing?.recovery == .retry)
            world.android.failNext(.createKey, "java.security.ProviderException", AndroidThrown.keyStore, code: code)
            #expect(await failure { _ = try await keys.create(.of(.session)) }?.code == .platform)
        }
    }

    // MARK: The facts

    @Test func thePlatformKnowsItsPhone() async throws {
        let world = AndroidWorld(level: 34, hasPIN: true)
        try await world.run {
            let platform = try await world.platform()
            expect(await platform.deviceName(), is: "Google Pixel 9")
            let context = await platform.telemetryContext()
            #expect(context.system == "Android" && context.model == "Pixel 9" && context.systemVersion == "34")
            expect(await platform.extraTime(), is: .none)
            world.android.state.withLock { $0.exploresByTouch = true }
            expect(await platform.extraTime(), is: .tenfold)
            #expect(platform.pin?.key.judge == .server)
            var writer = BridgeWriter()
            writer.put(Int64(1))
            world.android.failNext(.facts, "java.lang.IllegalStateException")
            await expectFailure(.platform) { _ = try await world.platform() }
        }
    }

    @Test(arguments: [("google", "Pixel 9", "Google Pixel 9"), ("OnePlus", "ONEPLUS A6003", "ONEPLUS A6003"), ("", "x", "x")])
    func aPhoneIsCalledByItsMakerAndModel(_ manufacturer: String, _ model: String, _ name: String) async throws {
        let world = AndroidWorld()
        try await world.run {
            var facts = try await world.android.facts()
            (facts.manufacturer, facts.model) = (manufacturer, model)
            #expect(facts.name == name)
        }
    }

    @Test(
        "the diagnostics name each sensor of the phone, or none",
        arguments: [([], "none"), ([.finger], "finger"), ([.finger, .face], "finger, face")] as [([SensorKind], String)])
    func namedSensors(_ sensors: [SensorKind], _ text: String) async throws {
        let world = AndroidWorld()
        try await world.run {
            var facts = try await world.android.facts()
            facts.sensors = sensors
            #expect(AndroidDiagnostics(facts: facts, made: [:]).description.contains("\nsensor: \(text); ready\n"))
        }
    }

    @Test(arguments: 28...36)
    func theFactsOfEveryLevelAreRead(_ level: Int) async throws {
        let world = AndroidWorld(level: level)
        try await world.run {
            let facts = try await world.android.facts()
            #expect(
                facts.level == level && facts.hasLockScreen && facts.isUserUnlocked && !facts.isLocked && !facts.exploresByTouch)
            #expect((facts.strong == nil) == (level == 28) && (facts.weak == nil) == (level < 30))
            #expect((facts.credential == nil) == (level < 30) && (facts.fingers.isDetected == nil) == (level != 28))
            #expect(facts.package == "com.example.bank" && facts.language == "en" && facts.elapsed == 1000)
            #expect(facts.release == "\(level)" && facts.securityPatch == "2026-06-01" && facts.sensors == [.finger])
            #expect(facts.biometry == .ready && facts.credentialUnlocksKeys == (level >= 30))
        }
    }
}
