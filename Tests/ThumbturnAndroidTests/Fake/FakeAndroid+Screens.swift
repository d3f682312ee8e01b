import Synchronization
@testable import ThumbturnAndroid

extension FakeAndroid {
    /// What a person does on a screen of the app, or what the screen does.
    enum ScreenManner: Sendable {
        /// The fields of an answer after the outcome.
        case gives(@Sendable (inout BridgeWriter) -> Void)
        case cancels
        /// The screen stays until it is dismissed.
        case waits
        case throwing(String)
        case garbage([UInt8])

        static func digits(_ digits: String) -> ScreenManner { .gives { $0.put(digits) } }
    }

    /// A screen of the app that was shown.
    struct ScreenShown: Hashable, Sendable {
        var operation: AndroidOperation
        var number: Int64
        var texts: [String] = []
        var wrongInARow: Int64?
    }

    /// Sets what the next screens of the app do. A screen without a manner waits.
    func screens(_ manners: ScreenManner...) { state.withLock { $0.screens += manners } }

    func beginScreen(
        _ operation: AndroidOperation, _ reader: inout BridgeReader, _ id: Int64,
        _ mailbox: AsyncStream<[UInt8]>.Continuation
    ) throws {
        var shown = ScreenShown(operation: operation, number: try reader.number())
        if operation != .choosePIN { shown.texts = [try reader.text(), try reader.text()] }
        // What a sign-in is for, and since when an authentication counts.
        if operation == .credentials { shown.texts += [try reader.text(), try reader.optionalText() ?? ""] }
        if operation == .enterPIN { shown.wrongInARow = try reader.number() }
        try reader.end()
        let (screen, manner) = state.withLock { state in
            state.screensShown.append(shown)
            return (shown, state.screens.isEmpty ? .waits : state.screens.removeFirst())
        }
        precondition(screen.number > 0, "a screen has a number")
        switch manner {
        case .gives(let write): end(mailbox, 1, write)
        case .cancels: end(mailbox, 2)
        case .waits:
            state.withLock { state in
                state.running[id] = { [weak self] in
                    self?.end(mailbox, 2)
                }
            }
        case .throwing(let name):
            mailbox.yield(AndroidThrown(chain: [.init(name: name)]).message)
            mailbox.finish()
        case .garbage(let bytes):
            mailbox.yield(bytes)
            mailbox.finish()
        }
    }

    private func end(
        _ mailbox: AsyncStream<[UInt8]>.Continuation, _ outcome: Int64, _ write: (inout BridgeWriter) -> Void = { _ in }
    ) {
        var writer = BridgeWriter()
        writer.put(Int64(0))
        writer.put(outcome)
        write(&writer)
        mailbox.yield(writer.message)
        mailbox.finish()
    }
}
