#if Tools && os(Linux)
import Foundation
import Synchronization
import Thumbturn
import ThumbturnLinux
import ThumbturnLinuxLab

/// A Linux machine in a folder: swtpm, bus, polkit, fprintd and the matcher, all real, all its own.
final class LabMachine: Sendable {
    let lab: LinuxLab
    let folder: String
    /// How long the matcher took at the reader and in the TPM, in milliseconds, one pair for each verdict.
    let atTheReader = Mutex<[(reader: Double, tpm: Double)]>([])
    /// Whether what the matcher shows the person is printed.
    let showsTheScreen = Mutex(true)
    private let program: String
    private let matcher = Mutex<Process?>(nil)

    /// The user as whom the matcher runs: it needs no right but to read fprintd's folder.
    private static let matcherUser = "nobody"

    /// - Parameter rule: the file with the polkit rule that a real machine gets; it names another user there.
    static func start(matcherd: String, rule: String) async throws -> LabMachine {
        guard FileManager.default.isExecutableFile(atPath: matcherd) else {
            throw Surprise(
                what: "there is no program at \(matcherd). Build it: swift build --traits Tools --product thumbturn-matcherd")
        }
        guard let packaged = try? String(contentsOfFile: rule, encoding: .utf8) else {
            throw Surprise(what: "there is no polkit rule at \(rule). Run this in the project's folder, or say where with --rule")
        }
        let rule = packaged.replacing("thumbturn-matcher\"", with: matcherUser + "\"")
        let folder = "/tmp/thumbturn-machine-\(UUID().uuidString)"
        do {
            let lab = try await LinuxLab.start(in: folder, polkitRules: [rule])
            let machine = LabMachine(lab, folder: folder + "-matcher", program: matcherd)
            do {
                try await lab.verifyPeers()
                try machine.prepare()
                try await machine.startMatcher()
                return machine
            } catch {
                await machine.stop()
                throw error
            }
        } catch let error as LabError {
            throw Surprise(what: "\(error)")
        }
    }

    private init(_ lab: LinuxLab, folder: String, program: String) {
        self.lab = lab
        self.folder = folder
        self.program = program
    }

    var socket: String { "\(folder)/socket" }
    var user: String { NSUserName() }

    /// The matcher's own copy of its program, and its folder: another user has to reach both.
    private func prepare() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: program, toPath: "\(folder)/thumbturn-matcherd")
        // We are root here, because polkit starts as root and the lab has seen to that.
        guard let entry = unsafe getpwnam(Self.matcherUser),
            unsafe chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0
        else { throw Surprise(what: "the matcher's folder cannot be given to the user \(Self.matcherUser)") }
        guard unsafe chmod(folder, 0o755) == 0 else { throw Surprise(what: "the matcher's folder cannot be opened") }
    }

    /// Starts the matcher, and returns when it listens.
    func startMatcher() async throws {
        let process = Process()
        let command = [
            "\(folder)/thumbturn-matcherd", "--socket", socket, "--folder", "\(folder)/state", "--tcti", lab.tcti,
            "--bus", lab.busAddress, "--prints", lab.printsFolder,
        ]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments =
            [
                "--reuid", Self.matcherUser, "--regid", "nogroup", "--clear-groups", "--inh-caps", "+dac_read_search",
                "--ambient-caps", "+dac_read_search",
            ] + command
        let (screen, log) = (Pipe(), Pipe())
        process.standardOutput = screen
        process.standardError = log
        let (listening, listens) = AsyncStream.makeStream(of: Void.self)
        screen.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            if text.isEmpty { handle.readabilityHandler = nil }
            if text.contains("listens at") { listens.yield() }
            guard self?.showsTheScreen.withLock({ $0 }) == true else { return }
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
                guard let spent = line.firstMatch(of: /at the reader ([0-9.]+) ms, in the TPM ([0-9.]+) ms/),
                    let reader = Double(spent.1), let tpm = Double(spent.2)
                else { continue }
                self?.atTheReader.withLock { $0.append((reader, tpm)) }
            }
        }
        process.terminationHandler = { _ in listens.finish() }
        try process.run()
        matcher.withLock { $0 = process }
        for await _ in listening { return }
        throw Surprise(what: "the matcher did not start")
    }

    /// Ends the matcher, and returns when it has gone.
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
        try? FileManager.default.removeItem(atPath: folder)
    }
}
#endif
