import ThumbturnCore
import ThumbturnDevice

/// Whether the app is in front, inactive or in the background, from the lifecycle of its activities.
struct AndroidPhases: AppPhases {
    let system: any AndroidSystem

    func phases() -> AsyncStream<AppPhase> {
        let id = AndroidCallID.next()
        let answers = system.begin(.phases, [], id: id)
        let (phases, mailbox) = AsyncStream.makeStream(of: AppPhase.self)
        let listening = Task(executorPreference: system.executor) {
            for await message in answers {
                guard let phase = Self.phase(in: message) else { continue }
                mailbox.yield(phase)
            }
        }
        mailbox.onTermination = { [system] _ in
            listening.cancel()
            system.tell(.cancel, id)
        }
        return phases
    }

    /// The phase that a message tells; nil for another message.
    static func phase(in message: [UInt8]) -> AppPhase? {
        guard case .news(var reader)? = try? AndroidAnswer(message), let number = try? reader.number() else { return nil }
        return switch number {
        case 1: .front
        case 2: .inactive
        case 3: .back
        default: nil
        }
    }
}
