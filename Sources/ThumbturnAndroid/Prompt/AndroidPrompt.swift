import ThumbturnCore

/// One prompt of the system, from the request to its end.
struct AndroidPrompt: Sendable {
    /// What the prompt asks for; the numbers are those of the contract.
    enum Demand: Int64 {
        case biometric = 1
        case credential = 2
    }

    var demand: Demand
    var title: String
    /// The text below the title; nil where the title says everything.
    var text: String?
    /// The text of the negative button, which a prompt for the credential does not have.
    var button: String?
    /// The key that is authorised for one use; nil for none.
    var key: AndroidPresence.Purpose?
    /// Whether a face has to be confirmed by a tap.
    var isConfirmed: Bool

    /// How the prompt ended.
    enum End: Sendable {
        /// The person matched; nil where no key was asked for.
        case succeeded(AndroidPresence?)
        /// `onAuthenticationError` with its code.
        case error(Int)
        /// No prompt was shown, or the answer broke the contract.
        case threw(AndroidThrown)
        /// The prompt was dismissed, and the system has not told its end.
        case silent
    }

    /// What the prompt tells before its end.
    enum News: Sendable {
        case help(Int)
        case mismatch
    }

    /// How long to wait for the end of a prompt that was dismissed. The bridge answers for a silent system after 2 s.
    static let patience = Duration.seconds(3)

    /// Shows the prompt, and waits for its end. A cancellation of the task dismisses it; a mismatch does not.
    func show(in keystore: Keystore, hearing: @escaping @Sendable (News) -> Void) async -> End {
        let (id, system) = (AndroidCallID.next(), keystore.system)
        let answers = system.begin(.prompt, request, id: id)
        let (ends, mailbox) = AsyncStream.makeStream(of: End.self)
        // Heard until the last answer, also when it comes too late: a match after the caller has gone on is given back.
        Task(executorPreference: system.executor) {
            for await message in answers {
                switch read(message, in: keystore) {
                case .news(let news): hearing(news)
                case .end(let end): mailbox.yield(end)
                }
            }
            mailbox.yield(.threw(.silence))
        }
        // The end is waited for in a task of its own: a cancelled task hears nothing more from a stream.
        let first = Task(executorPreference: system.executor) {
            for await end in ends { return end }
            return End.silent
        }
        return await withTaskCancellationHandler {
            await first.value
        } onCancel: {
            Task(executorPreference: system.executor) {
                system.tell(.cancel, id)
                try? await system.sleep(Self.patience)
                mailbox.yield(.silent)
            }
        }
    }

    private var request: [UInt8] {
        var request = BridgeWriter()
        request.put(demand.rawValue)
        request.put(title)
        request.put(text)
        request.put(button)
        request.put(key?.alias)
        request.put(key?.kind.use.rawValue ?? 0)
        request.put(nil as [UInt8]?)
        request.put(isConfirmed)
        return request.message
    }

    private enum Heard {
        case news(News)
        case end(End)
    }

    private func read(_ message: [UInt8], in keystore: Keystore) -> Heard {
        do throws(BridgeReader.Malformed) {
            switch try AndroidAnswer(message) {
            case .threw(let thrown): return .end(.threw(thrown))
            case .done(var reader): return .end(try end(&reader, in: keystore))
            case .news(var reader):
                let news: News
                switch try reader.number() {
                case 1: news = .help(Int(try reader.number()))
                case 2: news = .mismatch
                default: throw .type
                }
                try reader.end()
                return .news(news)
            }
        } catch {
            return .end(.threw(.malformed(error)))
        }
    }

    private func end(_ reader: inout BridgeReader, in keystore: Keystore) throws(BridgeReader.Malformed) -> End {
        switch try reader.number() {
        case 1:
            // The type of authentication is the system's word; what the key accepts is enforced by the hardware.
            _ = try reader.number()
            let handle = try reader.number()
            // What follows may break the contract: then the handle is given back.
            let presence = key.flatMap { handle == 0 ? nil : AndroidPresence(handle, for: $0, in: keystore) }
            _ = try reader.optionalBytes()
            try reader.end()
            guard (key == nil) == (presence == nil) else { throw .type }
            return .succeeded(presence)
        case 2:
            let code = Int(try reader.number())
            try reader.end()
            return .error(code)
        default: throw .type
        }
    }
}
