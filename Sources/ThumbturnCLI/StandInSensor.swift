#if Tools
import Foundation
import Synchronization
import Thumbturn

/// A stand-in for a sensor, for development in a terminal: it reads no finger and proves nothing. The answers come from the
/// command line; a person at a terminal is asked for those that are missing.
final class StandInSensor: Sensor {
    enum Answer: String, CaseIterable, Sendable {
        case match
        case noMatch = "no-match"
        case cancel
        case lockout
    }

    private let answers: Mutex<[Answer]>

    init(_ answers: [Answer]) {
        self.answers = Mutex(answers)
    }

    func biometry() -> BiometryState { .ready }
    func isPasscodeSet() -> Bool { false }

    func prompt(_ request: PromptRequest) async -> PromptAnswer {
        switch answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) ?? ask(request) {
        case .match: return .matched(Presence(context: "stand-in"))
        case .noMatch: return .notMatched
        case .cancel: return .failed(Failure(.cancelledByUser, recovery: .retry))
        case .lockout: return .failed(Failure(.lockedOut, recovery: .signInAgain))
        }
    }

    private func ask(_ request: PromptRequest) -> Answer {
        guard isatty(0) == 1 else { return .match }
        FileHandle.standardError.write(Data("\(request.reason) [stand-in sensor: Enter matches, n does not, c cancels] ".utf8))
        switch readLine()?.lowercased() {
        case "n": return .noMatch
        case "c", nil: return .cancel
        default: return .match
        }
    }
}
#endif
