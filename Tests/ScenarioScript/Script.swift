import Synchronization
import TestSupport
package import ThumbturnCore
package import ThumbturnDevice
import ThumbturnMessages
package import ThumbturnTestKit

/// A scenario as a phone plays it: what the person does at each prompt and when, how long the hardware takes to sign,
/// and what was seen from outside.
///
/// It wraps a platform's sensor, keys and PIN, passes every call on, and adds only time and a record.
package final class Script: Sendable {
    package let scenario: Scenario
    package let clock: any DeviceClock
    private let phone: SimulatedPhone
    private let state = Mutex(State())

    private struct State {
        var origin: Instant?
        /// The number of the last prompt, as the file counts them.
        var prompt = 0
        /// How many of them asked for the sensor or the passcode.
        var asked = 0
        var seen: [(at: Int64, what: String)] = []
    }

    package init(_ scenario: Scenario, on phone: SimulatedPhone) {
        self.scenario = scenario
        self.phone = phone
        clock = phone.clock
    }

    /// The same platform, wrapped in this script.
    package func watching(_ platform: DevicePlatform) -> DevicePlatform {
        var watched = platform
        watched.sensor = ScriptedSensor(script: self, sensor: platform.sensor)
        watched.keys = ScriptedKeys(script: self, keys: platform.keys)
        watched.pin = platform.pin.map {
            PINSupport(entry: ScriptedPINs(script: self), key: ScriptedPINKeys(script: self, key: $0.key))
        }
        let limits = scenario.person.extraTime
        watched.extraTime = { limits }
        return watched
    }

    /// Starts the time of the scenario, and prepares the person's acts.
    package func begin() {
        for (prompt, shown) in scenario.prompts where prompt.rung.isAskedByTheSystem {
            var last = shown
            let acts = scenario.acts(at: prompt.id)
            for (at, act) in acts {
                phone.next(act, after: at - last)
                last = at
            }
            // The person does nothing until the prompt is dismissed.
            if !scenario.isEnded(prompt.id) { phone.next(.ignore) }
        }
        state.withLock { $0.origin = clock.now }
    }

    /// The instant of a time in the file.
    package func instant(_ at: Duration) -> Instant { (state.withLock { $0.origin } ?? clock.now).advanced(by: at) }

    /// How many prompts of the system were requested.
    package var asked: Int { state.withLock { $0.asked } }

    /// What was seen, in the order of time. Lines of one moment are sorted: another test checks the order in the flow.
    package var seen: [String] { Scenario.sorted(state.withLock { $0.seen }) }

    package func note(_ what: String) {
        let now = clock.now
        state.withLock { state in
            guard let origin = state.origin else { return }
            state.seen.append((origin.duration(to: now).milliseconds, what))
        }
    }

    package func hear(_ news: UnlockNews) {
        switch news {
        case .hint(let rung): note(UnlockFlow.Effect.showHint(rung).seen)
        case .offerSetUp(let failure): note(UnlockFlow.Effect.offerSetUp(failure).seen)
        case .moved(let from, let to, let trigger, over: _):
            note(UnlockFlow.Effect.move(from: from, to: to, because: trigger).seen)
        case .telemetry(let record):
            // Files are about what the flow does by itself.
            if case .promptAppeared = record.event { break }
            note(UnlockFlow.Effect.emit(record.event).seen)
        // Reported as telemetry as well, or no part of the flow.
        case .readPoorly, .began, .ended: break
        }
    }

    fileprivate func show(_ rung: Rung, _ button: UnlockFlow.CancelButton) -> Int {
        note(Scenario.shown(rung, button))
        return state.withLock { state in
            state.prompt += 1
            if rung.isAskedByTheSystem { state.asked += 1 }
            return state.prompt
        }
    }

    /// Waits as long as the hardware takes in the file. If the key is invalidated in that time, a new face is enrolled.
    fileprivate func sign() async {
        let (prompt, isOn) = state.withLock { ($0.prompt, $0.origin != nil) }
        guard isOn, let (at, killed) = scenario.signing(after: prompt) else { return }
        try? await clock.sleep(until: instant(at))
        if killed { phone.enrolNewFace() }
    }

    /// The app's own screen for the full sign-in.
    package var signIn: any PrimarySignIn { ScriptedSignIn(script: self) }

    fileprivate func signIn(_ prompt: Int) async throws(Failure) -> Credentials {
        guard let (at, answer) = scenario.answer(to: prompt), (try? await clock.sleep(until: instant(at))) != nil else {
            throw Failure(.cancelledByApp)
        }
        if case .failed(let failure) = answer { throw failure }
        let isRight = scenario.isSigned(prompt)
        return .password(isRight ? InMemoryServer.password : "not the password", for: "ada")
    }

    fileprivate func pin(_ prompt: Int) async -> PINAnswer {
        guard let (at, answer) = scenario.answer(to: prompt) else {
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(1_000_000)))
            return .failed(Failure(.cancelledByApp))
        }
        guard (try? await clock.sleep(until: instant(at))) != nil else {
            return .failed(Failure(.cancelledByApp))
        }
        if case .failed(let failure) = answer { return .failed(failure) }
        let isRight = scenario.isSigned(prompt)
        guard let pin = PIN(isRight ? SimulatedPhone.pin : "739150") else { preconditionFailure("both are PINs") }
        return .entered(pin)
    }
}

extension Rung {
    /// Whether the system shows the prompt, and not the app.
    fileprivate var isAskedByTheSystem: Bool { self == .biometric || self == .devicePasscode }
}

private struct ScriptedSensor: Sensor {
    let script: Script
    let sensor: any Sensor

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func kind() async -> SensorKind? { await sensor.kind() }
    func enrolmentMark() async -> EnrolmentMark? { await sensor.enrolmentMark() }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        _ = script.show(request.rung, request.cancelButton)
        return await sensor.prompt(request, hearing: hearing)
    }
}

private struct ScriptedKeys: DeviceKeys {
    let script: Script
    let keys: any DeviceKeys

    func create(_ name: KeyName) async throws(Failure) -> PublicKey { try await keys.create(name) }
    func state(of name: KeyName) async -> KeyState { await keys.state(of: name) }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keys.publicKey(of: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await keys.delete(name) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keys.deleteAll(server: server, account: account)
    }

    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        if presence != nil { await script.sign() }
        return try await keys.sign(message, with: name, presence: presence)
    }
}

private struct ScriptedSignIn: PrimarySignIn {
    let script: Script

    func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        try await script.signIn(script.show(.fullCredentials, .cancel))
    }
}

private struct ScriptedPINs: PINEntry {
    let script: Script

    func enter(_ request: PINRequest) async -> PINAnswer { await script.pin(script.show(.appPIN, request.cancelButton)) }
    func choose() async -> PINAnswer { .failed(Failure(.cancelledByApp)) }
}

private struct ScriptedPINKeys: PINKey {
    let script: Script
    let key: any PINKey

    var judge: PINJudge { key.judge }
    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey { try await key.create(name, pin: pin) }
    func state(of name: KeyName) async -> KeyState { await key.state(of: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await key.delete(name) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await key.deleteAll(server: server, account: account)
    }

    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        await script.sign()
        return try await key.sign(message, with: name, pin: pin)
    }
}
