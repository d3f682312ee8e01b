#if Tools
import Foundation
import Synchronization
import Thumbturn

/// A sensor for development in a terminal. It reads no finger and proves nothing. Its answers come from the command
/// line; when they are used up, it asks the person at the terminal.
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

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        switch await next(request) {
        case .match: return .matched(Presence(context: "stand-in"))
        case .noMatch: return .notMatched
        case .cancel: return .failed(Failure(.cancelledByUser))
        case .lockout: return .failed(Failure(.lockedOut, recovery: .signInAgain))
        case nil: return .failed(Failure(.cancelledByApp))
        }
    }

    /// The next answer from the command line or from the terminal; nil if the prompt is cancelled first.
    private func next(_ request: PromptRequest) async -> Answer? {
        if let given = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return given }
        guard isatty(0) == 1 else { return .match }
        FileHandle.standardError.write(Data("\(request.reason) [stand-in sensor: Enter matches, n does not, c cancels] ".utf8))
        while !Task.isCancelled {
            // Polling lets a cancelled prompt end.
            var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&input, 1, 0) > 0 {
                switch readLine()?.lowercased() {
                case "n": return .noMatch
                case "c", nil: return .cancel
                default: return .match
                }
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        FileHandle.standardError.write(Data("\n".utf8))
        return nil
    }
}
#endif
