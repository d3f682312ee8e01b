import Synchronization
import TestSupport
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// One run of an operation, with a cut at one of its points: before or after a request.
struct InterruptionRun: Sendable {
    typealias Outcome = Result<Grant?, any Error>

    struct Report: Sendable {
        var points = 0
        /// Where the cut was.
        var place = ""
        var outcome = ""
        var problems: [String] = []
    }

    /// What is known of a run.
    private final class Log: Sendable {
        struct Progress {
            var points = 0
            var isOver = false
            var made: Made?
        }

        let progress = Mutex(Progress())
        let operation = Mutex<Task<Outcome, Never>?>(nil)
    }

    /// A cut that was made.
    private struct Made {
        var place: String
        /// Whether it came too late to end the operation, or too early.
        var endsNothing: Bool
        /// Whether the cut did what it says.
        var isDone: Bool
        /// Whether the place has another owner since it, or since the operation began, or its owner came back.
        var changedOwner: Bool
    }

    let operation: Operation
    let keeping: SessionKeeping
    let cut: Cut?
    let point: Int

    init(_ operation: Operation, _ keeping: SessionKeeping, _ cut: Cut? = nil, at point: Int = 0) {
        (self.operation, self.keeping, self.cut, self.point) = (operation, keeping, cut, point)
    }

    func perform() async throws -> Report {
        let (phone, hasLock) = (SharedPhone(.plain, keeping), keeping == .stored)
        return try await phone.clock.run(mainActorToo: hasLock) {
            let stage = try await Stage(phone, operation.setting, hasLock: hasLock)
            let result = try await interrupt(stage)
            await stage.end()
            return result
        }
    }

    private func interrupt(_ stage: Stage) async throws -> Report {
        let (executor, log) = (stage.phone.clock.executor, Log())
        let before = try await stage.app.auth.enrolments()
        stage.app.network.watch { path, side in
            let (number, isOver) = log.progress.withLock { progress in
                progress.points += 1
                return (progress.points - 1, progress.isOver)
            }
            guard let cut, number == point else { return }
            let at = (try? await stage.app.auth.enrolments()) ?? before
            let endsNothing = isOver || self.endsNothing(at: path, number, hasGoneLive: at.live != before.live)
            // The cut is no part of the operation, and is not cancelled with it.
            let isDone = await Task(executorPreference: executor) {
                await cut.act(stage, operation.owner == .bob ? .ada : .bob, cancelling: log.operation.withLock { $0 })
            }.value
            let owner = (try? await stage.app.auth.enrolments().owner) ?? .noAccount
            let cameBack = cut.bringsAnother && isDone && owner.account != operation.owner?.id
            log.progress.withLock {
                $0.made = Made(
                    place: "\(side.rawValue) \(path)", endsNothing: endsNothing, isDone: isDone,
                    changedOwner: owner != before.owner || owner != at.owner || cameBack)
            }
        }
        let task = Task(executorPreference: executor) { () async -> Outcome in
            do { return .success(try await operation.act(stage.app.auth)) } catch { return .failure(error) }
        }
        log.operation.withLock { $0 = task }
        let outcome = await task.value
        let points = log.progress.withLock { progress in
            progress.isOver = true
            return progress.points
        }
        // A cut that ends the operation may go on after it.
        for _ in 1...20 where cut != nil && log.progress.withLock({ $0.made == nil }) { try await stage.phone.pass(.seconds(1)) }
        stage.app.network.watch(nil)
        try await stage.phone.pass()
        let made = log.progress.withLock { $0.made }
        var report = Report(points: points, place: made?.place ?? "")
        switch outcome {
        case .success(let grant): report.outcome = grant == nil ? "done" : "granted"
        case .failure(let error): report.outcome = (error as? Failure)?.code.name ?? "\(error)"
        }
        if let cut, made == nil { report.problems.append("\(cut) was not made") }
        report.problems += try await problems(on: stage, outcome, made)
        return report
    }

    /// Whether a dismissal ends nothing at a request: it comes too late, before the person was asked, or while they give their
    /// credentials.
    private func endsNothing(at path: String, _ number: Int, hasGoneLive: Bool) -> Bool {
        // The first request has the challenge, which comes before the credentials.
        if cut == .lockNow, operation.takesCredentials, number < 2 { return true }
        return switch operation.kind {
        // A session in memory is ended at the server by whoever hears of it.
        case .success: keeping == .untilLock && path == "POST /v1/revoke"
        case .approval: path.hasPrefix("GET ") || path.hasSuffix("/proofs")
        case .keyChange: path.hasSuffix("/v1/devices/current/keys") || path == "GET /v1/devices/current"
        case .enrolment: hasGoneLive
        case .upkeep: true
        }
    }

    private func problems(on stage: Stage, _ outcome: Outcome, _ made: Made?) async throws -> [String] {
        let (phone, app) = (stage.phone, stage.app.auth)
        var problems: [String] = []
        let hasSucceeded = if case .success = outcome { true } else { false }
        let dismisses = made.map { cut?.dismisses(isDone: $0.isDone, changedOwner: $0.changedOwner) ?? false } ?? false
        // The next sign-in waits for the screen, which this one has.
        let waited = cut == .anotherSignsIn || cut == .anotherEnrols
        if !dismisses, cut != .cancel, !waited, case .failure(let error) = outcome {
            problems.append("nothing ends it, and it fails: \(error)")
        }
        if dismisses, made?.endsNothing == false, hasSucceeded { problems.append("a dismissed person succeeds") }
        if case .success(let grant?) = outcome {
            await stage.unlocked(by: grant)
            if !dismisses, await (try? app.me().id) != operation.owner?.id { problems.append("the success has no session") }
        }
        // Ada's success opened the app: it stays open if it is she who comes back.
        if dismisses, cut?.bringsAnother != true || operation.owner == .ada {
            try await stage.leaveAndReturn()
            if await stage.isOpen { problems.append("the app is open") }
        }
        if let cut, let made { problems += try await self.problems(after: cut, made, hasSucceeded, on: stage) }
        problems += await phone.problemsOfTheOwner([stage.app, stage.other])
        for process in [stage.app, stage.other] { await process.auth.settle() }
        problems += await phone.problemsGettingIn(app)
        problems += try await phone.problemsOfLeftovers(app, lost: losesDevice(made) ? phone.records - 1 : 0)
        return problems
    }

    /// Whether a device without keys may be left at the server: the request that made it was on its way for longer than a
    /// revocation waits, or the revocation was cancelled before it could tell the server.
    private func losesDevice(_ made: Made?) -> Bool {
        cut?.revokes == true && made?.place == "before POST /v1/devices"
            || cut == .cancel && operation.owner == nil && made?.place == "before DELETE /v1/devices/current"
    }

    private func problems(after cut: Cut, _ made: Made, _ hasSucceeded: Bool, on stage: Stage) async throws -> [String] {
        let (phone, app) = (stage.phone, stage.app.auth)
        var problems: [String] = []
        // Who approves after the panic, by a PIN, switches it on.
        let isStronger = operation.kind == .approval && made.endsNothing && hasSucceeded
        if cut.isPanic, !isStronger, await (try? app.sensorSwitch.read().isOff) != true { problems.append("the sensor is on") }
        if cut.revokes, made.isDone, !hasSucceeded, phone.phone.keyCount > 0 || !phone.leftovers.isEmpty {
            problems.append("\(phone.phone.keyCount) keys and \(phone.leftovers) are left")
        }
        if cut.bringsAnother, made.isDone, made.changedOwner, operation.kind != .upkeep, !made.endsNothing,
            try await app.enrolments().owner.account == operation.owner?.id
        {
            problems.append("who came later does not own the place")
        }
        if cut == .signOut, await failure({ _ = try await app.me() }) == nil {
            problems.append("a session outlives the sign-out")
        }
        return problems
    }
}
