import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnURLSession

/// A process of an app over a folder of keys, which a test kills or stops at any step. Only tests build and start it.
///
///     KilledDevice HOME URL ACCOUNT PASSWORD PIN,PIN,… ACTION,ACTION,… [kill|stop STEP]
///
/// It makes the actions one after another, counts the steps of the last one, and sends itself SIGKILL or SIGSTOP before the
/// given step. Each line of its output is a word and what is said of it, such as "enrol yes", "revoke notEnrolled" or "keys 3".
@main
struct KilledDevice {
    enum Action: String {
        /// Ends with `yes`, or with the code of the failure.
        case enrol, keep, replace, changePIN, revoke, guess, settle
        /// Says whether the device is enrolled, and how many files of keys there are.
        case look
        /// Has each key sign in. Says how many wrong PINs were counted before, how many PINs were typed until one was right, and
        /// how many devices the account has.
        case sign
        /// Unlocks a vault, which makes it the first time, and says what is in it; saves a secret; deletes the vault.
        case open, save, delete
    }

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 7 || arguments.count == 9, let url = URL(string: arguments[2]) else { exit(64) }
        let actions = arguments[6].split(separator: ",").compactMap { Action(rawValue: String($0)) }
        guard let last = actions.last, actions.count == arguments[6].split(separator: ",").count else { exit(64) }
        var steps = Steps(SIGKILL, before: .max)
        if arguments.count == 9 {
            guard let step = Int(arguments[8]), ["kill", "stop"].contains(arguments[7]) else { exit(64) }
            steps = Steps(arguments[7] == "kill" ? SIGKILL : SIGSTOP, before: step)
        }
        let person = TypingPerson(arguments[5].split(separator: ",").compactMap { PIN(String($0)) })
        do throws(Failure) {
            let life = try Life(
                home: arguments[1], server: url, signIn: PasswordSignIn(account: arguments[3], password: arguments[4]),
                person: person, steps: steps)
            for action in actions.dropLast() { await life.make(action) }
            steps.begin()
            await life.make(last)
            say("steps", "\(steps.count)")
        } catch {
            say("failed", "\(error.code)")
        }
    }

    /// Writes a line at once: a killed process writes nothing later.
    static func say(_ word: String, _ text: String) { FileHandle.standardOutput.write(Data("\(word) \(text)\n".utf8)) }
}

/// One process of the app.
private struct Life {
    let home: String
    let signIn: PasswordSignIn
    let person: TypingPerson
    let auth: Authenticator
    let vault: Vault

    init(home: String, server: URL, signIn: PasswordSignIn, person: TypingPerson, steps: Steps) throws(Failure) {
        (self.home, self.signIn, self.person) = (home, signIn, person)
        let secrets = FileSecrets(folder: home)
        // One round, because every process stretches PINs again.
        let pin = SoftwarePINKey(secrets: StoredPINSecrets(secrets), rounds: 1)
        let platform = DevicePlatform(
            sensor: MatchingSensor(), keys: SoftwareKeys(folder: home), secrets: secrets, place: .folder(home),
            transport: NotingTransport(), pin: PINSupport(entry: person, key: pin),
            vaults: FileVaultStore(folder: home), promptGap: .zero
        ).counted(by: steps)
        auth = try Authenticator(server: server, platform: platform)
        vault = Vault(named: "designs", platform: platform, access: .userPresence)
    }

    func make(_ action: KilledDevice.Action) async {
        person.begin()
        do {
            switch action {
            case .enrol: try await auth.enrol(with: signIn, ifExists: .fail)
            case .keep: try await auth.enrol(with: signIn)
            case .replace: try await auth.enrol(with: signIn, ifExists: .replace)
            case .changePIN: try await auth.changePIN(policy: UnlockPolicy(ladder: [.appPIN]))
            case .revoke: try await auth.revoke()
            case .guess: _ = try await auth.authenticate("Guess", policy: UnlockPolicy(ladder: [.appPIN]))
            case .settle: await auth.settle()
            case .look: try await look()
            case .sign: try await sign()
            case .open:
                let kept = try await vault.unlocked("Open") { try await $0.read("secret") }
                KilledDevice.say("kept", kept.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "nothing")
            case .save: try await vault.unlocked("Save") { try await $0.save(SecretBytes("a drawing"), as: "secret") }
            case .delete: try await vault.delete()
            }
            KilledDevice.say(action.rawValue, "yes")
        } catch {
            KilledDevice.say(action.rawValue, (error as? Failure).map { "\($0.code)" } ?? "\(error)")
        }
    }

    private func look() async throws {
        KilledDevice.say("enrolled", await auth.readiness().isEnrolled ? "yes" : "no")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? []
        KilledDevice.say("keys", "\(files.count { $0.hasSuffix(".software-key") })")
    }

    private func sign() async throws {
        for rung in [Rung.biometric, .devicePasscode, .appPIN] {
            let answered = try await auth.authenticate("Sign", policy: UnlockPolicy(ladder: [rung])).rung
            guard answered == rung else { throw Failure(.policyDenies) }
        }
        KilledDevice.say("wrong", "\(person.wrongBefore)")
        KilledDevice.say("typed", "\(person.typed)")
        KilledDevice.say("devices", "\(try await auth.devices().count)")
    }
}

/// A sensor that matches at once.
private struct MatchingSensor: Sensor {
    func biometry() -> BiometryState { .ready }
    func isPasscodeSet() -> Bool { true }
    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) -> PromptAnswer {
        .matched(Presence(context: true))
    }
}

/// A person who types the given PINs one after another, then cancels, and who chooses the last of them.
private final class TypingPerson: PINEntry {
    private let pins: [PIN]
    private let state = Mutex((typed: 0, wrongBefore: 0))

    init(_ pins: [PIN]) {
        self.pins = pins
    }

    /// How many PINs were typed for this action.
    var typed: Int { state.withLock { $0.typed } }
    /// How many wrong PINs in a row were counted before the first one of this action.
    var wrongBefore: Int { state.withLock { $0.wrongBefore } }

    func begin() { state.withLock { $0 = (0, 0) } }

    func enter(_ request: PINRequest) -> PINAnswer {
        state.withLock { state in
            if state.typed == 0 { state.wrongBefore = request.wrongInARow }
            guard state.typed < pins.count else { return .failed(Failure(.cancelledByUser)) }
            state.typed += 1
            return .entered(pins[state.typed - 1])
        }
    }

    func choose() -> PINAnswer { pins.last.map { .entered($0) } ?? .failed(Failure(.cancelledByUser)) }
}

/// The network, which says when the server has judged a proof.
private struct NotingTransport: Transport {
    private let network = URLSessionTransport()

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let answer = try await network.send(request)
        if request.url.hasSuffix("/v1/token") { KilledDevice.say("judged", "\(answer.status)") }
        return answer
    }
}
