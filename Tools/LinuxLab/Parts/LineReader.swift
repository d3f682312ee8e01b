#if os(Linux)
import Foundation
import Glibc

/// Reads lines from a descriptor on a thread of its own. When the other end closes, it closes the descriptor.
enum LineReader {
    static func start(
        _ descriptor: Int32, take: @escaping @Sendable (String) -> Void, ended: @escaping @Sendable () -> Void = {}
    ) {
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 8192)
            while true {
                let n = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress!, $0.count) }
                if n < 0 && errno == EINTR { continue }
                guard n > 0 else { break }
                rest += buffer.prefix(n)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    take(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            close(descriptor)
            ended()
        }
    }
}
#endif
