#if os(Linux)
import Foundation
import Glibc

/// Real Linux parts for tests and demonstrations: a TPM simulator, a private bus, polkitd, and fprintd with a virtual reader.
///
/// Nothing of the machine's own is used or changed: the bus, the prints, the TPM and the polkit rules live in one folder, which is
/// deleted at the end. When this process ends without `stop()`, however it ends, the programs end and the folder goes as well.
///
/// The fingerprint parts need root: polkitd starts as root, and its rules folder is fixed, so it runs in a mount namespace of its
/// own with the lab's rules over the machine's. The TPM alone runs as anybody.
public actor LinuxLab {
    /// A part that can be started, killed, and started again.
    public enum Part: String, CaseIterable, Hashable, Sendable {
        /// swtpm. Its state outlives `kill(_:)` and `restart(_:)`.
        case tpm
        /// The private dbus-daemon. When it goes, polkitd and fprintd go too.
        case bus
        /// polkitd.
        case policy
        /// fprintd with the virtual reader; brings the bus and polkitd with it.
        case fingerprints
    }

    /// The TPM for libtss2 and the `tpm2_` tools.
    public nonisolated let tcti: String
    /// The bus, for `DBUS_SYSTEM_BUS_ADDRESS` or `sd_bus_set_address`.
    public nonisolated let busAddress: String
    /// Where fprintd keeps its prints: `USER/virtual_image/DEVICE/FINGER`.
    public nonisolated let printsFolder: String
    /// The reader, for presses outside the plan.
    public nonisolated let reader: VirtualReader
    /// Presses that the reader did not take, because nobody had claimed it any more or it had gone.
    public private(set) var missedPresses: [LabError] = []

    nonisolated let folder: LabFolder
    nonisolated let heard = Heard()
    private let keeper: Keeper
    private let tpmPort: UInt16
    private let parts: Set<Part>
    private var children: [Part: Child] = [:]
    private var monitor: Child?
    private var stopped = false

    private var plan = PressPlan()
    private var presses: [Press] = []
    private var answer: (@Sendable () async -> Press)?
    private var enrolling: Enrolling?
    private let stream: AsyncStream<Signal>
    private let signals: AsyncStream<Signal>.Continuation

    /// A signal and the place after it in the record.
    private struct Signal: Sendable {
        var what: BusSignal
        var after: Int
    }

    struct Enrolling: Sendable {
        var finger: SyntheticFinger
        /// Enrolment takes -1, -2, and so on, so that no scan a test presses was enrolled.
        var scan = -1
    }

    // MARK: Starting and stopping

    /// Starts the parts in a new folder, and returns when all of them answer.
    ///
    /// - Parameters:
    ///   - folder: Must not exist, or be empty; deleted at the end. Others must be able to pass its parents: use one in /tmp.
    ///   - parts: `.fingerprints` brings the bus and polkitd with it.
    ///   - polkitRules: JavaScript, as in `/etc/polkit-1/rules.d`. Root may do everything without a rule; nobody else may do anything.
    /// - Throws: `LabError`; what was started by then has ended, and the folder is gone.
    public static func start(
        in folder: String, parts: Set<Part> = [.tpm, .fingerprints], polkitRules: [String] = []
    ) async throws -> LinuxLab {
        var parts = parts
        if parts.contains(.fingerprints) { parts.insert(.policy) }
        if parts.contains(.policy) { parts.insert(.bus) }
        if parts.contains(.policy) && geteuid() != 0 {
            throw LabError(
                .notRoot,
                "polkitd starts as root and reads its rules in a private mount namespace; next: run as root, or start with parts: [.tpm] alone"
            )
        }
        try Programs.check(for: parts)
        let place = try LabFolder(at: folder, parts: parts)
        let lab: LinuxLab
        do {
            try place.write(BusConfiguration.text(socket: place.bus), to: place.busConfiguration)
            try place.write(polkitRules.joined(separator: "\n"), to: "\(place.rules)/10-lab.rules")
            lab = LinuxLab(in: place, parts: parts, keeper: try Keeper(of: place.path), tpmPort: try FreePort.pair())
        } catch {
            place.delete()
            throw error
        }
        do {
            try await lab.startAll()
            return lab
        } catch {
            await lab.stop()
            throw error
        }
    }

    private init(in folder: LabFolder, parts: Set<Part>, keeper: Keeper, tpmPort: UInt16) {
        self.folder = folder
        self.parts = parts
        self.keeper = keeper
        self.tpmPort = tpmPort
        tcti = "swtpm:host=127.0.0.1,port=\(tpmPort)"
        busAddress = "unix:path=\(folder.bus)"
        printsFolder = folder.prints
        reader = VirtualReader(path: folder.reader)
        (stream, signals) = AsyncStream.makeStream()
    }

    private func startAll() async throws {
        Task { [weak self, stream] in
            // One signal after the other: a press is over before the next signal is looked at.
            for await signal in stream { await self?.hear(signal) }
        }
        for part in [Part.tpm, .bus, .policy, .fingerprints] where parts.contains(part) { try await start(part) }
    }

    /// Ends every part and deletes the folder. A second call does nothing.
    public func stop() async {
        guard !stopped else { return }
        stopped = true
        for part in [Part.fingerprints, .policy, .bus, .tpm] { await children[part]?.kill() }
        await monitor?.kill()
        signals.finish()
        folder.delete()
        await keeper.dismiss()
    }

    // MARK: One part

    /// The process id of a part that runs; nil when it does not.
    public func processID(of part: Part) -> Int32? {
        guard let child = children[part], child.isRunning else { return nil }
        return child.id
    }

    /// SIGKILL, as a crash would be; returns when the process has gone. A part that does not run stays as it is.
    public func kill(_ part: Part) async {
        await children[part]?.kill()
    }

    /// Ends the part if it runs, and starts it again with the same ports, paths and state. The bus takes polkitd and fprintd along.
    public func restart(_ part: Part) async throws {
        precondition(parts.contains(part), "only a part that the lab was started with can be restarted")
        let all: [Part] = part == .bus ? [.bus, .policy, .fingerprints].filter(parts.contains) : [part]
        for part in all.reversed() { await children[part]?.kill() }
        if part == .bus { await monitor?.kill() }
        for part in all { try await start(part) }
    }

    private func start(_ part: Part) async throws {
        switch part {
        case .tpm:
            try await startTPM()
        case .bus:
            // A socket that a killed bus left behind would be in the way.
            unsafe unlink(folder.bus)
            try await startSpeaking(part, Commands.bus(configuration: folder.busConfiguration))
            try await startMonitor()
        case .policy:
            try await startOwning(
                "org.freedesktop.PolicyKit1", part, Commands.policy(rules: folder.rules, noRules: folder.noRules))
        case .fingerprints:
            try await startOwning(
                "net.reactivated.Fprint", part, Commands.fingerprints(), extra: Commands.fingerprintVariables(for: folder))
        }
    }

    /// swtpm says nothing when it is ready, so it is asked until it answers.
    private func startTPM() async throws {
        let child = try launch(Commands.tpm(state: folder.tpm, port: tpmPort), output: .log(folder.log(Part.tpm.rawValue)))
        children[.tpm] = child
        let clock = ContinuousClock()
        let latest = clock.now + .seconds(10)
        while await !TPMControl.answers(port: tpmPort + 1) {
            guard child.isRunning, clock.now < latest else { throw failure(of: .tpm) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Starts a part that prints a line when it is ready.
    private func startSpeaking(_ part: Part, _ command: [String]) async throws {
        let ends = try Spawn.pipe()
        let ready = Verdict()
        LineReader.start(ends.read, take: { _ in ready.give(true) }, ended: { ready.give(false) })
        let child: Child
        do {
            defer { close(ends.write) }
            child = try launch(command, output: .pipe(ends.write, errors: folder.log(part.rawValue)))
        }
        children[part] = child
        if await !ready.value(within: .seconds(10)) { throw failure(of: part) }
    }

    /// Starts a part that takes a name on the bus when it is ready.
    private func startOwning(_ name: String, _ part: Part, _ command: [String], extra: [String: String] = [:]) async throws {
        let place = heard.count
        let ready = Verdict()
        // Whichever comes first: the end of the process, or its name on the bus.
        let child = try launch(command, extra: extra, output: .log(folder.log(part.rawValue)), ended: { ready.give(false) })
        children[part] = child
        let naming = Task { [heard] in
            let named = await heard.first(from: place, within: .seconds(20)) {
                if case .nameOwner(name, was: _, now: let owner) = $0 { !owner.isEmpty } else { false }
            }
            ready.give(named != nil)
        }
        let owned = await ready.value(within: .seconds(20))
        naming.cancel()
        if !owned { throw failure(of: part) }
    }

    private func startMonitor() async throws {
        let ends = try Spawn.pipe()
        let place = heard.count
        let text = MonitorFeed { [heard, signals] signal in
            let after = heard.append(signal)
            signals.yield(Signal(what: signal, after: after))
        }
        LineReader.start(ends.read, take: text.take)
        do {
            defer { close(ends.write) }
            let command = [try Programs.busMonitor.find(), "--address", busAddress] + MonitorText.matchRules
            monitor = try launch(command, output: .pipe(ends.write, errors: folder.log("monitor")))
        }
        guard await heard.first(from: place, within: .seconds(10), where: { $0 == .listening }) != nil else {
            throw LabError(.didNotStart, "dbus-monitor does not listen; \(folder.lastWords(of: "monitor"))")
        }
    }

    private func launch(
        _ command: [String], extra: [String: String] = [:], output: Child.Output, ended: @escaping @Sendable () -> Void = {}
    ) throws -> Child {
        guard !stopped else { throw LabError(.didNotStart, "this lab was stopped; next: start another") }
        let variables = Programs.environment.merging(environment) { $1 }.merging(extra) { $1 }
        let child = try Child(command, environment: variables, output: output) { [weak keeper] in
            keeper?.forget($0)
            ended()
        }
        keeper.watch(child)
        return child
    }

    func launchTool(_ command: [String], output: String) throws -> Child {
        try launch(command, output: .log(output))
    }

    private func failure(of part: Part) -> LabError {
        let words = folder.lastWords(of: part.rawValue)
        let next =
            part == .policy && words.contains("not permitted")
            ? "; next: allow mount namespaces, in a container with --cap-add SYS_ADMIN --security-opt apparmor=unconfined" : ""
        return LabError(.didNotStart, "\(part.rawValue) did not come up; \(words)\(next)")
    }

    // MARK: The person at the reader

    /// Adds presses to the plan. Each request for a finger takes one; after a retry the next follows when the reader is ready again.
    public func willPress(_ more: [Press]) {
        // Drawn now, not when they are asked for: a press should follow its request at once.
        presses += more.map(\.drawn)
    }

    /// Presses of the plan that nobody asked for yet.
    public var plannedPresses: Int { presses.count }

    /// Forgets what is left of the plan.
    public func forgetPresses() {
        presses = []
    }

    /// Asks `answer` for a press when a finger is wanted and the plan is empty; nil puts an end to that.
    ///
    /// `answer` may take its time, as people do. When the verification is over before it returns, its press is dropped.
    public func whenAsked(_ answer: (@Sendable () async -> Press)?) {
        self.answer = answer
    }

    private func hear(_ signal: Signal) async {
        guard let press = await press(for: signal.what)?.drawn else { return }
        do {
            // A press that comes late would be taken by the next verification and look like a false accept there.
            guard !heard.signals(from: signal.after).contains(where: \.endsRequest) else {
                throw LabError(.reader, "the request was over before the press came")
            }
            try await reader.perform(press)
        } catch {
            missedPresses.append(error as? LabError ?? LabError(.reader, "\(error)"))
        }
    }

    private func press(for signal: BusSignal) async -> Press? {
        if let now = enrolling {
            guard signal == .fingerNeeded(true) else { return nil }
            enrolling?.scan -= 1
            return .finger(now.finger, scan: now.scan)
        }
        guard plan.isAsking(signal) else { return nil }
        let press: Press? = if presses.isEmpty { await answer?() } else { presses.removeFirst() }
        plan.answered(press)
        return press
    }

    func setEnrolling(_ enrolling: Enrolling?) {
        self.enrolling = enrolling
    }

    // MARK: polkit

    /// Puts other rules in place of all the lab's rules, and returns when polkitd has read them.
    public func setPolkitRules(_ rules: [String]) async throws {
        let place = heard.count
        // Made elsewhere and moved: polkitd sees one change, and never half a file.
        try folder.write(rules.joined(separator: "\n"), to: "\(folder.path)/next.rules")
        guard unsafe rename("\(folder.path)/next.rules", "\(folder.rules)/10-lab.rules") == 0 else {
            throw LabError(.folder, "could not replace the polkit rules")
        }
        _ = try await signal(from: place) { $0 == .rulesChanged }
    }
}
#endif
