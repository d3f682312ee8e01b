#if Tools
package import NIOCore
import NIOPosix

/// A load generator whose requests begin at scheduled times, whether or not earlier ones are answered, as those of many
/// people do.
///
/// It runs on one event loop with persistent HTTP/1.1 connections, each with one request at a time. A scheduled
/// operation that finds no free connection waits, and its latency counts from its scheduled time.
package final class OpenLoop: Sendable {
    /// A kind of operation, which consists of one or more requests.
    package protocol Work: Sendable {
        /// The first request of a new operation; nil if it has to wait for another one to end.
        mutating func begin() -> (ticket: Int, request: ByteBuffer)?
        /// Handles an answer and returns the next step of its operation.
        mutating func answered(_ ticket: Int, _ answer: Answer) -> Next
        /// Handles the end of an operation's connection.
        mutating func connectionLost(_ ticket: Int)
    }

    /// The next step of an operation.
    package enum Next: Sendable {
        case request(ByteBuffer)
        case done
        case failed
    }

    /// An answer, as slices of the connection's buffer.
    package struct Answer {
        package var status: Int
        package var nonce: ArraySlice<UInt8>
        package var body: ArraySlice<UInt8>
    }

    /// The results of one run.
    package struct Report: Sendable {
        /// The sorted times from the scheduled start to the last answer in nanoseconds, of the operations after the
        /// warm-up.
        package var latencies: [Int64] = []
        package var errors = 0
        package var sent = 0

        /// A quantile of the latencies in milliseconds.
        package func quantile(_ quantile: Double) -> Double {
            guard !latencies.isEmpty else { return .infinity }
            let index = Int((Double(latencies.count) * quantile).rounded(.up)) - 1
            return Double(latencies[min(max(0, index), latencies.count - 1)]) / 1_000_000
        }
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let host: String
    private let ports: [Int]
    private let connections: Int

    /// - Parameter ports: those of one server or of several, to which the connections are dealt in turn.
    package init(host: String, ports: [Int], connections: Int) {
        self.host = host
        self.ports = ports
        self.connections = connections
    }

    /// Runs until the first answer.
    package func runUntilFirstAnswer(_ work: some Work) async throws -> Report {
        try await run(work, rate: nil, warmUp: .zero, duration: .milliseconds(1)).report
    }

    package func stop() async throws { try await group.shutdownGracefully() }

    /// Runs at a rate per second. Without a rate each connection starts its next operation when it has finished one.
    ///
    /// - Returns: the results, and the work in its final state.
    package func run<W: Work>(
        _ work: W, rate: Double?, warmUp: Duration, duration: Duration
    ) async throws -> (report: Report, work: W) {
        let loop = group.next()
        let (host, ports) = (host, (0..<connections).map { self.ports[$0 % self.ports.count] })
        let result = try await loop.flatSubmit {
            let run = Run(work, on: loop, rate: rate, warmUp: warmUp, duration: duration)
            return run.start(host: host, ports: ports)
        }.get()
        return result
    }
}

/// One run. It must be used only on its event loop.
private final class Run<W: OpenLoop.Work> {
    private var work: W
    private let loop: any EventLoop
    private let interval: Int64?
    private let warmUp: Int64
    private let duration: Int64
    /// The start and end of the measured time. They are set when all connections are open.
    private var measuredFrom: Int64 = 0
    private var measuredUntil: Int64 = 0
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

    func start(host: String, ports: [Int]) -> EventLoopFuture<(report: OpenLoop.Report, work: W)> {
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
        let opened = ports.map { bootstrap.connect(host: host, port: $0).map { _ in } }
        EventLoopFuture.andAllSucceed(opened, on: loop).whenComplete { [loop] result in
            switch result {
            // The handler of the last connection becomes active right after this callback.
            case .success: loop.execute { me.value.begin() }
            case .failure(let error): me.value.done.fail(error)
            }
        }
        return done.futureResult
    }

    private func begin() {
        idle = all
        next = Self.now
        measuredFrom = next + warmUp
        measuredUntil = measuredFrom + duration
        tick()
    }

    /// Begins the operations that are due. It is called every millisecond.
    private func tick() {
        let now = Self.now
        if let interval {
            while next <= now, next < measuredUntil {
                waiting.append(next)
                next += interval
            }
        }
        serve(now)
        // Running operations have five seconds to end.
        if now >= measuredUntil, (busy == 0 && (waiting.isEmpty || interval == nil)) || now >= measuredUntil + 5_000_000_000 {
            return finish()
        }
        let me = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(1)) { me.value.tick() }
    }

    private func serve(_ now: Int64) {
        while !idle.isEmpty {
            if interval == nil {
                guard now < measuredUntil else { return }
            } else if waiting.isEmpty {
                return
            }
            guard let (ticket, request) = work.begin() else { return }
            let scheduled = interval == nil ? now : waiting.removeFirst()
            busy += 1
            if scheduled >= measuredFrom { report.sent += 1 }
            idle.removeLast().send(request, ticket: ticket, scheduled: scheduled)
        }
    }

    func answered(_ connection: Connection<W>, _ ticket: Int, scheduled: Int64, _ answer: OpenLoop.Answer) {
        switch work.answered(ticket, answer) {
        case .request(let request): return connection.send(request, ticket: ticket, scheduled: scheduled)
        case .failed: if scheduled >= measuredFrom { report.errors += 1 }
        case .done: if scheduled >= measuredFrom { report.latencies.append(Self.now - scheduled) }
        }
        busy -= 1
        idle.append(connection)
        serve(Self.now)
    }

    func connectionLost(_ ticket: Int?, scheduled: Int64) {
        guard let ticket else { return }
        busy -= 1
        work.connectionLost(ticket)
        if scheduled >= measuredFrom { report.errors += 1 }
    }

    private func finish() {
        // Operations that are waiting or running now count as errors.
        report.errors += waiting.count + busy
        report.latencies.sort()
        for connection in all { connection.close() }
        done.succeed((report, work))
    }
}

/// A connection that writes a request and reads its answer. It supports the part of HTTP/1.1 that our server uses.
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
        run.connectionLost(current?.ticket, scheduled: current?.scheduled ?? 0)
        current = nil
    }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func send(_ request: ByteBuffer, ticket: Int, scheduled: Int64) {
        guard let context else { return run.connectionLost(ticket, scheduled: scheduled) }
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

/// The status and the positions of the parts of an answer.
struct HTTPHead {
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
    /// The value of a string member of the JSON body. It must have no escapes.
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
