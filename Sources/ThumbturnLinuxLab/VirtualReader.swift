#if os(Linux)
import Dispatch
import Glibc

/// The other side of libfprint's `virtual_image` driver: what it is given here, fprintd sees as a press on the reader.
///
/// The driver listens only while a client of fprintd has claimed the device, and takes one connection at a time. Each call here is a
/// connection of its own that ends when the driver has read everything, so the next call always finds the door open.
public final class VirtualReader: Sendable {
    /// The socket in the file system.
    public let path: String
    private let queue = DispatchQueue(label: "thumbturn.lab.reader")

    init(path: String) {
        self.path = path
    }

    /// A finger comes, is scanned, and goes.
    public func present(_ image: FingerImage) async throws {
        try await send(Self.header(Int32(image.width), Int32(image.height)) + image.pixels)
    }

    /// The reader could not read the finger, and asks again. The codes of libfprint, and what fprintd makes of them:
    ///
    /// 0 `verify-retry-scan`, 1 `verify-swipe-too-short`, 2 `verify-finger-not-centered`, 3 `verify-remove-and-retry`; any other is
    /// `verify-retry-scan` as well (newer versions add 4 `verify-too-fast` and 5 `verify-different-area`).
    public func retry(_ code: Int32) async throws {
        try await send(Self.header(-1, code))
    }

    /// The reader fails, and the verification ends. The codes of libfprint, and what fprintd makes of them:
    ///
    /// 5 (protocol) `verify-disconnected`, 7 (print not found on the reader) `verify-no-match`, every other `verify-unknown-error`.
    public func fail(_ code: Int32) async throws {
        try await send(Self.header(-2, code))
    }

    /// Tells the driver that the finger has gone: a retry during enrolment waits for it.
    public func lift() async throws {
        try await send(Self.header(-4, 0))
    }

    /// Pulls the reader out. fprintd loses the device for good: restart it to have it back.
    public func unplug() async throws {
        try await send(Self.header(-5, 0))
    }

    /// What a press of a plan does, as far as it touches the reader.
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
    private static func header(_ first: Int32, _ second: Int32) -> [UInt8] {
        [first, second].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    }

    private func send(_ bytes: [UInt8]) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            queue.async { [path] in
                done.resume(with: Result { try Self.deliver(bytes, to: path) })
            }
        }
    }

    /// Writes it all, closes the writing half, and waits until the driver has read to the end and closes too.
    private static func deliver(_ bytes: [UInt8], to path: String) throws {
        let socket = try LocalSocket(connectingTo: path, patience: 5)
        try socket.write(bytes)
        try socket.finishWriting()
        guard try socket.read(upTo: 1).isEmpty else {
            throw LabError(.reader, "the virtual reader said something; it never does")
        }
    }
}
#endif
