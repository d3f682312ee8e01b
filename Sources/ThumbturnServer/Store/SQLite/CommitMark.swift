#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation

/// Two small files beside the database that tell a database of yesterday from today's.
///
/// `….mark` holds the number of the last commit. It is written after each one and not synced, so it may be behind the database, and never
/// ahead: if it is, an older database was put in its place. `….place` is never written, and no copy of it is the same file: if it is
/// another one than the database remembers, the whole folder is a copy.
///
/// The mark is read, and made where there is none, within a transaction that writes. No other process can commit meanwhile, nor open the
/// database for the first time; otherwise one could find the database that another has just made, and no mark beside it yet.
final class CommitMark: Sendable {
    private let path: String
    private let descriptor: Int32
    /// Which file the place is, among all there are.
    let place: String

    /// Opens both files beside a database, and makes what is missing. An empty mark is none.
    init(beside database: String) throws(SetupError) {
        path = database + ".mark"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path) }
        place = try Self.place(database + ".place")
    }

    deinit { close(descriptor) }

    /// The number that the mark holds now; nil where there is none that could be read.
    func read() -> Int64? {
        // A process that has just committed may be writing: then the halves differ, for a moment.
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

    /// Notes a commit that has returned.
    func record(_ number: Int64) {
        let text = String(number)
        let half = Array((String(repeating: "0", count: max(0, Self.width - text.count)) + text).utf8)
        // A mark that could not be written is behind, as after a crash.
        _ = unsafe (half + half).withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Notes a number that a power failure must not take away: whatever comes later is behind it then.
    func make(_ number: Int64) throws(SetupError) {
        record(number)
        // Another process may have noted a later one since.
        guard fsync(descriptor) == 0, let written = read(), written >= number else { throw .unwritable(path) }
    }

    /// The file's number and the time at which its entry was last changed, which no tool can set.
    private static func place(_ path: String) throws(SetupError) -> String {
        let file = unsafe open(path, O_RDONLY | O_CREAT | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(path) }
        close(file)
        // Foundation says "creation", and on Linux it means the change of the entry.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let number = attributes[.systemFileNumber] as? Int, let date = attributes[.creationDate] as? Date
        else { throw .unreadable(path) }
        return "\(number) \(date.timeIntervalSince1970)"
    }

    /// The number stands there twice, each time in so many digits.
    private static let width = 19
}
#endif
