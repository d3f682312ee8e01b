#if Server
import Foundation
import Synchronization
import ThumbturnCore
public import ThumbturnMessages

/// The step-up table in use. `reload` replaces it as a whole; a request reads it once and is judged by that table.
public final class StepUpPolicy: Sendable {
    private let table: Mutex<StepUpTable>
    private let file: String?

    /// Creates a policy from a table. `reload` does not change it.
    public init(_ table: StepUpTable = .standard) {
        self.table = Mutex(table)
        file = nil
    }

    /// Creates a policy from a file; see `docs/policy.md`. Throws `PolicyFileError` with the place of a mistake.
    public init(file: String) throws(PolicyFileError) {
        table = Mutex(try StepUpTable(file: file))
        self.file = file
    }

    /// The table in use now.
    public var current: StepUpTable { table.withLock { $0 } }

    /// Whether the policy was read from a file.
    public var isFromFile: Bool { file != nil }

    /// Reads the file again; without a file it does nothing. If it throws, the table stays as it was.
    public func reload() throws(PolicyFileError) {
        guard let file else { return }
        let fresh = try StepUpTable(file: file)
        table.withLock { $0 = fresh }
    }
}

extension StepUpTable {
    /// Reads a policy file: JSON, at most 64 KiB; see `docs/policy.md`.
    public init(file: String) throws(PolicyFileError) {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw PolicyFileError("\(file): cannot be read")
        }
        do throws(JSONError) {
            try self.init(json: Array(data))
        } catch {
            throw PolicyFileError("\(file): \(error.description)")
        }
    }
}

/// A mistake in a policy file.
public struct PolicyFileError: Error, CustomStringConvertible {
    /// The file, the place of the mistake in it, and the reason.
    public let description: String

    init(_ description: String) { self.description = description }
}
#endif
