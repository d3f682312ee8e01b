#if Tools
package import NIOCore
import NIOPosix

/// Requests that begin when the clock says so, whether or not earlier ones were answered: what people do to a server.
///
/// Everything runs on one event loop, over HTTP/1.1 connections that are kept alive, one request at a time on each. An arrival that
/// finds no free connection waits, and its latency counts from the time when it should have begun.
package final class OpenLoop: Sendable {
    /// What is asked, and how it goes on.
    package protocol Work: Sendable {
        /// The first request of an arrival; nil where it has to wait for another one to end.
        mutating func begin() -> (ticket: Int, request: ByteBuffer)?
        /// What follows an answer.
        mutating func answered(_ ticket: Int, _ answer: Answer) -> Next
        /// The connection broke.
        mutating func broke(_ ticket: Int)
    }

    package enum Next: Sendable {
        case request(ByteBuffer)
        case done
        case failed
    }

    /// An answer as it lies in the connection's memory.
    package struct Answer {
        package var status: Int
        package var nonce: ArraySlice<UInt8>
        package var body: ArraySlice<UInt8>
    }

    package struct Report: Sendable {
        /// From the scheduled beginning to the last answer, in nanoseconds, of those that were scheduled after the warm-up; sorted.
        package var latencies: [Int64] = []
        package var errors = 0
        package var sent = 0

        /// In milliseconds.
        package func quantile(_ quantile: Double) -> Double {
            guard !latencies.isEmpty else { return .infinity }
            let index = Int((Double(latencies.count) * quantile).rounded(.up)) - 1
            return Double(latencies[min(max(0, index), latencies.count - 1)]) / 1_000_000
        }
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let host: String
    private let port: Int
    private let connections: Int

    package init(host: String, port: Int, connections: Int) {
        self.host = host
        self.port = port
        self.connections = connections
    }

    /// Runs until the first answer.
    package func first(_ work: some Work) async throws -> Report {
        try await run(work, rate: nil, warmUp: .zero, duration: .milliseconds(1)).report
    }

    package func stop() async throws { try await group.shutdownGracefully() }

    /// Runs at a rate per second; without one as fast as the answers come.
    ///
    /// - Returns: what happened, and the work as it is now.
    package func run<W: Work>(
        _ work: W, rate: Double?, warmUp: Duration, duration: Duration
    ) async throws -> (report: Report, work: W) {
        let loop = group.next()
        let (host, port, connections) = (host, port, connections)
        let result = try await loop.flatSubmit {
            let run = Run(work, on: loop, rate: rate, warmUp: warmUp, duration: duration)
            return run.start(host: host, port: port, connections: connections)
        }.get()
        return result
    }
}

/// One run, on its event loop alone.
private final class Run<W: OpenLoop.Work> {
    private var work: W
    private let loop: any EventLoop
    private let interval: Int64?
    private let warmUp: Int64
    private let duration: Int64
    /// When what is measured begins, and when the last of it begins: set when all connections are open.
    private var counts: Int64 = 0
    private var ends: Int64 = 0
    private let done: EventLoopPromise<(report: OpenLoop.Report, work: W)>
    private var next: Int64 = 0
    private var waiting = CircularBuffer<Int64>(initialCapacity: 1024)
    private var idle: [Connection<W>] = []
    private var all: [Connection<W>] = []
    private var busy = 0
    private var report = OpenLoop.Report()

    init(_ work: W, on loop: any EventLoop, rate: Double?, warmUp: Duration, duration: Duration) {
        self.work = work
        self.loop = loop
        interval = rate.map { Int64(1_000_000_000 / $0) }
        self.warmUp = warmUp.nanoseconds
        self.duration = duration.nanoseconds
        done = loop.makePromise()
    }

    static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    func start(host: String, port: Int, connections: Int) -> EventLoopFuture<(report: OpenLoop.Report, work: W)> {
        let me = NIOLoopBound(self, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = Connection(me.value)
                    try channel.pipeline.syncOperations.addHandler(connection)
                    me.value.all.append(connection)
                }
            }
        let opened = (0..<connections).map { _ in bootstrap.connect(host: host, port: port).map { _ in } }
        EventLoopFuture.andAllSucceed(opened, on: loop).whenComplete { [loop] result in
            switch result {
            // The last connection hears that it is open right after this, not before.
            case .success: loop.execute { me.value.begin() }
            case .failure(let error): me.value.done.fail(error)
            }
        }
        return done.futureResult
    }

    private func begin() {
        idle = all
        next = Self.now
        counts = next + warmUp
        ends = counts + duration
        tick()
    }

    /// Begins what is due, every millisecond.
    private func tick() {
        let now = Self.now
        if let interval {
            while next <= now, next < ends {
                waiting.append(next)
                next += interval
            }
        }
        serve(now)
        // Those that were under way have five seconds to end.
        if now >= ends, (busy == 0 && (waiting.isEmpty || interval == nil)) || now >= ends + 5_000_000_000 {
            return finish()
        }
        let me = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(1)) { me.value.tick() }
    }

    private func serve(_ now: Int64) {
        while !idle.isEmpty {
            if interval == nil {
                guard now < ends else { return }
            } else if waiting.isEmpty {
                return
            }
            guard let (ticket, request) = work.begin() else { return }
            let scheduled = interval == nil ? now : waiting.removeFirst()
            busy += 1
            if scheduled >= counts { report.sent += 1 }
            idle.removeLast().send(request, ticket: ticket, scheduled: scheduled)
        }
    }

    func answered(_ connection: Connection<W>, _ ticket: Int, scheduled: Int64, _ answer: OpenLoop.Answer) {
        switch work.answered(ticket, answer) {
        case .request(let request): return connection.send(request, ticket: ticket, scheduled: scheduled)
        case .failed: if scheduled >= counts { report.errors += 1 }
        case .done: if scheduled >= counts { report.latencies.append(Self.now - scheduled) }
        }
        busy -= 1
        idle.append(connection)
        serve(Self.now)
    }

    func broke(_ ticket: Int?, scheduled: Int64) {
        guard let ticket else { return }
        busy -= 1
        work.broke(ticket)
        if scheduled >= counts { report.errors += 1 }
    }

    private func finish() {
        // What nobody got to is as good as an error.
        report.errors += waiting.count + busy
        report.latencies.sort()
        for connection in all { connection.close() }
        done.succeed((report, work))
    }
}

/// A connection: writes a request, and reads its answer, of which it knows as much of HTTP/1.1 as our server speaks.
private final class Connection<W: OpenLoop.Work>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let run: Run<W>
    private var context: ChannelHandlerContext?
    private var received: [UInt8] = []
    private var current: (ticket: Int, scheduled: Int64)?

    init(_ run: Run<W>) {
        self.run = run
        received.reserveCapacity(4096)
    }

    func channelActive(context: ChannelHandlerContext) { self.context = context }
    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        run.broke(current?.ticket, scheduled: current?.scheduled ?? 0)
        current = nil
    }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func send(_ request: ByteBuffer, ticket: Int, scheduled: Int64) {
        guard let context else { return run.broke(ticket, scheduled: scheduled) }
        current = (ticket, scheduled)
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func close() {
        current = nil
        context?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        guard let head = HTTPHead(received), received.count >= head.body + head.length, let (ticket, scheduled) = current
        else { return }
        let answer = OpenLoop.Answer(
            status: head.status, nonce: received[head.nonce], body: received[head.body..<(head.body + head.length)]
        )
        current = nil
        run.answered(self, ticket, scheduled: scheduled, answer)
        received.removeAll(keepingCapacity: true)
    }
}

/// The head of an answer: where its parts lie.
private struct HTTPHead {
    var status: Int
    var nonce = 0..<0
    var length = 0
    var body: Int

    init?(_ bytes: [UInt8]) {
        guard bytes.count > 16 else { return nil }
        status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
        var line = 0
        while let end = bytes[line...].firstIndex(of: 13) {
            if end == line {
                body = end + 2
                return
            }
            let text = bytes[line..<end]
            if Self.starts(text, with: Self.nonceName) {
                nonce = (line + Self.nonceName.count)..<end
            } else if Self.starts(text, with: Self.lengthName) {
                length = text.dropFirst(Self.lengthName.count).reduce(0) { $0 * 10 + Int($1) - 48 }
            }
            line = end + 2
            if line >= bytes.count { return nil }
        }
        return nil
    }

    private static func starts(_ line: ArraySlice<UInt8>, with name: [UInt8]) -> Bool {
        line.count >= name.count && zip(line, name).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    private static let nonceName = Array("dpop-nonce: ".utf8)
    private static let lengthName = Array("content-length: ".utf8)
}

extension OpenLoop.Answer {
    /// A member of the body that is a text without escapes.
    func text(_ name: String) -> ArraySlice<UInt8>? {
        let key = Array("\"\(name)\":\"".utf8)
        var at = body.startIndex
        while let quote = body[at...].firstIndex(of: UInt8(ascii: "\"")) {
            if body[quote...].starts(with: key) {
                let start = quote + key.count
                return body[start...].firstIndex(of: UInt8(ascii: "\"")).map { body[start..<$0] }
            }
            at = quote + 1
        }
        return nil
    }
}

extension Duration {
    package var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
#endif
