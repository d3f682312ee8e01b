import Synchronization
package import ThumbturnCore

extension AskKind {
    /// The ceremony in which the current task works, and the tasks that it starts; nil outside of one.
    @TaskLocal package static var current: AskKind?

    private static let last = Atomic(0)

    /// Does the work of a ceremony, and tells its begin and its end.
    ///
    /// - Parameters:
    ///   - observe: hears of the begin and the end; nil for a part of a ceremony that is told as a whole.
    ///   - work: what the ceremony does.
    /// - Returns: what the work returned.
    func told<Value>(
        to observe: (@Sendable (UnlockNews) -> Void)?, _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let observe else { return try await work() }
        let number = Self.last.add(1, ordering: .relaxed).newValue
        observe(.began(self, number: number))
        let result = await Self.$current.withValue(self) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        var code: Failure.Code?
        if case .failure(let failure) = result { code = failure.code }
        observe(.ended(self, number: number, code))
        return try result.get()
    }
}
