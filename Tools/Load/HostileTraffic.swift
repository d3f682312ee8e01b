#if Tools
import NIOCore
import NIOPosix

/// Attackers on connections of their own: a `HostileMixture` at a rate, and bodies that are sent one byte each second.
///
/// On Linux they come from addresses of their own (127.0.1.1 and on), so that what the server does to an attacker's
/// address does not touch the honest load, which comes from 127.0.0.1.
package final class HostileTraffic: Sendable {
    /// What the attackers got.
    package struct Report: Sendable, Encodable {
        /// Requests that were sent, without the slow bodies.
        package var sent = 0
        /// Answers by their status.
        package var answers: [Int: Int] = [:]
        /// Requests whose connection was closed without an answer.
        package var closed = 0
        /// Requests that had no answer after ten seconds.
        package var unanswered = 0
        /// The most slow bodies that were open at once.
        package var slow_bodies = 0
        /// Slow bodies that the server ended.
        package var slow_bodies_ended = 0
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let port: Int
    private let connections: Int
    private let slowBodies: Int

    /// - Parameters:
    ///   - port: the server's port on this machine.
    ///   - connections: the connections of the mixture.
    ///   - slowBodies: the connections with a slow body.
    package init(port: Int, connections: Int, slowBodies: Int) {
        self.port = port
        self.connections = connections
        self.slowBodies = slowBodies
    }

    /// Attacks for a time.
    ///
    /// - Parameter rate: the requests per second; one that finds no free connection is dropped.
    package func run(_ mixture: HostileMixture, rate: Double, for duration: Duration) async throws -> Report {
        let loop = group.next()
        let (port, connections, slowBodies) = (port, connections, slowBodies)
        return try await loop.flatSubmit {
            let attack = Attack(mixture, on: loop, port: port, rate: rate, duration: duration)
            return attack.start(connections: connections, slowBodies: slowBodies)
        }.get()
    }

    package func stop() async throws { try await group.shutdownGracefully() }
}

/// One attack. It must be used only on its event loop.
private final class Attack {
    private var mixture: HostileMixture
    private let loop: any EventLoop
    private let port: Int
    private let interval: Int64
    private let until: Int64
    private var next: Int64
    private var secondEnds: Int64
    private var idle: [Attacker] = []
    private var busy: [Attacker] = []
    private var slow: [SlowSender] = []
    /// Slow senders that are wanted, open or not, and those that are being connected.
    private var wantedSlow = 0
    private var openingSlow = 0
    private var openedSlow = 0
    private var ticks = 0
    private var opened = 0
    private var isOver = false
    private var report = HostileTraffic.Report()
    private let done: EventLoopPromise<HostileTraffic.Report>

    init(_ mixture: HostileMixture, on loop: any EventLoop, port: Int, rate: Double, duration: Duration) {
        self.mixture = mixture
        self.loop = loop
        self.port = port
        interval = max(1, Int64(1_000_000_000 / rate))
        next = Self.now
        until = next + duration.nanoseconds
        secondEnds = next + Self.second
        done = loop.makePromise()
    }

    private static let second: Int64 = 1_000_000_000
    private static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    func start(connections: Int, slowBodies: Int) -> EventLoopFuture<HostileTraffic.Report> {
        wantedSlow = slowBodies
        for _ in 0..<connections { open() }
        tick()
        return done.futureResult
    }

    /// Sends the requests that are due. It is called every millisecond.
    private func tick() {
        let now = Self.now
        guard now < until else { return finish() }
        while next <= now {
            next += interval
            guard let attacker = idle.popLast() else { continue }
            let (kind, request) = mixture.next()
            report.sent += 1
            busy.append(attacker)
            attacker.send(request, kind, at: now)
        }
        for _ in 0..<min(mayOpenSlow(), max(0, wantedSlow - slow.count - openingSlow)) { openSlow() }
        if now >= secondEnds {
            secondEnds = now + Self.second
            for sender in slow { sender.drip() }
            for attacker in busy where attacker.sentAt < now - 10 * Self.second {
                report.unanswered += 1
                attacker.giveUp()
            }
        }
        let me = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(1)) { me.value.tick() }
    }

    /// The slow senders that may be connected in this millisecond: a few at first, so that the server's queue of new
    /// connections does not overflow, and then one now and then in place of one that the server has ended.
    private func mayOpenSlow() -> Int {
        ticks += 1
        return openedSlow < wantedSlow ? 5 : ticks.isMultiple(of: 10) ? 1 : 0
    }

    private func finish() {
        isOver = true
        for attacker in idle + busy { attacker.close() }
        for sender in slow { sender.close() }
        done.succeed(report)
    }

    // MARK: Connections

    private func open() {
        let me = NIOLoopBound(self, eventLoop: loop)
        connect { try $0.pipeline.syncOperations.addHandler(Attacker(me.value)) }.whenFailure { _ in me.value.reopen() }
    }

    /// Opens another connection of the mixture a little later: a server may close connections as soon as they are open.
    private func reopen() {
        let me = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .milliseconds(50)) { if !me.value.isOver { me.value.open() } }
    }

    private func openSlow() {
        openingSlow += 1
        openedSlow += 1
        let me = NIOLoopBound(self, eventLoop: loop)
        connect { try $0.pipeline.syncOperations.addHandler(SlowSender(me.value)) }
            .whenComplete { _ in me.value.openingSlow -= 1 }
    }

    private func connect(_ initialize: @escaping @Sendable (any Channel) throws -> Void) -> EventLoopFuture<any Channel> {
        opened += 1
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(ChannelOptions.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try initialize(channel) } }
        #if os(Linux)
        if let address = try? SocketAddress(ipAddress: "127.0.\(1 + opened / 250 % 250).\(1 + opened % 250)", port: 0) {
            return bootstrap.bind(to: address).connect(host: "127.0.0.1", port: port)
        }
        #endif
        return bootstrap.connect(host: "127.0.0.1", port: port)
    }

    func ready(_ attacker: Attacker) {
        if isOver { return attacker.close() }
        idle.append(attacker)
    }

    func answered(_ attacker: Attacker, _ kind: HostileMixture.Kind, _ answer: OpenLoop.Answer) {
        report.answers[answer.status, default: 0] += 1
        mixture.learn(kind, answer)
        busy.removeAll { $0 === attacker }
        ready(attacker)
    }

    func closed(_ attacker: Attacker, withoutAnswer: Bool) {
        guard !isOver else { return }
        if withoutAnswer { report.closed += 1 }
        idle.removeAll { $0 === attacker }
        busy.removeAll { $0 === attacker }
        reopen()
    }

    func ready(_ sender: SlowSender) -> ByteBuffer? {
        guard !isOver else { return nil }
        slow.append(sender)
        report.slow_bodies = max(report.slow_bodies, slow.count)
        return mixture.slowHead()
    }

    func closed(_ sender: SlowSender) {
        guard !isOver else { return }
        report.slow_bodies_ended += 1
        slow.removeAll { $0 === sender }
    }
}

/// A connection that sends one hostile request after another.
private final class Attacker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let attack: Attack
    private var context: ChannelHandlerContext?
    private var received: [UInt8] = []
    private var current: HostileMixture.Kind?
    private(set) var sentAt: Int64 = 0

    init(_ attack: Attack) { self.attack = attack }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        attack.ready(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        attack.closed(self, withoutAnswer: current != nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func send(_ request: ByteBuffer, _ kind: HostileMixture.Kind, at now: Int64) {
        current = kind
        sentAt = now
        context?.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        guard let kind = current, let head = HTTPHead(received), received.count >= head.body + head.length else { return }
        let answer = OpenLoop.Answer(
            status: head.status, nonce: received[head.nonce], body: received[head.body..<(head.body + head.length)])
        current = nil
        attack.answered(self, kind, answer)
        received.removeAll(keepingCapacity: true)
    }

    /// Closes the connection without counting its request as closed by the server.
    func giveUp() {
        current = nil
        close()
    }

    func close() { context?.close(promise: nil) }
}

/// A connection with a request whose body comes one byte at a time.
private final class SlowSender: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let attack: Attack
    private var context: ChannelHandlerContext?

    init(_ attack: Attack) { self.attack = attack }

    func channelActive(context: ChannelHandlerContext) {
        guard let head = attack.ready(self) else { return context.close(promise: nil) }
        self.context = context
        context.writeAndFlush(wrapOutboundOut(head), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        attack.closed(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// The server answers a slow body only when it gives it up.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }

    func drip() { context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [UInt8(ascii: " ")])), promise: nil) }

    func close() { context?.close(promise: nil) }
}
#endif
