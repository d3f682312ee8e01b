#if Tools && os(Linux)
import Synchronization
import Thumbturn

/// A PIN entry that answers with the PINs of a script.
final class ScriptedPINs: PINEntry {
    private let script = Mutex<[String]>([])

    func enqueue(_ pins: String...) { script.withLock { $0 += pins } }
    func removeAll() { script.withLock { $0 = [] } }
    /// Whether this PIN is no longer the next one of the script.
    func hasUsed(_ pin: String) -> Bool { script.withLock { $0.first != pin } }

    func enter(_ request: PINRequest) -> PINAnswer { next() }
    func choose() -> PINAnswer { next() }

    private func next() -> PINAnswer {
        let next = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let pin = next.flatMap(PIN.init) else { return .failed(Failure(.cancelledByUser)) }
        return .entered(pin)
    }
}
#endif
