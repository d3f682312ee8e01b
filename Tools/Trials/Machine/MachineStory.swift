#if Tools && os(Linux)
import Foundation
import Synchronization
import Thumbturn
import ThumbturnCommands
import ThumbturnLinux
import ThumbturnLinuxLab

/// The main use of a Linux machine, step by step. Each step is checked, and an unexpected outcome ends the story.
struct MachineStory {
    let machine: LabMachine
    let signIn: PasswordSignIn
    let device: Authenticator
    let pins = ScriptedPINs()
    let stopwatch = Stopwatch()
    /// The server's evidence policy; nil where the server judges no evidence, or by a policy of its own.
    let evidence: MachineEvidence?

    private let sensor: MatcherSensor
    private let adasFinger = SyntheticFinger(seed: 1)
    private let anotherFinger = SyntheticFinger(seed: 2)
    private let policy = UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials])
    private let adasPIN = "293847"

    init(on machine: LabMachine, server: URL, _ signIn: PasswordSignIn, evidence: MachineEvidence? = nil) throws {
        self.machine = machine
        self.evidence = evidence
        self.signIn = signIn
        let keys = TPMKeys(tcti: machine.lab.tcti, folder: machine.folder.keys, matcher: machine.socket)
        let sensor = MatcherSensor(socket: machine.socket, keys: keys)
        self.sensor = sensor
        let platform = DevicePlatform(
            sensor: sensor,
            keys: TimedKeys(keys: keys, stopwatch: stopwatch), secrets: FileSecrets(folder: machine.folder.keys),
            place: .folder(machine.folder.keys),
            transport: TimedTransport(transport: NIOTransport(), stopwatch: stopwatch),
            pin: PINSupport(entry: pins, key: keys), evidence: TPMEvidenceSource(of: keys), promptGap: .zero
        )
        device = try Authenticator(server: server, platform: platform)
    }

    func play() async throws {
        let facts = try TPMFacts.read(machine.lab.tcti)
        announce("A machine with a TPM and a reader.")
        confirm("the TPM answers: \(facts.manufacturer) \(facts.vendor); fprintd and polkit are the installed programs")

        announce("Ada enrols a finger with fprintd, which compares six presses.")
        try await machine.lab.enrol(adasFinger, user: machine.user)
        confirm("fprintd has enrolled her right index finger")

        if let evidence {
            announce("The server trusts the authority that certified the TPM, and the matcher's key.")
            try await evidence.trust(
                machine.lab.endorsementAuthority.issuer, as: .chips, matcher: try await sensor.matcherThumbprint())
            confirm("its certificate names swtpm, so a policy of chips counts its keys as software")
        }

        announce("She enrols the machine with her password, a PIN and one touch.")
        pins.enqueue(adasPIN)
        await machine.lab.willPress([.finger(adasFinger, scan: 0)])
        let record = try await device.enrol(with: signIn, policy: policy, deviceName: "Ada's terminal")
        confirm("keys created in the TPM: \(record.keys.map(\.kind.rawValue).joined(separator: ", "))")

        announce("She signs in with a touch.")
        try await signsIn(
            .biometric, with: [.finger(adasFinger, scan: 1)], verdicts: ["verify-match"],
            as: evidence == nil ? nil : Assurance(protection: .software, verification: .biometric))

        announce("Another person touches the reader three times. Then Ada enters her PIN.")
        pins.enqueue(adasPIN)
        try await signsIn(
            .appPIN, with: (0..<3).map { .finger(anotherFinger, scan: $0) },
            verdicts: Array(repeating: "verify-no-match", count: 3)
        )

        announce("A poor reading is no mismatch.")
        try await signsIn(
            .biometric, with: [.retry(1), .finger(adasFinger, scan: 2)], verdicts: ["verify-swipe-too-short", "verify-match"]
        )

        announce("While the matcher is stopped, a second finger is enrolled.")
        await machine.stopMatcher()
        try await machine.lab.enrol(anotherFinger, as: "left-thumb", user: machine.user)
        try await machine.startMatcher()
        do {
            await machine.lab.willPress([.finger(anotherFinger, scan: 3)])
            _ = try await device.authenticate("Unlock Acme", policy: .highRisk)
            throw UnexpectedOutcome("a key survived a new finger")
        } catch let failure as Failure where failure.code == .keyInvalidated && failure.recovery == .reEnrol {
            confirm("the TPM no longer accepts the biometric key, and no finger was asked for: \(failure.recovery.message)")
        }
        await machine.lab.forgetPresses()
        pins.enqueue(adasPIN)
        try await signsIn(.appPIN, with: [], verdicts: [])

        announce("Five PINs that do not match.")
        pins.enqueue("111111", "222222", "333333", "444444", "555555")
        let pinOnly = UnlockPolicy(ladder: [.appPIN, .fullCredentials])
        guard let pause = try await pauseAfterSignIn(with: pinOnly) else {
            throw UnexpectedOutcome("five PINs that do not match cause no pause")
        }
        pins.enqueue(adasPIN)
        guard try await pauseAfterSignIn(with: pinOnly) != nil, !pins.hasUsed(adasPIN) else {
            throw UnexpectedOutcome("the PIN was accepted during the pause")
        }
        confirm("PINs are paused for \(pause.components.seconds) s, the right one as well")

        if let evidence {
            announce("For a test, the server's policy counts this simulator as a chip.")
            try await evidence.trust(
                machine.lab.endorsementAuthority.issuer, as: .testHardware, matcher: try await sensor.matcherThumbprint())
            confirm("the policy says so by name: test-hardware")
        }

        announce("Ada signs in with her password and enrols the machine again, with both fingers.")
        pins.removeAll()
        pins.enqueue(adasPIN)
        await machine.lab.willPress([.finger(adasFinger, scan: 4)])
        try await device.enrol(with: signIn, policy: policy, deviceName: "Ada's terminal", ifExists: .replace)
        try await signsIn(
            .biometric, with: [.finger(anotherFinger, scan: 4)], verdicts: ["verify-match"],
            as: evidence == nil ? nil : Assurance(protection: .attestedHardware, verification: .biometric))
        pins.enqueue(adasPIN)
        try await signsIn(
            .appPIN, with: (5..<8).map { .finger(SyntheticFinger(seed: 3), scan: $0) },
            verdicts: Array(repeating: "verify-no-match", count: 3)
        )

        try checkNothingIsLoaded()
        print("\nThe story is complete. All keys, matches and refusals came from the TPM and fprintd.")
    }

    /// Signs in and checks that the reader took every press and fprintd gave these verdicts. Otherwise an unusable
    /// reader would look like fingers that do not match.
    ///
    /// - Parameter assurance: what the server has to say of the key; nil for anything.
    private func signsIn(
        _ rung: Rung, with presses: [Press], verdicts expected: [String], as assurance: Assurance? = nil
    ) async throws {
        let place = machine.lab.place
        await machine.lab.willPress(presses)
        let grant = try await device.authenticate("Unlock Acme", policy: policy)
        guard grant.rung == rung else { throw UnexpectedOutcome("signed in with \(grant.rung.rawValue)") }
        let verdicts = machine.lab.signals(from: place).compactMap { signal in
            if case .verifyStatus(let name, _) = signal { name } else { nil }
        }
        guard verdicts == expected, await machine.lab.plannedPresses == 0, await machine.lab.missedPresses.isEmpty else {
            throw UnexpectedOutcome("fprintd's verdicts were \(verdicts) instead of \(expected)")
        }
        let me = try await device.me()
        guard assurance == nil || me.acr == assurance?.acr else { throw UnexpectedOutcome("the server reports \(me.acr)") }
        confirm("signed in with the \(rung.rawValue) key; the server reports: \(me.name), \(me.acr)")
    }

    /// Signs in with the PIN and returns the pause; nil if the sign-in succeeded.
    private func pauseAfterSignIn(with policy: UnlockPolicy) async throws -> Duration? {
        do {
            _ = try await device.authenticate("Unlock Acme", policy: policy)
            return nil
        } catch let failure where failure.code == .paused {
            guard case .wait(let duration) = failure.recovery else { return nil }
            return duration
        }
    }

    private func checkNothingIsLoaded() throws {
        let loaded = try TPMFacts.read(machine.lab.tcti).loaded
        guard loaded == 0 else { throw UnexpectedOutcome("\(loaded) keys or sessions were left in the TPM") }
    }

    /// Signs in many times and prints how the time is divided.
    func time(_ count: Int) async throws {
        print("\nTiming \(count) sign-ins …")
        machine.printsPrompts.withLock { $0 = false }
        let scan = Mutex(100)
        let adasFinger = adasFinger
        await machine.lab.whenAsked {
            .finger(
                adasFinger,
                scan: scan.withLock {
                    $0 += 1; return $0
                })
        }
        var parts: [[Double]] = []
        var mismatches = 0
        while parts.count < count {
            machine.matcherTimes.withLock { $0 = [] }
            stopwatch.reset()
            let start = ContinuousClock.now
            let grant = try await device.authenticate("Unlock Acme", policy: policy)
            let total = (ContinuousClock.now - start) / .milliseconds(1)
            let matcherTimes = machine.matcherTimes.withLock { $0 }
            // A scan that does not match is followed by another prompt, so such a sign-in does not measure one touch.
            guard grant.rung == .biometric, matcherTimes.count == 1 else {
                mismatches += 1
                guard mismatches < count / 5 + 2 else {
                    throw UnexpectedOutcome("\(mismatches) scans of the right finger did not match")
                }
                continue
            }
            let ((reader, matchersTPM), keysTPM, server) = (matcherTimes[0], stopwatch[.tpm], stopwatch[.server])
            let tpm = keysTPM + matchersTPM
            parts.append([total, reader, tpm, server, total - reader - tpm - server])
        }
        await machine.lab.whenAsked(nil)
        try checkNothingIsLoaded()
        print("  \(mismatches) further sign-ins are left out, because their first touch did not match.")
        print("                        P50        P99")
        for (column, name) in ["whole sign-in", "finger and fprintd", "TPM", "server", "our own share"].enumerated() {
            let sorted = parts.map { $0[column] }.sorted()
            let (p50, p99) = (sorted[(count - 1) / 2], sorted[min(count - 1, Int((Double(count) * 0.99).rounded(.up)) - 1)])
            print("  " + name.padding(toLength: 18, withPad: " ", startingAt: 0) + String(format: "%8.1f ms %8.1f ms", p50, p99))
        }
        print("  The target for our own share is a P99 under 50 ms on a machine that does no other work.")
    }
}
#endif
