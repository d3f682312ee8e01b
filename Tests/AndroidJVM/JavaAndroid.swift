import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// Java's layer, called through JNI, over Java's fake phone, in the virtual time of Swift: time stands still while Java works.
///
/// A simulated phone is the hardware and the person: what is enrolled on it is enrolled on Java's phone, and what its person does
/// at a prompt happens to the prompt on Java's screen. The server is reached without Java.
final class JavaAndroid: AndroidSystem {
    let phone: SimulatedPhone
    let clock: VirtualClock
    let server: any Transport
    let state: Mutex<State>

    struct State {
        /// The number of calls by their operations.
        var calls: [AndroidOperation: Int] = [:]
        /// The code of the next failure of a prompt, in place of the phone's own.
        var nextRefusal: Int64?
        /// Whether the next match authorises nothing, so that the signature after it fails.
        var nextMatchIsVoid = false
        /// How many prompts Java's phone answers by itself.
        var scripted = 0
        /// What Java's phone was told of the simulated one.
        var told: SimulatedPhone.Facts
        /// The instant that Java's phone has reached.
        var reached: Instant
        var hearsPhases = false
    }

    init(_ phone: SimulatedPhone, level: Int, clock: VirtualClock, server: any Transport) {
        (self.phone, self.clock, self.server) = (phone, clock, server)
        let facts = phone.facts()
        state = Mutex(State(told: facts, reached: clock.now))
        JavaPhone.start(level: level)
        if facts.biometry == .absent {
            JavaPhone.tell("sensor none")
            JavaPhone.tell("no-feature android.hardware.fingerprint")
        }
        if facts.passcode == nil { JavaPhone.tell("remove-lock") }
    }

    var executor: (any TaskExecutor)? { clock.executor }

    func sleep(_ time: Duration) async throws { try await clock.sleep(until: clock.now.advanced(by: time)) }

    /// How often an operation was called.
    func calls(_ operation: AndroidOperation) -> Int { state.withLock { $0.calls[operation] ?? 0 } }

    func begin(_ operation: AndroidOperation, _ request: [UInt8], id: Int64) -> AsyncStream<[UInt8]> {
        state.withLock { $0.calls[operation, default: 0] += 1 }
        if operation == .http { return exchange(request) }
        if operation == .phases { hearPhases() }
        mirror()
        let shown = operation == .prompt ? JavaPhone.tell("shown") : ""
        let answers = JNISystem.shared.begin(operation, request, id: id)
        switch operation {
        case .prompt: return followed(answers, request, after: shown)
        case .phases:
            // The present phase is told by the main thread.
            JavaPhone.tell("settle")
            return answers
        case .cancel:
            JavaPhone.tell("settle")
            // Java's timers move with virtual time: this one answers for a prompt whose end the system does not tell.
            Task(executorPreference: executor) {
                try? await self.sleep(.seconds(2))
                self.mirror()
            }
            return held(answers)
        default: return held(answers)
        }
    }

    /// The answers, until the last of which time stands still.
    private func held(_ answers: AsyncStream<[UInt8]>) -> AsyncStream<[UInt8]> {
        let (held, mailbox) = AsyncStream.makeStream(of: [UInt8].self)
        Task(executorPreference: executor) {
            await self.clock.outside { for await message in answers { mailbox.yield(message) } }
            mailbox.finish()
        }
        return held
    }

    /// The answers to a prompt, with the person in front of it. Time stands still until it is shown or refused.
    private func followed(_ answers: AsyncStream<[UInt8]>, _ request: [UInt8], after shown: String) -> AsyncStream<[UInt8]> {
        let (followed, mailbox) = AsyncStream.makeStream(of: [UInt8].self)
        let person = Task(executorPreference: executor) {
            await self.clock.outside { await self.settleKeystore() }
            let isScripted = self.state.withLock { state in
                guard state.scripted > 0 else { return false }
                state.scripted -= 1
                return true
            }
            guard !isScripted, JavaPhone.tell("shown") != shown, JavaPhone.tell("on-screen") != "0" else { return }
            await self.answer(request)
        }
        Task(executorPreference: executor) {
            for await message in answers { mailbox.yield(message) }
            mailbox.finish()
            person.cancel()
        }
        return followed
    }

    /// Waits for what the Keystore's thread has to do, and what that leads to on the main thread.
    private func settleKeystore() async {
        var request = BridgeWriter()
        request.put("none")
        for await _ in JNISystem.shared.begin(.keyExists, request.message, id: AndroidCallID.next()) {}
        JavaPhone.tell("settle")
    }

    private func exchange(_ request: [UInt8]) -> AsyncStream<[UInt8]> {
        let (answers, mailbox) = AsyncStream.makeStream(of: [UInt8].self)
        Task(executorPreference: executor) {
            do {
                let response = try await self.server.send(try HTTPMessage.request(request))
                mailbox.yield(HTTPMessage.answer(response))
            } catch {
                mailbox.yield(AndroidThrown(chain: [.init(name: "java.net.UnknownHostException")]).message)
            }
            mailbox.finish()
        }
        return answers
    }
}
