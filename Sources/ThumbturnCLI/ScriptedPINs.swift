#if Tools && os(Linux)
import Synchronization
import Thumbturn

/// A person who types what the story says.
final class ScriptedPINs: PINEntry {
    private let script = Mutex<[String]>([])

    func will(_ pins: String...) { script.withLock { $0 += pins } }
    func forget() { script.withLock { $0 = [] } }
    /// Whether this PIN was asked for since it was written into the script.
    func isAsked(with pin: String) -> Bool { script.withLock { $0.first != pin } }

    func enter(_ request: PINRequest) -> PINAnswer { next() }
    func choose() -> PINAnswer { next() }

    private func next() -> PINAnswer {
        let typed = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let pin = typed.flatMap(PIN.init) else { return .failed(Failure(.cancelledByUser)) }
        return .entered(pin)
    }
}
#endif
