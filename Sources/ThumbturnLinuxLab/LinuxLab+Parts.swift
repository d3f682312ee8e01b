#if os(Linux)
import Foundation
import Glibc

extension LinuxLab {
    /// The process id of a part that runs; nil when it does not.
    public func processID(of part: Part) -> Int32? {
        guard let child = children[part], child.isRunning else { return nil }
        return child.id
    }

    /// What a part has written so far: fprintd tells every step of the driver and of the matcher.
    public func log(of part: Part) -> String {
        folder.text(of: folder.log(part.rawValue))
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
        // Somebody who took the port a moment earlier would have answered too.
        guard child.isRunning else { throw failure(of: .tpm) }
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

    func launch(
        _ command: [String], extra: [String: String] = [:], output: Child.Output, ended: @escaping @Sendable () -> Void = {}
    ) throws -> Child {
        guard !stopped else { throw LabError(.didNotStart, "this lab was stopped; next: start another") }
        let variables = Programs.environment.merging(environment) { $1 }.merging(extra) { $1 }
        return try Child(command, environment: variables, output: output, keeper: keeper, ended: ended)
    }

    func launchTool(_ command: [String], output: String) throws -> Child {
        let tool = try launch(command, output: .log(output))
        tools = tools.filter(\.isRunning) + [tool]
        return tool
    }

    private func failure(of part: Part) -> LabError {
        let words = folder.lastWords(of: part.rawValue)
        let next =
            part == .policy && words.contains("not permitted")
            ? "; next: allow mount namespaces, in a container with --cap-add SYS_ADMIN --security-opt apparmor=unconfined" : ""
        return LabError(.didNotStart, "\(part.rawValue) did not come up; \(words)\(next)")
    }

    func startAll() async throws {
        Task { [weak self, stream] in
            // One signal after the other: a press is over before the next signal is looked at.
            for await signal in stream { await self?.hear(signal) }
        }
        for part in [Part.tpm, .bus, .policy, .fingerprints] where parts.contains(part) { try await start(part) }
    }
}
#endif
