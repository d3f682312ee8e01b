#if STAND_INS
import Foundation
import Security
import Synchronization
import ScenarioScript
import TestSupport
import Testing
import ThumbturnCore
@testable import ThumbturnDevice
@testable import ThumbturnTestKit

/// One scenario on one phone, from the setup of the phone to the end of the unlock.
struct Performance: Sendable {
    let scenario: Scenario
    let world: AppleWorld
    let platform: DevicePlatform
    let server: InMemoryServer
    let script: Script
    /// The question of the unlock, for what the person chooses beside its prompts.
    private let question = Question()

    /// - Parameter platform: makes the platform of that phone.
    init(_ scenario: Scenario, in world: AppleWorld, platform: (any Transport) -> DevicePlatform) {
        self.scenario = scenario
        self.world = world
        server = InMemoryServer(clock: world.phone.clock)
        self.platform = platform(server)
        script = Script(scenario, on: world.phone)
    }

    /// The phone that a scenario needs.
    static func world(for scenario: Scenario) -> AppleWorld {
        var model = SimulatedPhone.Model.iPhone(.iris)
        // It is not documented how many tries end a prompt for an iris. With one try, three mismatches of a scenario
        // lock nothing.
        model.triesInAPrompt = 1
        let states = scenario.readiness.keys
        return AppleWorld(
            model, hasSensor: scenario.readiness.biometry != .absent || states[.biometric] != nil,
            hasPIN: states[.pin] != nil)
    }

    /// What was seen of a performance, and which functions of Apple's were called for it, without the setup.
    struct Notes: Sendable {
        var seen: [String]
        /// How many prompts the library requested.
        var prompts: Int
        var evaluations: Int
        var signatures: Int
    }

    /// Sets the phone up, unlocks, and returns what was seen.
    func play() async throws -> Notes {
        try await setUp()
        let script = script
        let auth = try Authenticator(
            server: InMemoryServer.url, platform: script.watching(platform),
            signIn: scenario.readiness.canSignIn ? script.signIn : nil
        ) { script.hear($0) }
        let calls = world.device.calls
        let before = (calls("evaluateAccessControl"), calls("SecKeyCreateSignature"))
        script.begin()
        world.device.nextRefusal.store(scenario.unknownStatus ?? 0, ordering: .relaxed)
        let unlock = Task(executorPreference: script.clock.executor) { await end(auth) }
        await withTaskGroup(of: Void.self) { group in
            for moment in scenario.moments.dropFirst() {
                guard let (at, happens) = happening(moment, unlock) else { continue }
                group.addTask {
                    guard (try? await script.clock.sleep(until: script.instant(at))) != nil else { return }
                    await happens()
                }
            }
            script.note(await unlock.value)
            group.cancelAll()
        }
        return Notes(
            seen: script.seen, prompts: script.asked, evaluations: calls("evaluateAccessControl") - before.0,
            signatures: calls("SecKeyCreateSignature") - before.1)
    }

    private func end(_ auth: Authenticator) async -> String {
        let redeemed = server.state.withLock { $0.redeemed.count }
        do throws(Failure) {
            let grant = try await question.asking { () async throws(Failure) in
                try await auth.authenticate("Unlock", policy: scenario.policy, by: scenario.start)
            }
            let kids = server.state.withLock { $0.redeemed.dropFirst(redeemed).last?.kids } ?? []
            // A full sign-in redeems no key's proof.
            return "granted by \(grant.rung) and \(max(1, kids.count) - 1) more"
        } catch {
            return error.seen
        }
    }

    // MARK: Before

    private func setUp() async throws {
        let phone = world.phone
        let auth = try Authenticator(server: InMemoryServer.url, platform: platform)
        let states = scenario.readiness.keys
        let rungs: [Rung] = [.biometric, .devicePasscode, .appPIN].filter { rung in rung.key.map { states[$0] != nil } == true }
        try await auth.enrol(
            with: PasswordSignIn(account: "ada", password: InMemoryServer.password),
            policy: UnlockPolicy(ladder: rungs + [.fullCredentials]))
        if let preferred = scenario.person.preferred { try await auth.prefer(preferred) }
        await UnlockHistory(asker: "\(InMemoryServer.url.absoluteString) default", platform: platform)
            .keep(scenario.person.pace, since: Pace())

        if case .paused(let pause) = states[.pin] { try await makePINPause(auth, pause) }
        switch scenario.readiness.biometry {
        case .ready where locks: await mismatch(until: 1)
        case .ready, .weak, .forbidden, .unavailable: break
        // The sensor broke.
        case .absent: phone.state.withLock { $0.model.sensor = nil }
        case .notEnrolled: phone.removeFaces()
        case .lockedOut(.untilStrongerRung): try await auth.requireStrongerRungNextTime()
        case .lockedOut: await mismatch(until: 0)
        case .paused: try await makeSensorPause(auth)
        case .permissionDenied: phone.setPermission(false)
        case .unconfirmed: phone.upgradeSystem()
        case .passcodeNotSet: phone.removePasscode()
        case .lidClosed: phone.setLidClosed(true)
        case .switchedOff: phone.setSwitchedOff(true)
        }
        switch states[.biometric] {
        case .invalidated(.enrolmentChanged): phone.enrolNewFace()
        case .invalidated(.restored): world.restoreOnAnotherPhone()
        case .notYetReadable:
            phone.prewarm()
            phone.moveToFront()
        default: break
        }
    }

    /// Whether the sensor locks in the scenario.
    private var locks: Bool {
        scenario.moments.contains {
            if case .answered(.failed(let failure), prompt: _) = $0.event { failure.code == .lockedOut } else { false }
        }
    }

    /// Causes mismatches in another app, until the sensor has this many tries left.
    private func mismatch(until left: Int) async {
        let phone = world.phone
        for _ in 0..<((phone.model.triesToLockout ?? 0) - left) {
            phone.next(.tryInVain)
            _ = await phone.ask(.biometric, reason: "Another app")
        }
    }

    /// Causes mismatches in this app, until it pauses the sensor by itself.
    private func makeSensorPause(_ auth: Authenticator) async throws {
        let sensorOnly = UnlockPolicy(ladder: [.biometric, .fullCredentials])
        world.phone.next(.noMatch, .noMatch, .noMatch)
        await #expect(throws: Failure.self) { try await auth.authenticate("Mismatch", policy: sensorOnly) }
    }

    /// Enters wrong PINs, until this much of a pause is left.
    private func makePINPause(_ auth: Authenticator, _ pause: Duration) async throws {
        let pinOnly = UnlockPolicy(ladder: [.appPIN, .fullCredentials])
        let (phone, clock) = (world.phone, world.phone.clock)
        var wrong = 0
        while PINLedger.pause(afterWrong: wrong) < pause {
            try await clock.sleep(until: clock.now.advanced(by: PINLedger.pause(afterWrong: wrong)))
            phone.pins("739150", .cancel)
            await #expect(throws: Failure.self) { try await auth.authenticate("Wrong PIN", policy: pinOnly) }
            phone.forgetPINs()
            wrong += 1
        }
        try await clock.sleep(until: clock.now.advanced(by: PINLedger.pause(afterWrong: wrong) - pause))
    }

    // MARK: Meanwhile

    /// What happens to the phone or the app at a moment of the scenario; nil for an event that follows by itself.
    private func happening(
        _ moment: Scenario.Moment, _ unlock: Task<String, Never>
    ) -> (at: Duration, @Sendable () async -> Void)? {
        let phone = world.phone
        switch moment.event {
        case .tapped: return (moment.at, { question.prompt() })
        case .hintChosen: return (moment.at, { question.useAnotherWay() })
        case .wentBack: return (moment.at, { phone.moveToBack() })
        case .cameFront: return (moment.at, { phone.moveToFront() })
        case .stopped: return (moment.at, { unlock.cancel() })
        case .changed(let readiness):
            // No system reports such a change to an app. The app reads the state again when it comes to the front.
            return (
                moment.at,
                {
                    phone.moveToBack()
                    phone.setLidClosed(readiness.biometry == .lidClosed)
                    if case .invalidated = readiness.keys[.biometric] { phone.enrolNewFace() }
                    phone.moveToFront()
                }
            )
        // Something covers the app just before the system dismisses its prompt.
        case .answered(.failed(let failure), prompt: _) where failure.code == .cancelledBySystem:
            return (moment.at - .milliseconds(1), { phone.becomeInactive() })
        case .began, .appeared, .answered, .readPoorly, .mismatched, .signed, .signingFailed, .woke: return nil
        }
    }
}
#endif
