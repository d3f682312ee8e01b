import Synchronization
package import ThumbturnCore

extension Ceremony {
    /// The ceremony in which the current task works, and the tasks that it starts; nil outside of one.
    @TaskLocal package static var current: Ceremony?

    private static let last = Atomic(0)

    /// Does the work of a ceremony and tells its begin and its end. Parts of one, such as the two prompts of an enrolment, are no
    /// ceremonies of their own.
    ///
    /// - Parameters:
    ///   - observe: hears of the begin and the end.
    ///   - work: what the ceremony does.
    /// - Returns: what the work returned.
    func told<Value>(
        to observe: @Sendable (UnlockNews) -> Void, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard Self.current != self else { return try await work() }
        let number = Self.last.add(1, ordering: .relaxed).newValue
        observe(.began(self, number))
        let result = await Self.$current.withValue(self) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        if case .failure(let failure) = result {
            observe(.ended(self, number, failure.code))
        } else {
            observe(.ended(self, number, nil))
        }
        return try result.get()
    }
}
