public import ThumbturnCore
import ThumbturnHost
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The port to where reports wait for a server over a restart: one record of some 300 KiB at most.
public protocol TelemetryStore: Sendable {
    /// Reads the record; nil where there is none.
    func read() async throws(Failure) -> [UInt8]?

    /// Stores the record in the place of an earlier one, as a whole: after a crash there is the old one or the new one.
    func write(_ record: [UInt8]) async throws(Failure)

    /// Deletes the record. It is gone when this returns; one that is not there is no failure.
    func delete() async throws(Failure)
}

/// The record as a file that only its owner can read.
public struct TelemetryFile: TelemetryStore {
    private let files: PrivateFiles
    private static let name = "telemetry"

    /// Names a folder, which is made with mode 0700 where it does not exist.
    ///
    /// - Parameter folder: no other process uses it; an app's extension has one of its own. A folder in the app's caches is in
    ///   no backup.
    public init(in folder: URL) { files = PrivateFiles(folder: folder.path) }

    public func read() throws(Failure) -> [UInt8]? { try files.read(Self.name) }
    public func write(_ record: [UInt8]) throws(Failure) { try files.write(record, to: Self.name) }

    public func delete() throws(Failure) { try files.delete(Self.name) }
}
