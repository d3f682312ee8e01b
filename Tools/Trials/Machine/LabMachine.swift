#if Tools && os(Linux)
import Foundation
import Synchronization
import Thumbturn
import ThumbturnCommands
import ThumbturnLinux
import ThumbturnLinuxLab

/// A Linux machine in a folder, with its own swtpm, bus, polkit, fprintd and matcher, all of them the real programs.
final class LabMachine: Sendable {
    let lab: LinuxLab
    let folder: MatcherFolder
    /// The matcher's time at the reader and in the TPM for each verdict, in milliseconds.
    let matcherTimes = Mutex<[(reader: Double, tpm: Double)]>([])
    /// Whether the matcher's prompts are printed.
    let printsPrompts = Mutex(true)
    private let matcher = Mutex<Process?>(nil)

    /// The user as which the matcher runs. It needs no privilege except to read fprintd's folder.
    private static let matcherUser = "nobody"
    /// The group whose members may ask the matcher. The device of the lab runs as root, which always may.
    private static let matcherGroup = "nogroup"

    /// Starts the machine and its matcher.
    ///
    /// - Parameters:
    ///   - matcherd: the path of the program thumbturn-matcherd.
    ///   - rule: the path of the packaged polkit rule, in which the name of the matcher's user is replaced.
    static func start(matcherd: String, rule: String) async throws -> LabMachine {
        guard FileManager.default.isExecutableFile(atPath: matcherd) else {
            throw UnexpectedOutcome(
                "there is no program at \(matcherd). Build it: swift build --traits Tools --product thumbturn-matcherd")
        }
        guard let packaged = try? String(contentsOfFile: rule, encoding: .utf8) else {
            throw UnexpectedOutcome(
                "there is no polkit rule at \(rule). Run this in the project's folder, or give its path with --rule")
        }
        let rule = packaged.replacing("thumbturn-matcher\"", with: matcherUser + "\"")
        let folder = "/tmp/thumbturn-machine-\(UUID().uuidString)"
        do {
            let lab = try await LinuxLab.start(in: folder, polkitRules: [rule], endorsed: true)
            let machine: LabMachine
            do {
                let place = try MatcherFolder(at: folder + "-matcher", program: matcherd, user: matcherUser)
                machine = LabMachine(lab, folder: place)
            } catch {
                await lab.stop()
                throw error
            }
            do {
                try await lab.verifyPeers()
                try await machine.startMatcher()
                return machine
            } catch {
                await machine.stop()
                throw error
            }
        } catch let error as LabError {
            throw UnexpectedOutcome("\(error)")
        }
    }

    private init(_ lab: LinuxLab, folder: MatcherFolder) {
        self.lab = lab
        self.folder = folder
    }

    var socket: String { folder.socket }
    var user: String { NSUserName() }

    /// Starts the matcher and returns when it listens.
    func startMatcher() async throws {
        let process = Process()
        let command = [
            folder.program, "--socket", socket, "--group", Self.matcherGroup, "--folder", folder.state, "--tcti", lab.tcti,
            "--bus", lab.busAddress, "--prints", lab.printsFolder,
        ]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments =
            [
                "--reuid", Self.matcherUser, "--regid", Self.matcherGroup, "--clear-groups", "--inh-caps", "+dac_read_search",
                "--ambient-caps", "+dac_read_search",
            ] + command
        let (screen, log) = (Pipe(), Pipe())
        process.standardOutput = screen
        process.standardError = log
        let (listening, listeningWriter) = AsyncStream.makeStream(of: Void.self)
        screen.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            if text.isEmpty { handle.readabilityHandler = nil }
            if text.contains("listens at") { listeningWriter.yield() }
            guard self?.printsPrompts.withLock({ $0 }) == true else { return }
            for line in text.split(separator: "\n") where line.contains("touch the reader") { print("  [\(line)]") }
        }
        let unread = Mutex("")
        log.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            if text.isEmpty { handle.readabilityHandler = nil }
            // A pipe may cut a line in two.
            let lines = unread.withLock { unread in
                let parts = (unread + text).split(separator: "\n", omittingEmptySubsequences: false)
                unread = String(parts.last ?? "")
                return parts.dropLast()
            }
            for line in lines {
                guard let times = line.firstMatch(of: /at the reader ([0-9.]+) ms, in the TPM ([0-9.]+) ms/),
                    let reader = Double(times.1), let tpm = Double(times.2)
                else { continue }
                self?.matcherTimes.withLock { $0.append((reader, tpm)) }
            }
        }
        process.terminationHandler = { _ in listeningWriter.finish() }
        try process.run()
        matcher.withLock { $0 = process }
        for await _ in listening { return }
        throw UnexpectedOutcome("the matcher did not start")
    }

    /// Stops the matcher and returns when it has ended.
    func stopMatcher() async {
        guard let process = matcher.withLock({ $0 }) else { return }
        matcher.withLock { $0 = nil }
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            process.terminate()
        }
    }

    func stop() async {
        await stopMatcher()
        await lab.stop()
        folder.delete()
    }
}
#endif
