import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The app's process ends at every write, every use of a key, every prompt and every request of everything that a person does.
/// The next process finds what was left.
@Suite struct CrashTests {
    /// The phones take turns: all steps on each of them take minutes.
    static let phones: [(model: SimulatedPhone.Model, keeping: SessionKeeping)] = [
        (.iPhone(), .stored), (.android(), .untilLock), (.iPhone(), .untilLock), (.android(), .stored),
    ]

    @Test("whatever a process leaves behind, the next one finds", arguments: Operation.all.indices, DyingParts.Manner.allCases)
    func endedAtEveryStep(_ index: Int, _ manner: DyingParts.Manner) async throws {
        let operation = Operation.all[index]
        var (step, survivals) = (0, 0)
        while survivals < Self.phones.count {
            step += 1
            let (model, keeping) = Self.phones[(step + index + (manner == .afterTheStep ? 1 : 0)) % Self.phones.count]
            let crash = try await Crash(operation, on: model, keeping, at: step, manner).perform()
            survivals = crash.isDead ? 0 : survivals + 1
            #expect(crash.problems == [], "\(operation.name) on \(model.name), \(keeping): \(manner) \(step)")
        }
        print("crashed: \(operation.name), \(manner) 1 to \(step - survivals)")
        #expect(step > survivals, "it died at some steps")
    }
}

/// One operation in a process that ends at a step.
private struct Crash: Sendable {
    let operation: Operation
    let model: SimulatedPhone.Model
    let keeping: SessionKeeping
    let step: Int
    let manner: DyingParts.Manner

    init(
        _ operation: Operation, on model: SimulatedPhone.Model, _ keeping: SessionKeeping, at step: Int,
        _ manner: DyingParts.Manner
    ) {
        (self.operation, self.model, self.keeping, self.step, self.manner) = (operation, model, keeping, step, manner)
    }

    func perform() async throws -> (isDead: Bool, problems: [String]) {
        let phone = SharedPhone(model, keeping)
        return try await phone.clock.run {
            let first = try phone.start()
            let parts = DyingParts(of: first.platform, at: .max, manner)
            let dying = try PhoneProcess(on: parts.platform, network: first.network, sessions: keeping)
            _ = try await operation.setting.prepare(dying.auth)
            if try await dying.auth.enrolments().owner != .noAccount { try await dying.auth.answerBiometricOffer(.notNow) }
            try await phone.pass()
            parts.die(at: step)
            _ = await failure { _ = try await operation.act(dying.auth) }
            let isDead = parts.isDead
            // The process of a call that was quicker ends as well.
            parts.die(at: 0)
            return (isDead, try await problemsOfTheNextProcess(phone))
        }
    }

    private func problemsOfTheNextProcess(_ phone: SharedPhone) async throws -> [String] {
        let processes = [try phone.start(), try phone.start("extension")]
        let auth = processes[0].auth
        await auth.settle()
        var problems = await phone.problemsOfTheOwner(processes)
        let hasAnswer = phone.secrets.names.contains { $0.hasPrefix("biometric offer") }
        if hasAnswer, try await auth.enrolments().owner.account != Resident.ada.id {
            problems.append("ada's answer outlives her")
        }
        // An opening of a visit is given up fifteen minutes later, whether somebody comes before that or after it.
        if step.isMultiple(of: 2) { problems += try await phone.problemsOfLeftovers(auth) }
        problems += await phone.problemsGettingIn(auth)
        problems += try await phone.problemsOfLeftovers(auth)
        return problems
    }
}
