#if STAND_INS
import Foundation
import LocalAuthentication
import Security
import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// A simulated phone behind the stand-ins of Apple's frameworks.
final class PhoneDevice: StandInDevice {
    let phone: SimulatedPhone
    let keychain = StandInKeychain()
    let calls = StandInCalls()
    /// Facts that a simulated phone does not know: entitlements, companions, the lid.
    let more: @Sendable (inout StandInFacts) -> Void
    /// Whether a prompt stays up after its context was invalidated, and still answers later.
    let isStubborn = Atomic(false)
    /// The code of the next failure, in place of the phone's own; 0 for the phone's own.
    let nextRefusal = Atomic(0)

    init(_ phone: SimulatedPhone, _ more: @escaping @Sendable (inout StandInFacts) -> Void = { _ in }) {
        self.phone = phone
        self.more = more
    }

    var facts: StandInFacts {
        let known = phone.facts()
        var facts = StandInFacts()
        facts.isReadable = known.isReadable
        facts.passcode = known.passcode
        facts.enrolment = known.enrolment
        facts.obstacle = Self.code(of: known.biometry)
        facts.isDenied = known.biometry == .permissionDenied
        if case .lockedOut = known.biometry { facts.isLockedOut = true }
        facts.isCovered = known.biometry == .lidClosed
        facts.sensor =
            switch known.sensor {
            case .finger: 1
            case .face: 2
            case .iris: 4
            case nil: 0
            }
        facts.stateHash = known.mark.map { Data($0.state) }
        facts.dead = known.afterEnrolmentChange == .gone ? .token(-6, aks: nil) : .keychain(errSecAuthFailed)
        more(&facts)
        return facts
    }

    /// The `LAError` code of a sensor that cannot be asked.
    private static func code(of state: BiometryState) -> Int? {
        switch state {
        case .ready: nil
        case .notEnrolled: -7
        case .lockedOut, .paused: -8
        case .passcodeNotSet: -5
        case .permissionDenied, .weak, .unconfirmed, .lidClosed, .switchedOff, .forbidden, .absent, .unavailable: -6
        }
    }

    /// The texts of every sheet so far.
    var sheets: [StandInWords] { script.withLock { $0.sheets } }

    /// Sets the answers of the next sheets, whatever the person does.
    func answer(_ answers: StandInAnswer...) { script.withLock { $0.answers += answers } }

    private let script = Mutex(Script())

    private struct Script {
        var sheets: [StandInWords] = []
        var answers: [StandInAnswer] = []
    }

    func prompt(_ factor: StandInFactor, _ words: StandInWords) async -> StandInAnswer {
        let scripted: StandInAnswer? = script.withLock { script in
            script.sheets.append(words)
            return script.answers.isEmpty ? nil : script.answers.removeFirst()
        }
        if let scripted { return scripted }
        let shown = self.shown(factor)
        let (phone, rung) = (phone, shown == .biometry ? Rung.biometric : .devicePasscode)
        let asked = Task(executorPreference: StandIns.executor) { await phone.ask(rung, reason: words.reason) }
        let answer = await withTaskCancellationHandler {
            await asked.value
        } onCancel: {
            if !isStubborn.load(ordering: .relaxed) { asked.cancel() }
        }
        switch answer {
        case .matched: return .matched(shown)
        case .notMatched: return .refused(-1)
        case .failed(let failure):
            let other = nextRefusal.exchange(0, ordering: .relaxed)
            return .refused(other == 0 ? failure.status?.code ?? -9 : other)
        }
    }

    func promptNow(_ factor: StandInFactor) -> StandInAnswer {
        switch phone.actNow() {
        case .match: .matched(shown(factor))
        case .cancel: .refused(-2)
        case .systemCancel, .supersede: .refused(-4)
        default: .refused(-1)
        }
    }

    private func shown(_ factor: StandInFactor) -> StandInFactor {
        guard factor == .either else { return factor }
        return phone.facts().biometry == .ready ? .biometry : .passcode
    }
}
#endif
