#if os(Linux)
import Dispatch
import Glibc

/// A client of libfprint's `virtual_image` driver. fprintd sees each image that is sent here as a press on the reader.
///
/// The driver listens only while a client of fprintd has claimed the device, and takes one connection at a time. Each
/// call here is a connection of its own that ends when the driver has read everything, so the next call can connect.
public final class VirtualReader: Sendable {
    /// The path of the driver's socket.
    public let path: String
    private let queue = DispatchQueue(label: "thumbturn.lab.reader")

    init(path: String) {
        self.path = path
    }

    /// Presses a finger on the reader and lifts it again.
    public func present(_ image: FingerImage) async throws {
        try await send(Self.header(Int32(image.width), then: Int32(image.height)) + image.pixels)
    }

    /// Makes the reader ask for another try. libfprint's codes and fprintd's statuses for them:
    ///
    /// 0 `verify-retry-scan`, 1 `verify-swipe-too-short`, 2 `verify-finger-not-centered`, 3 `verify-remove-and-retry`;
    /// any other is `verify-retry-scan` as well (newer versions add 4 `verify-too-fast` and 5 `verify-different-area`).
    public func retry(_ code: Int32) async throws {
        try await send(Self.header(-1, then: code))
    }

    /// Makes the reader fail, which ends the verification. libfprint's codes and fprintd's statuses for them:
    ///
    /// 5 (protocol) `verify-disconnected`, 7 (print not found on the reader) `verify-no-match`, every other
    /// `verify-unknown-error`.
    public func fail(_ code: Int32) async throws {
        try await send(Self.header(-2, then: code))
    }

    /// Lifts the finger, for which a retry during enrolment waits.
    public func lift() async throws {
        try await send(Self.header(-4, then: 0))
    }

    /// Unplugs the reader. fprintd loses the device until it is restarted.
    public func unplug() async throws {
        try await send(Self.header(-5, then: 0))
    }

    /// Performs a press of a plan.
    public func perform(_ press: Press) async throws {
        switch press {
        case .finger(let finger, let n): try await present(finger.scan(n))
        case .image(let image): try await present(image)
        case .retry(let code): try await retry(code)
        case .fail(let code): try await fail(code)
        case .unplug: try await unplug()
        case .nothing: return
        }
    }

    /// Two signed 32-bit numbers, little endian: width and height, or a negative command and its argument.
    private static func header(_ first: Int32, then second: Int32) -> [UInt8] {
        [first, second].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    }

    private func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            queue.async { [path] in
                done.resume(with: Result { try Self.deliver(bytes, to: path) })
            }
        }
    }

    /// Writes all bytes, shuts down the writing half, and waits until the driver has read them and closed.
    private static func deliver(_ bytes: [UInt8], to path: String) throws {
        let socket = try LocalSocket(connectingTo: path, timeout: 5)
        try socket.write(bytes)
        try socket.finishWriting()
        guard try socket.read(upTo: 1).isEmpty else {
            throw LabError(.reader, "the virtual reader sent data, which is not part of its protocol")
        }
    }
}
#endif
