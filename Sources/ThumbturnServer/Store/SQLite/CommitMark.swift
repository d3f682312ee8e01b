#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation

/// Two small files beside the database that show whether it was restored from a backup or copied.
///
/// `….mark` holds the number of the last commit. It is written after each commit and not synced, so it may be behind
/// the database but never ahead of it: if it is ahead, an older database has replaced the newer one. `….place` is never
/// written, and a copy of it is another file: if it is not the file that the database remembers, the whole folder is a
/// copy.
///
/// The mark is read, and made if there is none, within a writing transaction. No other process can commit in the
/// meantime, nor open the database for the first time; otherwise a process could find the database that another one has
/// just made, without a mark beside it.
final class CommitMark: Sendable {
    private let path: String
    private let descriptor: Int32
    /// The identity of the file `….place`.
    let place: String

    /// Opens both files beside a database, and creates what is missing. An empty mark counts as no mark.
    init(beside database: String) throws(SetupError) {
        path = database + ".mark"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path) }
        place = try Self.place(database + ".place")
    }

    deinit { close(descriptor) }

    /// The number in the mark; nil if there is none or it cannot be read.
    func read() -> Int64? {
        // While another process writes the mark after its commit, the two halves differ for a moment.
        for _ in 1...1000 {
            var bytes = [UInt8](repeating: 0, count: 2 * Self.width)
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
            guard count == bytes.count else { return nil }
            if bytes[..<Self.width] == bytes[Self.width...] {
                return Int64(String(decoding: bytes[..<Self.width], as: UTF8.self))
            }
        }
        return nil
    }

    /// Records a commit that has returned.
    func record(_ number: Int64) {
        let text = String(number)
        let half = Array((String(repeating: "0", count: max(0, Self.width - text.count)) + text).utf8)
        // A mark that could not be written is behind the database, as after a crash.
        _ = unsafe (half + half).withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Records a number and syncs it, so that a power failure cannot undo it.
    func make(_ number: Int64) throws(SetupError) {
        record(number)
        // Another process may have recorded a later number since.
        guard fsync(descriptor) == 0, let written = read(), written >= number else { throw .unwritable(path) }
    }

    /// The inode of a file and the time of its last status change, which no tool can set.
    private static func place(_ path: String) throws(SetupError) -> String {
        let file = unsafe open(path, O_RDONLY | O_CREAT | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(path) }
        close(file)
        // Foundation calls it the creation date; on Linux it is the time of the last status change.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let number = attributes[.systemFileNumber] as? Int, let date = attributes[.creationDate] as? Date
        else { throw .unreadable(path) }
        return "\(number) \(date.timeIntervalSince1970)"
    }

    /// The digits of the number, which the file holds twice.
    private static let width = 19
}
#endif
