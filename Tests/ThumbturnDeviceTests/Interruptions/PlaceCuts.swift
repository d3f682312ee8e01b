import TestSupport
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The processes of a phone, and the lock of the app, which ada's success has opened.
struct Stage: Sendable {
    let phone: SharedPhone
    let app: PhoneProcess
    let other: PhoneProcess
    private let lock: AppLockModel?
    private let lockCount = LockCount()
    private let lockRun: Task<Void, Never>?

    /// - Parameter hasLock: whether the app has a lock. The main actor's turns make a story with one several times as long.
    init(_ phone: SharedPhone, _ setting: Setting, hasLock: Bool) async throws {
        self.phone = phone
        (app, other) = (try phone.start(), try phone.start("extension"))
        let lock = hasLock ? await Self.lock(of: app, counting: lockCount) : nil
        self.lock = lock
        lockRun = lock.map { lock in Task(executorPreference: phone.clock.executor) { await lock.run() } }
        // A lock that begins ends what was asked before it.
        try await phone.pass()
        if let success = try await setting.prepare(app.auth) {
            try await phone.pass()
            await lock?.unlocked(by: success)
        }
    }

    /// A lock that only taps, locks and dismissals move in these stories.
    @MainActor private static func lock(of process: PhoneProcess, counting locks: LockCount) -> AppLockModel {
        var rules = AppLock.Rules(lockAfter: .seconds(100_000))
        (rules.lockAfterInactive, rules.promptLimit, rules.asksItself) = (rules.lockAfter, rules.lockAfter, false)
        return AppLockModel(for: process.auth, reason: "Unlock", rules: rules, whenLocked: { locks.count += 1 })
    }

    /// How often the app has forgotten what it shows.
    var locks: Int { get async { await lockCount.count } }

    func unlocked(by success: Grant) async { await lock?.unlocked(by: success) }

    func lockNow() async {
        if let lock { await lock.lockNow() } else { app.platform.lockNow() }
    }

    /// Whether the contents show.
    var isOpen: Bool { get async { await lock?.isLocked == false } }

    /// The app is left for a moment. When it comes back it knows what other processes did.
    func leaveAndReturn() async throws {
        phone.phone.moveToBack()
        try await phone.pass()
        phone.phone.moveToFront()
        try await phone.pass()
    }

    func end() async {
        lockRun?.cancel()
        await lockRun?.value
    }
}

/// How often a lock has closed.
@MainActor private final class LockCount {
    var count = 0
    nonisolated init() {}
}

/// Something that happens while an operation waits for the network.
enum Cut: String, CaseIterable, Sendable {
    case panic, everyonesPanic, forget, lockNow, revoke, signOut, anotherSignsIn, anotherEnrols, cancel
    case panicElsewhere, revokeElsewhere, anotherSignsInElsewhere, anotherEnrolsElsewhere, settleElsewhere

    var isPanic: Bool { [.panic, .everyonesPanic, .panicElsewhere].contains(self) }
    var revokes: Bool { self == .revoke || self == .revokeElsewhere }
    var bringsAnother: Bool {
        [.anotherSignsIn, .anotherEnrols, .anotherSignsInElsewhere, .anotherEnrolsElsewhere].contains(self)
    }

    /// - Returns: whether it did what it says.
    func act(_ stage: Stage, _ another: Resident, cancelling operation: Task<some Any, Never>?) async -> Bool {
        let (app, other) = (stage.app.auth, stage.other.auth)
        let failed = await failure {
            switch self {
            case .panic: try await app.requireStrongerRungNextTime()
            case .everyonesPanic: try await stage.app.platform.requireStrongerRungEverywhere()
            case .forget: await app.forgetRecentAuthentication()
            case .lockNow: await stage.lockNow()
            case .revoke: try await app.revoke()
            case .signOut: try await app.signOut(forgetDevice: false)
            case .anotherSignsIn: _ = try await app.signIn(with: another.signIn)
            case .anotherEnrols: try await app.enrol(with: another.signIn)
            case .cancel: operation?.cancel()
            case .panicElsewhere: try await other.requireStrongerRungNextTime()
            case .revokeElsewhere: try await other.revoke()
            case .anotherSignsInElsewhere: _ = try await other.signIn(with: another.signIn)
            case .anotherEnrolsElsewhere: try await other.enrol(with: another.signIn)
            case .settleElsewhere: await other.settle()
            }
        }
        return failed == nil
    }

    /// Whether it dismisses the person of the operation.
    ///
    /// - Parameters:
    ///   - isDone: whether it did what it says.
    ///   - changedOwner: whether the place has another owner since.
    func dismisses(isDone: Bool, changedOwner: Bool) -> Bool {
        switch self {
        // They dismiss first, and may find nothing to end.
        case .panic, .everyonesPanic, .forget, .lockNow, .revoke, .signOut, .panicElsewhere: true
        case .revokeElsewhere: isDone
        case .anotherSignsIn, .anotherEnrols, .anotherSignsInElsewhere, .anotherEnrolsElsewhere: isDone && changedOwner
        case .cancel, .settleElsewhere: false
        }
    }
}
