import Synchronization
import ThumbturnCore

/// An operation of the bridge to Java; the numbers are those of its contract.
enum AndroidOperation: Int32, CaseIterable, Sendable {
    case facts = 1
    case prompt = 2
    case cancel = 3
    case useHandle = 4
    case releaseHandle = 5
    case createKey = 6
    case keyExists = 7
    case probeKey = 8
    case publicKey = 9
    case deleteKey = 10
    case deleteKeys = 11
    case certificateChain = 12
    case phases = 13
    case signNow = 14
    case mac = 15
    case encryptNow = 16
    case decryptNow = 17
    case http = 18
    case wrap = 20
    case enterPIN = 21
    case choosePIN = 22
    case credentials = 23
}

/// Android, behind one function: a layer of Java that does single operations and decides nothing, or a test.
protocol AndroidSystem: Sendable {
    /// Begins an operation and returns at once. The stream has its answers as they came, and finishes after the last one.
    ///
    /// - Parameters:
    ///   - operation: what is to be done.
    ///   - request: the fields of the contract.
    ///   - id: names the operation in this process, for ``AndroidOperation/cancel``.
    func begin(_ operation: AndroidOperation, _ request: [UInt8], id: Int64) -> AsyncStream<[UInt8]>

    /// The executor of tasks that are not awaited; nil for the default. A virtual clock passes its own.
    var executor: (any TaskExecutor)? { get }

    /// Waits. A virtual clock passes its own.
    func sleep(_ time: Duration) async throws
}

/// The ids of operations: positive numbers, each used once. Java's own calls have negative ones.
enum AndroidCallID {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 { last.add(1, ordering: .relaxed).newValue }
}

/// One answer to an operation.
enum AndroidAnswer {
    /// The last answer, with the operation's fields.
    case done(BridgeReader)
    /// The last answer: what was thrown.
    case threw(AndroidThrown)
    /// More answers follow.
    case news(BridgeReader)

    init(_ message: [UInt8]) throws(BridgeReader.Malformed) {
        var reader = BridgeReader(message)
        switch try reader.number() {
        case 0: self = .done(reader)
        case 1:
            let chain = try reader.list { (reader) throws(BridgeReader.Malformed) in
                AndroidThrown.Link(
                    name: try reader.text(), code: Int(try reader.number()), isTransient: try reader.flag())
            }
            try reader.end()
            self = .threw(AndroidThrown(chain: chain))
        case 2: self = .news(reader)
        default: throw .type
        }
    }
}

extension AndroidSystem {
    /// Does an operation with one answer. A call that has begun is waited for, even where the caller is cancelled: what it
    /// changed must be known.
    func call<Value: Sendable>(
        _ operation: AndroidOperation, _ write: (inout BridgeWriter) -> Void = { _ in },
        _ read: @escaping @Sendable (inout BridgeReader) throws(BridgeReader.Malformed) -> Value
    ) async throws(AndroidThrown) -> Value {
        var request = BridgeWriter()
        write(&request)
        let answers = begin(operation, request.message, id: AndroidCallID.next())
        let result = await Task(executorPreference: executor) { () -> Result<Value, AndroidThrown> in
            for await message in answers {
                do throws(BridgeReader.Malformed) {
                    switch try AndroidAnswer(message) {
                    case .done(var reader):
                        let value = try read(&reader)
                        try reader.end()
                        return .success(value)
                    case .threw(let thrown): return .failure(thrown)
                    case .news: continue
                    }
                } catch {
                    return .failure(.malformed(error))
                }
            }
            return .failure(.silence)
        }.value
        return try result.get()
    }

    /// Does an operation without a result.
    func call(_ operation: AndroidOperation, _ write: (inout BridgeWriter) -> Void) async throws(AndroidThrown) {
        try await call(operation, write) { (_) throws(BridgeReader.Malformed) in }
    }

    /// Begins an operation whose answer says nothing.
    func tell(_ operation: AndroidOperation, _ number: Int64) {
        var request = BridgeWriter()
        request.put(number)
        _ = begin(operation, request.message, id: AndroidCallID.next())
    }
}
