public import Testing
public import ThumbturnCore

/// What the work failed with; nil where it did not.
public func failure(_ work: () async throws -> Void) async -> Failure? {
    do {
        try await work()
        return nil
    } catch {
        return error as? Failure
    }
}

/// Fails unless the work fails with this code.
public func expectFailure(
    _ code: Failure.Code, sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> Void
) async {
    let failed = await failure(work)
    #expect(failed?.code == code, sourceLocation: sourceLocation)
}
