#if Tools && os(Linux)
import Foundation
import Synchronization
import Thumbturn
import ThumbturnLinux
import ThumbturnLinuxLab

/// A Linux machine's main job, step by step. Every step is checked: a surprise ends it.
struct MachineStory {
    let machine: LabMachine
    let signIn: PasswordSignIn
    let device: Authenticator
    let pins = ScriptedPINs()
    let stopwatch = Stopwatch()

    private let adas = SyntheticFinger(seed: 1)
    private let another = SyntheticFinger(seed: 2)
    private let policy = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])
    private let chosen = "293847"

    init(on machine: LabMachine, server: URL, _ signIn: PasswordSignIn) throws {
        self.machine = machine
        self.signIn = signIn
        let keys = TPMKeys(tcti: machine.lab.tcti, folder: "\(machine.folder)/keys", matcher: machine.socket)
        let platform = DevicePlatform(
            sensor: MatcherSensor(socket: machine.socket, keys: keys),
            keys: TimedKeys(keys: keys, stopwatch: stopwatch), secrets: FileSecrets(folder: "\(machine.folder)/keys"),
            transport: TimedTransport(transport: URLSessionTransport(), stopwatch: stopwatch),
            pin: PINSupport(entry: pins, key: keys), promptGap: .zero
        )
        device = try Authenticator(server: server, platform: platform)
    }

    func play() async throws {
        let facts = try TPMFacts.read(machine.lab.tcti)
        tell("A machine with a TPM and a reader.")
        done("the TPM answers: \(facts.manufacturer) \(facts.vendor); fprintd and polkit are the installed programs")

        tell("Ada enrols a finger with fprintd: six presses, judged by its own matcher.")
        try await machine.lab.enrol(adas, user: machine.user)
        done("fprintd knows her right index finger")

        tell("She sets the machine up: password, a PIN, one touch.")
        pins.will(chosen)
        await machine.lab.willPress([.finger(adas, scan: 0)])
        guard let record = try await device.enrol(with: signIn, policy: policy, deviceName: "Ada's terminal") else {
            throw Surprise(what: "already set up")
        }
        done("keys made in the TPM: \(record.keys.map(\.kind.rawValue).joined(separator: ", "))")

        tell("She signs in with a touch.")
        try await signsIn(.biometric, with: [.finger(adas, scan: 1)], verdicts: ["verify-match"])

        tell("Somebody else touches the reader, three times. Then Ada types her PIN.")
        pins.will(chosen)
        try await signsIn(
            .appPIN, with: (0..<3).map { .finger(another, scan: $0) }, verdicts: Array(repeating: "verify-no-match", count: 3)
        )

        tell("A poor reading is no mismatch.")
        try await signsIn(
            .biometric, with: [.retry(1), .finger(adas, scan: 2)], verdicts: ["verify-swipe-too-short", "verify-match"]
        )

        tell("While the matcher is stopped, a second finger is enrolled.")
        await machine.stopMatcher()
        try await machine.lab.enrol(another, as: "left-thumb", user: machine.user)
        try await machine.startMatcher()
        do {
            await machine.lab.willPress([.finger(another, scan: 3)])
            _ = try await device.authenticate("Unlock Acme", policy: .highRisk)
            throw Surprise(what: "a key survived a new finger")
        } catch let failure as Failure where failure.code == .keyInvalidated && failure.recovery == .reEnrol {
            done("the biometric key is dead, in the TPM itself; nobody was even asked: \(failure.message)")
        }
        await machine.lab.forgetPresses()
        pins.will(chosen)
        try await signsIn(.appPIN, with: [], verdicts: [])

        tell("Five PINs that do not match.")
        pins.will("111111", "222222", "333333", "444444", "555555")
        let pinOnly = UnlockPolicy(ladder: [.appPIN, .fullCredentials])
        guard let pause = try await isPaused(pinOnly) else {
            throw Surprise(what: "five PINs that do not match have no consequence")
        }
        pins.will(chosen)
        guard try await isPaused(pinOnly) != nil, pins.isAsked(with: chosen) == false else {
            throw Surprise(what: "the pause does not hold")
        }
        done("the PIN pauses for \(pause.components.seconds) s, for the right one as well")

        tell("Ada signs in with her password and sets the machine up again, with both fingers.")
        pins.forget()
        pins.will(chosen)
        await machine.lab.willPress([.finger(adas, scan: 4)])
        try await device.enrol(with: signIn, policy: policy, deviceName: "Ada's terminal", ifExists: .replace)
        try await signsIn(.biometric, with: [.finger(another, scan: 4)], verdicts: ["verify-match"])
        pins.will(chosen)
        try await signsIn(
            .appPIN, with: (5..<8).map { .finger(SyntheticFinger(seed: 3), scan: $0) },
            verdicts: Array(repeating: "verify-no-match", count: 3)
        )

        try leavesNothingBehind()
        print("\nThat is a machine's main job. Keys, matches and refusals were the TPM's and fprintd's own.")
    }

    /// Signs in, with every press taken by the reader and judged by fprintd: otherwise a reader that nobody can use would look
    /// like fingers that do not match.
    private func signsIn(_ rung: Rung, with presses: [Press], verdicts expected: [String]) async throws {
        let place = machine.lab.place
        await machine.lab.willPress(presses)
        let grant = try await device.authenticate("Unlock Acme", policy: policy)
        guard grant.rung == rung else { throw Surprise(what: "signed in with \(grant.rung.rawValue)") }
        let verdicts = machine.lab.signals(from: place).compactMap { signal in
            if case .verifyStatus(let name, _) = signal { name } else { nil }
        }
        guard verdicts == expected, await machine.lab.plannedPresses == 0, await machine.lab.missedPresses.isEmpty else {
            throw Surprise(what: "fprintd said \(verdicts) and not \(expected)")
        }
        let me = try await device.me()
        done("signed in with the \(rung.rawValue) key; the server says: \(me.name), \(me.acr)")
    }

    /// How long the PIN pauses; nil where it opened.
    private func isPaused(_ policy: UnlockPolicy) async throws -> Duration? {
        do {
            _ = try await device.authenticate("Unlock Acme", policy: policy)
            return nil
        } catch let failure where failure.code == .paused {
            guard case .wait(let duration) = failure.recovery else { return nil }
            return duration
        }
    }

    private func leavesNothingBehind() throws {
        let loaded = try TPMFacts.read(machine.lab.tcti).loaded
        guard loaded == 0 else { throw Surprise(what: "\(loaded) keys or sessions were left in the TPM") }
    }

    /// Signs in many times and prints where the time goes.
    func time(_ count: Int) async throws {
        print("\nTiming \(count) sign-ins …")
        machine.showsTheScreen.withLock { $0 = false }
        let scan = Mutex(100)
        let adas = adas
        await machine.lab.whenAsked {
            .finger(
                adas,
                scan: scan.withLock {
                    $0 += 1; return $0
                })
        }
        var parts: [[Double]] = []
        var mismatches = 0
        while parts.count < count {
            machine.atTheReader.withLock { $0 = [] }
            stopwatch.reset()
            let start = ContinuousClock.now
            let grant = try await device.authenticate("Unlock Acme", policy: policy)
            let total = (ContinuousClock.now - start) / .milliseconds(1)
            let atTheReader = machine.atTheReader.withLock { $0 }
            // A scan that the matcher does not accept is asked for again; such a sign-in tells nothing about one touch.
            guard grant.rung == .biometric, atTheReader.count == 1 else {
                mismatches += 1
                guard mismatches < count / 5 + 2 else {
                    throw Surprise(what: "\(mismatches) scans of the right finger did not match")
                }
                continue
            }
            let ((reader, matchers), keys, server) = (atTheReader[0], stopwatch[.tpm], stopwatch[.server])
            let tpm = keys + matchers
            parts.append([total, reader, tpm, server, total - reader - tpm - server])
        }
        await machine.lab.whenAsked(nil)
        try leavesNothingBehind()
        print("  \(mismatches) more had a first touch that fprintd did not accept, and are left out.")
        print("                        P50        P99")
        for (column, name) in ["whole sign-in", "finger and fprintd", "TPM", "server", "our own share"].enumerated() {
            let sorted = parts.map { $0[column] }.sorted()
            let (p50, p99) = (sorted[(count - 1) / 2], sorted[min(count - 1, Int((Double(count) * 0.99).rounded(.up)) - 1)])
            print("  " + name.padding(toLength: 18, withPad: " ", startingAt: 0) + String(format: "%8.1f ms %8.1f ms", p50, p99))
        }
        print("  What is promised: our own share stays under 50 ms at P99. On a machine that does other work as well it may not.")
    }
}
#endif
