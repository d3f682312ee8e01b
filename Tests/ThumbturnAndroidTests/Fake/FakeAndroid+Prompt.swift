import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

extension FakeAndroid {
    /// One prompt, whose key begins its operation first.
    func beginPrompt(_ reader: inout BridgeReader, _ id: Int64, _ mailbox: AsyncStream<[UInt8]>.Continuation) throws {
        var asked = Asked(
            rung: try reader.number(), title: try reader.text(), text: try reader.optionalText(),
            button: try reader.optionalText(), alias: try reader.optionalText(), use: try reader.number(), isConfirmed: false)
        let initialisation = try reader.optionalBytes()
        precondition(initialisation == nil, "no operation of ours has an IV")
        asked.isConfirmed = try reader.flag()
        try reader.end()
        try show(asked, id, mailbox)
    }

    private func show(_ asked: Asked, _ id: Int64, _ mailbox: AsyncStream<[UInt8]>.Continuation) throws {
        check(asked)
        state.withLock { $0.asked.append(asked) }
        if let alias = asked.alias { _ = try usable(alias) }
        let manner = state.withLock { $0.prompts.isEmpty ? .ordinary : $0.prompts.removeFirst() }
        if case .threw(let thrown) = manner { throw thrown }
        if case .silent = manner { return }
        let (dismissals, dismissed) = AsyncStream.makeStream(of: Void.self)
        let prompt = Task(executorPreference: executor) {
            let last = await self.answer(manner, asked, dismissals) { news in mailbox.yield(news) }
            self.state.withLock { $0.running[id] = nil }
            mailbox.yield(last)
            mailbox.finish()
        }
        state.withLock {
            $0.running[id] = {
                dismissed.yield()
                if case .stubborn = manner { return }
                prompt.cancel()
            }
        }
    }

    /// The rules of the framework's own builder: what breaks them throws on a phone.
    private func check(_ asked: Asked) {
        precondition(!asked.title.isEmpty, "a prompt has a title")
        precondition(
            (asked.button != nil) == (asked.rung == 1), "a negative button is required, and forbidden with the credential")
        precondition(asked.rung == 1 || level >= 30, "no prompt asks for the credential alone before API 30")
        precondition((asked.alias == nil) == (asked.use == 0), "an object for a key, and only then")
    }

    private func answer(
        _ manner: PromptManner, _ asked: Asked, _ dismissals: AsyncStream<Void>, _ tell: @escaping @Sendable ([UInt8]) -> Void
    ) async -> [UInt8] {
        switch manner {
        case .error(let code): return error(code)
        case .garbage(let bytes): return bytes
        case .help(let codes): for code in codes { tell(help(code)) }
        case .mismatchThenError(let code):
            tell(failedAttempt)
            return error(code)
        case .mismatchThenMatch:
            tell(failedAttempt)
            return succeeded(asked)
        case .ordinary, .stubborn, .silent, .threw: break
        }
        let rung: Rung = asked.rung == 1 ? .biometric : .devicePasscode
        let request = PromptRequest(
            rung: rung, reason: asked.text ?? asked.title, cancelButton: .cancel,
            key: KeyName(server: "", account: "", kind: rung.key ?? .passcode), message: [])
        let answer = await phone.platform(transport: server).sensor.prompt(request) { news in
            switch news {
            case .readPoorly(let reading): tell(self.help(Self.code(of: reading)))
            case .mismatched: tell(self.failedAttempt)
            case .appeared: break
            }
        }
        switch answer {
        case .matched: return succeeded(asked)
        case .notMatched:
            // A wrong credential: the system's prompt stays up, until it is dismissed.
            tell(failedAttempt)
            for await _ in dismissals { break }
            return error(5)
        case .failed(let failure):
            let other: Int64? = state.withLock { state in
                defer { state.nextRefusal = nil }
                return state.nextRefusal
            }
            return error(other ?? Int64(failure.status?.code ?? (failure.code == .notYetReadable ? 1 : 5)))
        }
    }

    private func succeeded(_ asked: Asked) -> [UInt8] {
        let handle: Int64 = state.withLock { state in
            guard let alias = asked.alias else { return 0 }
            state.lastHandle += 1
            state.handles[state.lastHandle] = FakeHandle(alias: alias, use: asked.use)
            return state.lastHandle
        }
        return message(0, 1, asked.rung == 1 ? 2 : 1, handle, null: true)
    }

    private func error(_ code: Int64) -> [UInt8] { message(0, 2, code) }
    private func help(_ code: Int64) -> [UInt8] { message(2, 1, code) }
    private var failedAttempt: [UInt8] { message(2, 2) }

    private func message(_ numbers: Int64..., null: Bool = false) -> [UInt8] {
        var writer = BridgeWriter()
        for number in numbers { writer.put(number) }
        if null { writer.put(nil as [UInt8]?) }
        return writer.message
    }

    /// A code that a sensor for fingers gives for a reading.
    private static func code(of reading: PoorReading) -> Int64 {
        switch reading {
        case .tooShort: 5
        case .notCentered: 1
        case .removeAndRetry: 4
        case .tooPoor: 2
        }
    }
}
