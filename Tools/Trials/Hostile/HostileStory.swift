#if Tools
import Foundation
import Thumbturn
import ThumbturnCommands
import ThumbturnTestKit

/// Phones that meet a hostile server, one for each manner, and open a vault meanwhile.
struct HostileStory: Sendable {
    let server: URL
    /// The deadline of each exchange.
    let deadline: Duration
    var manners = HostileManner.all

    /// How many phones are busy at once. Most manners take no time, and some take a whole deadline for each call.
    private static let atOnce = 8

    /// One call of an app, and how it ended.
    struct Call: Sendable {
        var manner: HostileManner
        var name: String
        /// Nil for a success.
        var failure: Failure?
        var took: Duration
    }

    /// What happened.
    struct Outcome: Sendable {
        var calls: [Call] = []
        /// How long each phone's vault took to open, while the phone called the server.
        var openings: [Duration] = []
        /// The most memory of the process so far, in KiB, when the story began and when it ended; nil where the system
        /// does not tell.
        var memory: (before: Int, after: Int)?
        /// The longest time of a call.
        var limit: Duration
    }

    func play() async throws -> Outcome {
        var outcome = Outcome(limit: limit)
        let before = Self.mostMemory()
        try await withThrowingTaskGroup(of: ([Call], opening: Duration).self) { group in
            var waiting = manners[...]
            for _ in 1...Self.atOnce { if let manner = waiting.popFirst() { group.addTask { try await self.meet(manner) } } }
            for try await (calls, opening) in group {
                outcome.calls += calls
                outcome.openings.append(opening)
                if let manner = waiting.popFirst() { group.addTask { try await self.meet(manner) } }
            }
        }
        if let before, let after = Self.mostMemory() { outcome.memory = (before, after) }
        return outcome
    }

    /// A call makes up to six exchanges, each of which takes the deadline where the server is silent.
    private var limit: Duration { deadline * 6 + .seconds(5) }

    /// What an app does first with a new phone.
    private func meet(_ manner: HostileManner) async throws -> ([Call], opening: Duration) {
        let platform = Self.platform(deadline)
        async let opening = Self.openVault(on: platform)
        let auth = try Authenticator(server: server.appendingPathComponent(manner.name), platform: platform)
        var calls: [Call] = []
        func call(_ name: String, _ work: () async throws(Failure) -> Void) async -> Bool {
            let start = ContinuousClock.now
            var failed: Failure?
            do throws(Failure) { try await work() } catch { failed = error }
            calls.append(Call(manner: manner, name: name, failure: failed, took: start.duration(to: .now)))
            return failed == nil
        }
        let isEnrolled = await call("enrol") { () async throws(Failure) in
            _ = try await auth.enrol(with: PasswordSignIn(account: "ada", password: "correct horse battery staple"))
        }
        guard isEnrolled else { return (calls, try await opening) }
        _ = await call("authenticate") { () async throws(Failure) in
            _ = try await auth.authenticate("Unlock Acme", policy: .patient)
        }
        _ = await call("me") { () async throws(Failure) in _ = try await auth.me() }
        var approvals: [Approval] = []
        _ = await call("approvals") { () async throws(Failure) in approvals = try await auth.approvals() }
        if let approval = approvals.first {
            _ = await call("approve") { () async throws(Failure) in try await auth.approve(approval) }
        }
        return (calls, try await opening)
    }

    private static func platform(_ deadline: Duration) -> DevicePlatform {
        #if os(Linux)
        let transport = NIOTransport()
        #else
        let transport = URLSessionTransport()
        #endif
        var platform = SimulatedPhone().platform(transport: transport)
        platform.exchangeDeadline = deadline
        return platform
    }

    /// Opens a vault and returns how long that took, which `report` judges. No prompt of it ends because the machine is busy.
    private static func openVault(on platform: DevicePlatform) async throws -> Duration {
        let vault = Vault(named: "designs", platform: platform, policy: .patient)
        let start = ContinuousClock.now
        try await vault.unlocked("Open the vault") { try await $0.save(SecretBytes("secret"), as: "token") }
        return start.duration(to: .now)
    }

    /// The most memory that this process ever had, in KiB.
    static func mostMemory() -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
}

extension HostileStory.Outcome {
    /// The calls that took longer than a call may.
    var late: [HostileStory.Call] { calls.filter { $0.took > limit } }

    /// The manners in which every call succeeded although one must not.
    var accepted: [HostileManner] {
        let failed = Set(calls.filter { $0.failure != nil }.map(\.manner))
        return Set(calls.map(\.manner)).subtracting(failed).filter(\.mustFail).sorted { $0.name < $1.name }
    }

    /// The most that the memory may grow, in KiB.
    static let mostGrowth = 50_000

    /// Prints what happened. Throws where a call ended late or wrongly, or the memory grew too much.
    func report() throws {
        announce("Phones met a server that was hostile in \(Set(calls.map(\.manner)).count) manners.")
        let slowest = calls.map(\.took).max() ?? .zero
        confirm("\(calls.count) calls ended; the slowest took \(slowest)")
        var codes: [String: Int] = [:]
        for call in calls { codes[call.failure?.code.name ?? "success", default: 0] += 1 }
        for (code, count) in codes.sorted(by: { $0.key < $1.key }) { confirm("\(count) × \(code)") }
        let slowestOpening = openings.max() ?? .zero
        confirm("\(openings.count) vaults were opened meanwhile; the slowest took \(slowestOpening)")
        if let memory {
            confirm(
                "the most memory was \(memory.before / 1000) MB before, and grew by \((memory.after - memory.before) / 1000) MB")
        }
        if let call = late.first { throw UnexpectedOutcome("\(call.manner.name): \(call.name) took \(call.took)") }
        if let manner = accepted.first { throw UnexpectedOutcome("\(manner.name): every call succeeded") }
        guard slowestOpening < .seconds(2) else { throw UnexpectedOutcome("the vault did not open in time") }
        if let memory, memory.after - memory.before >= Self.mostGrowth { throw UnexpectedOutcome("the memory grew too much") }
    }
}
#endif
