#if Tools
import Foundation

/// A file of which no more is read than was asked for. Only regular files are opened: a link could lead anywhere, and a pipe
/// would never end.
struct BoundedFile {
    /// Why a file is not read.
    enum Trouble: Error, Hashable {
        case missing
        case notAFile
        case tooLarge
        case unreadable

        /// The reason as the end of a sentence.
        var words: String {
            switch self {
            case .missing: "is missing"
            case .notAFile: "is no regular file"
            case .tooLarge: "is larger than this command reads"
            case .unreadable: "cannot be read"
            }
        }
    }

    private let handle: FileHandle
    let size: Int

    init(_ path: String) throws(Trouble) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path) else { throw .missing }
        guard facts[.type] as? FileAttributeType == .typeRegular else { throw .notAFile }
        guard let handle = FileHandle(forReadingAtPath: path), let size = facts[.size] as? Int else { throw .unreadable }
        self.handle = handle
        self.size = size
    }

    /// A part of the file; nil where the file does not have all of it.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset,
            (try? handle.seek(toOffset: UInt64(offset))) != nil,
            let data = try? handle.read(upToCount: count)
        else { return count == 0 ? [] : nil }
        return data.count == count ? Array(data) : nil
    }

    /// The whole of a file that is no larger than the cap.
    static func read(_ path: String, atMost cap: Int) throws(Trouble) -> [UInt8] {
        let file = try BoundedFile(path)
        guard file.size <= cap else { throw .tooLarge }
        guard let bytes = file.bytes(at: 0, count: file.size) else { throw .unreadable }
        return bytes
    }
}

extension Collection<UInt8> {
    /// The bytes as a number, the first one the highest; nil for more than eight.
    var bigEndian: UInt64? { count <= 8 ? reduce(0) { $0 << 8 | UInt64($1) } : nil }
}
#endif
