// The setup of a scenario uses what is internal to the device library and to the test kit, which only debug builds allow.
#if DEBUG
import Foundation
import ScenarioScript
import Synchronization
import TestSupport
import ThumbturnCore
@testable import ThumbturnDevice
@testable package import ThumbturnTestKit

/// One scenario on one phone, from the setup of the phone to the end of the unlock.
package struct Performance<World: Stage>: Sendable {
    let scenario: Scenario
    let world: World
    let platform: DevicePlatform
    let server: InMemoryServer
    let script: Script
    /// The question of the unlock, for what the person chooses beside its prompts.
    private let question = Question()

    package init(_ scenario: Scenario, in world: World) async throws {
        self.scenario = scenario
        self.world = world
        server = world.server
        platform = try await world.platform()
        script = Script(scenario, on: world.phone)
    }

    /// What was seen of a performance, and how often the bridge was called for it, without the setup.
    package struct Notes: Sendable {
        package var seen: [String]
        /// How many prompts the library requested.
        package var prompts: Int
        package var shown: Int
        package var signatures: Int
    }

    /// Sets the phone up, unlocks, and returns what was seen.
    package func play() async throws -> Notes {
        try await setUp()
        let script = script
        let auth = try Authenticator(
            server: InMemoryServer.url, platform: script.watching(platform),
            signIn: scenario.readiness.canSignIn ? script.signIn : nil
        ) { script.hear($0) }
        let before = (world.prompts, world.signatures)
        script.begin()
        if let status = scenario.unknownStatus { world.refuseNextPrompt(Int64(status)) }
        if scenario.storeBreaks { world.breakNextSignature() }
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
            seen: script.seen, prompts: script.asked, shown: world.prompts - before.0, signatures: world.signatures - before.1)
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
        case .ready where locks != nil: await mismatch(until: 1, of: locks)
        case .ready, .forbidden, .unavailable: break
        // The maker found a weakness, and the system no longer trusts the sensor.
        case .weak: phone.state.withLock { $0.model.isStrong = false }
        // The sensor broke.
        case .absent: phone.state.withLock { $0.model.sensor = nil }
        case .notEnrolled: phone.removeFaces()
        case .lockedOut(.untilStrongerRung): try await auth.requireStrongerRungNextTime()
        case .lockedOut(let lockout): await mismatch(until: 0, of: lockout)
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

    /// The lockout that begins in the scenario; nil for none.
    private var locks: Lockout? {
        scenario.moments.lazy.compactMap {
            guard case .answered(.failed(let failure), prompt: _) = $0.event, failure.code == .lockedOut else { return nil }
            return failure.recovery == .fallBack(.devicePasscode) ? .untilPasscode : .temporary
        }.first
    }

    /// Causes mismatches in another app, until the sensor has this many tries left before a lockout.
    private func mismatch(until left: Int, of lockout: Lockout?) async {
        let phone = world.phone
        let limit = lockout == .temporary ? phone.model.triesToPause : phone.model.triesToLockout
        for number in 1...((limit ?? 0) - left) {
            phone.next(.tryInVain, .cancel)
            _ = await phone.ask(.biometric, reason: "Another app")
            phone.forgetActs()
            // Every fifth one begins a pause.
            if let step = phone.model.triesToPause, number.isMultiple(of: step), number < (limit ?? 0) {
                try? await phone.clock.sleep(until: phone.clock.now.advanced(by: phone.model.pause))
            }
        }
    }

    /// Causes mismatches in this app, until it pauses the sensor by itself.
    private func makeSensorPause(_ auth: Authenticator) async throws {
        let sensorOnly = UnlockPolicy(ladder: [.biometric, .fullCredentials])
        world.phone.next(.noMatch, .noMatch, .noMatch)
        try await fails { _ = try await auth.authenticate("Mismatch", policy: sensorOnly) }
    }

    /// Enters wrong PINs, until this much of a pause is left.
    private func makePINPause(_ auth: Authenticator, _ pause: Duration) async throws {
        let pinOnly = UnlockPolicy(ladder: [.appPIN, .fullCredentials])
        let (phone, clock) = (world.phone, world.phone.clock)
        var wrong = 0
        while PINLedger.pause(afterWrong: wrong) < pause {
            try await clock.sleep(until: clock.now.advanced(by: PINLedger.pause(afterWrong: wrong)))
            phone.pins("739150", .cancel)
            try await fails { _ = try await auth.authenticate("Wrong PIN", policy: pinOnly) }
            phone.forgetPINs()
            wrong += 1
        }
        try await clock.sleep(until: clock.now.advanced(by: PINLedger.pause(afterWrong: wrong) - pause))
    }

    /// Does what is to fail.
    private func fails(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is Failure {
            return
        }
        throw Unexpected()
    }

    /// The setup of a scenario succeeded where it should have failed.
    private struct Unexpected: Error {}

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
