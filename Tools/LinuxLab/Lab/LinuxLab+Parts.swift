#if os(Linux)
import Foundation
import Glibc

extension LinuxLab {
    /// The process id of a part; nil if it does not run.
    public func processID(of part: Part) -> Int32? {
        guard let child = children[part], child.isRunning else { return nil }
        return child.id
    }

    /// A part's log so far. fprintd logs every step of the driver and of its image comparison.
    public func log(of part: Part) -> String {
        folder.text(of: folder.log(part.rawValue))
    }

    /// Kills a part with SIGKILL, as a crash would end it, and waits for its end. It has no effect on a part that does
    /// not run.
    public func kill(_ part: Part) async {
        await children[part]?.kill()
    }

    /// Restarts a part with the same ports, paths and state. Restarting the bus restarts polkitd and fprintd as well.
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
            // A killed bus leaves its socket behind.
            unsafe unlink(folder.bus)
            try await start(part, untilOutputOf: Commands.bus(configuration: folder.busConfiguration))
            try await startMonitor()
        case .policy:
            try await start(
                part, untilItOwns: "org.freedesktop.PolicyKit1",
                command: Commands.policy(rules: folder.rules, noRules: folder.noRules))
        case .fingerprints:
            try await start(
                part, untilItOwns: "net.reactivated.Fprint", command: Commands.fingerprints(),
                variables: Commands.fingerprintVariables(for: folder))
        }
    }

    /// Starts swtpm. It prints no line when it is ready, so it is polled until it answers.
    private func startTPM() async throws {
        let child = try launch(Commands.tpm(state: folder.tpm, port: tpmPort), output: .log(folder.log(Part.tpm.rawValue)))
        children[.tpm] = child
        let clock = ContinuousClock()
        let latest = clock.now + .seconds(10)
        while await !TPMControl.answers(port: tpmPort + 1) {
            guard child.isRunning, clock.now < latest else { throw failure(of: .tpm) }
            try await Task.sleep(for: .milliseconds(5))
        }
        // Another process that took the port in the meantime would answer as well, but then swtpm has ended.
        guard child.isRunning else { throw failure(of: .tpm) }
    }

    /// Starts a part that prints a line when it is ready.
    private func start(_ part: Part, untilOutputOf command: [String]) async throws {
        let ends = try Spawn.pipe()
        let ready = FirstAnswer()
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
    private func start(
        _ part: Part, untilItOwns name: String, command: [String], variables: [String: String] = [:]
    ) async throws {
        let place = signalLog.count
        let ready = FirstAnswer()
        // The process either takes its name on the bus, or ends.
        let child = try launch(
            command, variables: variables, output: .log(folder.log(part.rawValue)), ended: { ready.give(false) })
        children[part] = child
        let naming = Task { [signalLog] in
            let named = await signalLog.first(from: place, within: .seconds(20)) {
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
        let place = signalLog.count
        let text = MonitorFeed { [signalLog, signals] signal in
            let after = signalLog.append(signal)
            signals.yield(ReceivedSignal(signal: signal, end: after))
        }
        LineReader.start(ends.read, take: text.take)
        do {
            defer { close(ends.write) }
            let command = [try Programs.busMonitor.find(), "--address", busAddress] + MonitorText.matchRules
            monitor = try launch(command, output: .pipe(ends.write, errors: folder.log("monitor")))
        }
        guard await signalLog.first(from: place, within: .seconds(10), where: { $0 == .listening }) != nil else {
            throw LabError(.didNotStart, "dbus-monitor does not listen; \(folder.lastLines(of: "monitor"))")
        }
    }

    func launch(
        _ command: [String], variables: [String: String] = [:], output: Child.Output, ended: @escaping @Sendable () -> Void = {}
    ) throws -> Child {
        guard !stopped else { throw LabError(.didNotStart, "this lab was stopped; next: start another") }
        let environment = Programs.environment.merging(environment) { $1 }.merging(variables) { $1 }
        return try Child(command, environment: environment, output: output, watchdog: watchdog, ended: ended)
    }

    func launchTool(_ command: [String], output: String) throws -> Child {
        let tool = try launch(command, output: .log(output))
        tools = tools.filter(\.isRunning) + [tool]
        return tool
    }

    private func failure(of part: Part) -> LabError {
        let lines = folder.lastLines(of: part.rawValue)
        let next =
            part == .policy && lines.contains("not permitted")
            ? "; next: allow mount namespaces, in a container with --cap-add SYS_ADMIN --security-opt apparmor=unconfined" : ""
        return LabError(.didNotStart, "\(part.rawValue) did not start; \(lines)\(next)")
    }

    func startAll() async throws {
        Task { [weak self, stream] in
            // Signals are handled one after the other: a press is complete before the next signal is handled.
            for await signal in stream { await self?.handle(signal) }
        }
        for part in [Part.tpm, .bus, .policy, .fingerprints] where parts.contains(part) { try await start(part) }
    }
}
#endif
