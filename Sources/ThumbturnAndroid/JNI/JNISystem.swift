#if canImport(CJNI)
import CJNI

/// Android, reached through Java's `Bridge.begin` and `Bridge.answer`.
final class JNISystem: AndroidSystem {
    /// The one of this process: a process has one virtual machine.
    static let shared = JNISystem()

    let calls = OpenCalls()
    var executor: (any TaskExecutor)? { nil }

    func sleep(_ time: Duration) async throws { try await Task.sleep(for: time) }

    func begin(_ operation: AndroidOperation, _ request: [UInt8], id: Int64) -> AsyncStream<[UInt8]> {
        let answers = calls.open(id)
        if !Self.send(id, operation.rawValue, request) {
            calls.answer(id, AndroidThrown(chain: [.init(name: "thumbturn.bridge.upcall")]).message)
        }
        return answers
    }

    /// Calls `Bridge.begin`, which returns at once. False where no thread can be attached, or where it threw.
    static func send(_ id: Int64, _ operation: Int32, _ request: [UInt8]) -> Bool {
        unsafe request.withUnsafeBufferPointer { bytes in
            unsafe thumbturn_begin(id, operation, bytes.baseAddress, Int64(bytes.count)) == 0
        }
    }
}
#endif
