#if Tools
import Foundation
import Thumbturn
import ThumbturnCommands
import ThumbturnTestKit

/// Prints something that the person can read or does.
func tell(_ who: String, _ text: String) {
    print("  \(who.padding(toLength: 7, withPad: " ", startingAt: 0)) \(text)")
}

/// A sensor whose prompts are told.
struct ToldSensor: Sensor {
    let sensor: any Sensor

    func biometry() async -> BiometryState { await sensor.biometry() }
    func isPasscodeSet() async -> Bool { await sensor.isPasscodeSet() }
    func kind() async -> SensorKind? { await sensor.kind() }
    func name() async -> SensorName? { await sensor.name() }
    func enrolmentMark() async -> EnrolmentMark? { await sensor.enrolmentMark() }
    var liftsLockouts: Bool { sensor.liftsLockouts }
    func liftLockout(_ reason: String) async -> PromptAnswer { await sensor.liftLockout(reason) }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        tell("system", "asks for the \(request.rung.inWords): “\(request.reason)” [\(request.cancelButton.message)]")
        let answer = await sensor.prompt(request, hearing: hearing)
        switch answer {
        case .matched: tell("person", "is recognised")
        case .notMatched: tell("person", "is not recognised")
        case .failed(let failure): tell("system", "ends the prompt: \(failure.code)")
        }
        return answer
    }
}

/// A PIN screen that is told. The digits are not.
struct ToldPINs: PINEntry {
    let entry: any PINEntry

    func enter(_ request: PINRequest) async -> PINAnswer {
        tell("app", "asks for the PIN: “\(request.reason)” [\(request.cancelButton.message)]")
        return await entry.enter(request)
    }

    func choose() async -> PINAnswer {
        tell("app", "asks for a new PIN")
        return await entry.choose()
    }
}

/// A full sign-in that is told.
struct ToldSignIn: PrimarySignIn {
    let signIn: any PrimarySignIn

    func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        tell("app", "asks for name and password: “\(request.reason)”")
        return try await signIn.credentials(for: request)
    }
}

extension Rung {
    /// What the person shows or enters.
    var inWords: String {
        switch self {
        case .biometric: "face or finger"
        case .devicePasscode: "device's passcode"
        case .appPIN: "app's PIN"
        case .fullCredentials: "full sign-in"
        }
    }
}

/// A person before an `UnlockScreen`: what it says is told as it changes.
@MainActor final class Looking {
    private let screen: UnlockScreen
    private let appearing: Task<Void, Never>
    private var told = ""
    private static let patience = Duration.seconds(40)

    init(at screen: UnlockScreen) {
        self.screen = screen
        appearing = Task { await screen.appear() }
    }

    /// What the screen says, and its buttons.
    private var words: String {
        let texts = [screen.message, screen.cause].compactMap { $0?.description }
        let buttons = (screen.buttons + [screen.offer].compactMap { $0 }).map { "[\($0)]" }
        return (texts + buttons).joined(separator: " ")
    }

    /// Presses the button with this text, once it is there.
    func press(_ text: String) async throws {
        var found: UnlockScreen.Button?
        try await wait(for: "the button “\(text)”") {
            found = screen.buttons.first { $0.description == text }
            return found != nil
        }
        guard let found else { return }
        tell("person", "presses [\(text)]")
        screen.press(found.action)
    }

    /// Waits until the screen says this.
    func read(_ text: String) async throws {
        try await wait(for: "“\(text)”") { words.contains(text) }
    }

    /// Waits until the person is in, and leaves the screen.
    func wayIn() async throws -> Rung {
        try await wait(for: "the way in") { screen.stage == .unlocked }
        appearing.cancel()
        await appearing.value
        guard let answered = screen.answered else { throw UnexpectedOutcome("the screen has lost its success") }
        return answered.rung
    }

    private func wait(for what: String, until isThere: () -> Bool) async throws {
        let end = ContinuousClock.now + Self.patience
        while true {
            let now = "\(words)"
            if now != told, !now.isEmpty {
                told = now
                tell("screen", now)
            }
            if isThere() { return }
            guard ContinuousClock.now < end else { throw UnexpectedOutcome("the screen never had \(what); it said: \(told)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
#endif
