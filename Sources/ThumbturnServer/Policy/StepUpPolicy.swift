#if Server
import Crypto
import Foundation
import Synchronization
import ThumbturnCore
public import ThumbturnMessages

/// The step-up table in use. `reload` replaces it as a whole; a request reads it once and is judged by that table.
public final class StepUpPolicy: Sendable {
    private let table: Mutex<(current: StepUpTable, digest: String?)>
    private let file: String?

    /// Creates a policy from a table. `reload` does not change it.
    public init(_ table: StepUpTable = .standard) {
        self.table = Mutex((table, nil))
        file = nil
    }

    /// Creates a policy from a file; see `docs/policy.md`. Throws `PolicyFileError` with the place of a mistake.
    public init(file: String) throws(PolicyFileError) {
        table = Mutex(try Self.read(file))
        self.file = file
    }

    /// The table in use now.
    public var current: StepUpTable { table.withLock { $0.current } }

    /// Base64url SHA-256 of the file that the table in use was read from; nil without a file.
    var digest: String? { table.withLock { $0.digest } }

    /// Whether the policy was read from a file.
    public var isFromFile: Bool { file != nil }

    /// Reads the file again; without a file it does nothing. If it throws, also for a lower version, the table stays as it was.
    public func reload() throws(PolicyFileError) {
        guard let file else { return }
        let fresh = try Self.read(file)
        try PolicyFileError.check(version: fresh.current.version, after: current.version, of: file)
        table.withLock { $0 = fresh }
    }

    private static func read(_ file: String) throws(PolicyFileError) -> (current: StepUpTable, digest: String?) {
        let bytes = try StepUpTable.bytes(of: file)
        return (try StepUpTable(bytes, of: file), Base64URL.encode(SHA256.hash(data: bytes)))
    }
}

extension StepUpTable {
    /// Reads a policy file: JSON, at most 64 KiB; see `docs/policy.md`.
    public init(file: String) throws(PolicyFileError) { try self.init(Self.bytes(of: file), of: file) }

    fileprivate static func bytes(of file: String) throws(PolicyFileError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw PolicyFileError("\(file): cannot be read")
        }
        return Array(data)
    }

    fileprivate init(_ bytes: [UInt8], of file: String) throws(PolicyFileError) {
        do throws(JSONError) {
            try self.init(json: bytes)
        } catch {
            throw PolicyFileError("\(file): \(error.description)")
        }
        try PolicyFileError.check(version: version, of: file)
    }
}
#endif
