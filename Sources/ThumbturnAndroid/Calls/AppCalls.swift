import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// The calls of an app that is written in Kotlin or Java. Each call is a task that does one operation of the library.
///
/// Nothing is decided here. The app holds numbers; the authenticators and vaults behind them are kept until it closes them.
final class AppCalls: Sendable {
    let system: any AndroidSystem
    let handles = AppHandles()
    /// Makes the platform of a device that is opened.
    let platform: @Sendable (AppDevice.Look) async throws(Failure) -> DevicePlatform
    private let answer: @Sendable (_ id: Int64, _ message: [UInt8]) -> Bool
    private let running = Mutex<[Int64: Running]>([:])

    /// A call that has not ended.
    private struct Running {
        let task: Task<Void, Never>
        /// The question to the person that the call asks, if it asks one.
        let question: Question
    }

    /// Makes the side that answers calls.
    ///
    /// - Parameters:
    ///   - system: Android, which also shows the app's screens.
    ///   - platform: makes the platform of a device.
    ///   - answer: sends an answer to Java, and returns at once whether Java took it.
    init(
        system: any AndroidSystem, platform: @escaping @Sendable (AppDevice.Look) async throws(Failure) -> DevicePlatform,
        answer: @escaping @Sendable (_ id: Int64, _ message: [UInt8]) -> Bool
    ) {
        (self.system, self.platform, self.answer) = (system, platform, answer)
    }

    /// Begins a call and returns at once. A call with the id of one that is running begins nothing.
    func begin(_ id: Int64, _ operation: Int32, _ request: [UInt8]) {
        running.withLock { running in
            guard running[id] == nil else { return }
            let question = Question()
            // The task takes this lock before it ends, however fast it is, so it finds its entry.
            let task = Task(executorPreference: system.executor) {
                let message = await question.asking {
                    await self.message(operation, request) { _ = self.answer(id, $0.message(.news)) }
                }
                self.running.withLock { $0[id] = nil }
                // A large answer may find no memory in Java; a small one then says so.
                if !self.answer(id, message) { _ = self.answer(id, Self.failed(.bridge(.answerLost), in: .english)) }
            }
            running[id] = Running(task: task, question: question)
        }
    }

    /// Cancels the task of a call, which then ends by itself.
    func cancel(_ id: Int64) {
        running.withLock { $0[id] }?.task.cancel()
    }

    /// The question of a call; nil once the call has ended. No other call has the same one.
    func question(of id: Int64) -> Question? { running.withLock { $0[id]?.question } }

    /// How many calls are running.
    var count: Int { running.withLock { $0.count } }

    /// The last answer.
    private func message(_ operation: Int32, _ request: [UInt8], _ news: @escaping AppNewsSink) async -> [UInt8] {
        var request = AppRequest(request, to: self)
        do throws(Failure) {
            guard let operation = AppOperation(rawValue: operation) else { throw .bridge(.unknownOperation) }
            let work = try operation.work(&request)
            try request.end()
            return try await work(news).message(.done)
        } catch {
            return Self.failed(error, in: request.language)
        }
    }

    private static func failed(_ failure: Failure, in language: MessageLanguage) -> [UInt8] {
        var fields = BridgeWriter()
        fields.put(failure, in: language)
        return fields.message(.failed)
    }
}

#if canImport(CJNI)
extension AppCalls {
    /// The calls of this process's virtual machine.
    static let shared = AppCalls(
        system: JNISystem.shared,
        platform: { (look) async throws(Failure) in
            try await .android(
                over: JNISystem.shared, pinEntry: look.pinEntry, title: look.title, confirmsFaces: look.confirmsFaces)
        },
        answer: { JNISystem.send($0, 0, $1) })
}
#endif
