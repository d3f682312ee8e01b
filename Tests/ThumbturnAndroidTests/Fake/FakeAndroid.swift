import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// Android and the layer of Java in front of it, as far as the contract of the bridge shows them, over a simulated phone. It
/// answers as unkindly as it is told to.
final class FakeAndroid: AndroidSystem {
    let phone: SimulatedPhone
    let clock: VirtualClock
    /// The API level.
    let level: Int
    /// The folder that no backup contains.
    let folder: String
    let server: any Transport
    let state = Mutex(State())

    struct State {
        var keys: [String: FakeKey] = [:]
        /// The objects that a prompt has authorised: what each key may do once.
        var handles: [Int64: FakeHandle] = [:]
        var lastHandle: Int64 = 0
        /// The operations that can be cancelled, by their ids.
        var running: [Int64: @Sendable () -> Void] = [:]
        /// What the next prompts do, whatever the person does.
        var prompts: [PromptManner] = []
        /// What the next operations of a kind throw.
        var throwing: [AndroidOperation: [AndroidThrown]] = [:]
        /// Answers in place of the next one of a kind, whatever they are.
        var answering: [AndroidOperation: [[UInt8]]] = [:]
        /// Whether the phone has a PIN, a pattern or a password, in place of what follows from the phone: a work profile has its own.
        var hasLockScreen: Bool?
        /// The code of the next failure of a prompt, in place of the phone's own.
        var nextRefusal: Int64?
        /// The number of calls by their operations.
        var calls: [AndroidOperation: Int] = [:]
        /// What the prompts asked for.
        var asked: [Asked] = []
        /// How many keys StrongBox refuses, and whether there is one.
        var strongBox = StrongBox.present
        /// The results of `canAuthenticate`, in place of those that follow from the phone.
        var strong: Int?
        var weak: Int?
        /// For how long "permanently invalidated" is thrown for a live key whose sensor is not ready, in calls.
        var falseAlarms = 0
        var exploresByTouch = false
        var language = "en"
        /// The kinds of sensors that the phone names.
        var features: [SensorKind]?
        var sensors: [SensorKind] = []
        /// What the app's next screens do, and what they were shown with.
        var screens: [ScreenManner] = []
        var screensShown: [ScreenShown] = []
        /// Every text and alias that was sent to Java.
        var sent: [[UInt8]] = []
    }

    enum StrongBox: Sendable { case present, absent, failing }

    /// The texts of one prompt.
    struct Asked: Hashable, Sendable {
        var rung: Int64
        var title: String
        var text: String?
        var button: String?
        var alias: String?
        var use: Int64
        var isConfirmed: Bool
    }

    /// What a system may do instead of answering well.
    enum PromptManner: Sendable {
        /// The person decides.
        case ordinary
        /// Nothing is shown and no answer comes, not even after a cancellation.
        case silent
        /// A prompt that is dismissed stays up, and the person's answer still comes.
        case stubborn
        /// The prompt ends with this code at once.
        case error(Int64)
        /// Help codes come, and then the person decides.
        case help([Int64])
        /// A rejected attempt, and then the prompt ends with this code by itself.
        case mismatchThenError(Int64)
        /// A rejected attempt, and then a match before the prompt is dismissed.
        case mismatchThenMatch
        /// The system throws when it is asked to show a prompt.
        case threw(AndroidThrown)
        /// A last answer that breaks the contract.
        case garbage([UInt8])
    }

    init(_ phone: SimulatedPhone, level: Int, clock: VirtualClock, server: any Transport) {
        (self.phone, self.level, self.clock, self.server) = (phone, level, clock, server)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fake android \(UUID().uuidString)").path
        let sensor = phone.facts().sensor
        state.withLock { $0.sensors = sensor.map { [$0] } ?? [] }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var executor: (any TaskExecutor)? { clock.executor }

    func sleep(_ time: Duration) async throws { try await clock.sleep(until: clock.now.advanced(by: time)) }

    /// How often an operation was called.
    func calls(_ operation: AndroidOperation) -> Int { state.withLock { $0.calls[operation] ?? 0 } }

    /// Sets what the next prompts do.
    func prompts(_ manners: PromptManner...) { state.withLock { $0.prompts += manners } }

    /// Lets the next operation of a kind throw.
    func failNext(_ operation: AndroidOperation, _ names: String..., code: Int = -1, isTransient: Bool = false) {
        let chain = names.enumerated().map { index, name in
            AndroidThrown.Link(name: name, code: index == names.count - 1 ? code : -1, isTransient: isTransient)
        }
        state.withLock { $0.throwing[operation, default: []].append(AndroidThrown(chain: chain)) }
    }

    func begin(_ operation: AndroidOperation, _ request: [UInt8], id: Int64) -> AsyncStream<[UInt8]> {
        let (answers, mailbox) = AsyncStream.makeStream(of: [UInt8].self)
        let (thrown, raw): (AndroidThrown?, [UInt8]?) = state.withLock { state in
            state.calls[operation, default: 0] += 1
            state.sent.append(request)
            let thrown = state.throwing[operation]?.isEmpty == false ? state.throwing[operation]?.removeFirst() : nil
            let raw = state.answering[operation]?.isEmpty == false ? state.answering[operation]?.removeFirst() : nil
            return (thrown, raw)
        }
        if let thrown {
            if operation == .useHandle { spend(request) }
            mailbox.yield(thrown.message)
            mailbox.finish()
            return answers
        }
        if let raw {
            mailbox.yield(raw)
            mailbox.finish()
            return answers
        }
        var reader = BridgeReader(request)
        do {
            switch operation {
            case .prompt: try beginPrompt(&reader, id, mailbox)
            case .phases: beginPhases(id, mailbox)
            case .http: try beginExchange(&reader, id, mailbox)
            case .enterPIN, .choosePIN, .credentials: try beginScreen(operation, &reader, id, mailbox)
            default:
                mailbox.yield(try answer(operation, &reader))
                mailbox.finish()
            }
        } catch let thrown as AndroidThrown {
            mailbox.yield(thrown.message)
            mailbox.finish()
        } catch {
            preconditionFailure("a request that breaks the contract: \(error)")
        }
        return answers
    }

    /// An object was used, whatever came of it.
    private func spend(_ request: [UInt8]) {
        var reader = BridgeReader(request)
        guard let handle = try? reader.number() else { return }
        state.withLock { $0.handles[handle] = nil }
    }

    private func answer(_ operation: AndroidOperation, _ reader: inout BridgeReader) throws -> [UInt8] {
        var writer = BridgeWriter()
        writer.put(Int64(0))
        switch operation {
        case .facts: write(&writer)
        case .cancel:
            let id = try reader.number()
            state.withLock { $0.running[id] }?()
        case .useHandle: writer.put(try use(handle: try reader.number(), try reader.bytes()))
        case .releaseHandle:
            let handle = try reader.number()
            state.withLock { $0.handles[handle] = nil }
        case .createKey:
            let made = try create(try reader.text(), try reader.number(), try reader.optionalBytes())
            writer.put(made.spki)
            writer.put(made.level)
            writer.put(made.refusal)
        case .keyExists:
            let alias = try reader.text()
            writer.put(state.withLock { $0.keys[alias] != nil })
        case .probeKey:
            let alias = try reader.text()
            _ = try reader.number()
            _ = try reader.optionalBytes()
            if state.withLock({ $0.keys[alias] }) == nil {
                writer.put(false)
            } else {
                _ = try usable(alias)
                writer.put(true)
            }
        case .publicKey:
            let alias = try reader.text()
            writer.put(state.withLock { $0.keys[alias] }?.spki)
        case .deleteKey:
            let alias = try reader.text()
            state.withLock { $0.keys[alias] = nil }
        case .deleteKeys:
            let prefix = try reader.text()
            writer.put(
                state.withLock { state in
                    let before = state.keys.count
                    state.keys = state.keys.filter { !$0.key.hasPrefix(prefix) }
                    return Int64(before - state.keys.count)
                })
        case .certificateChain:
            let chain = chain(of: try reader.text())
            writer.put(Int64(chain.count))
            for certificate in chain { writer.put(certificate) }
        case .signNow: writer.put(try usable(try reader.text()).sign(try reader.bytes()))
        case .mac: writer.put(try usable(try reader.text()).mac(try reader.bytes()))
        case .encryptNow:
            let box = try usable(try reader.text()).encrypt(try reader.bytes())
            writer.put(box.nonce)
            writer.put(box.ciphertext)
        case .decryptNow:
            let key = try usable(try reader.text())
            writer.put(try key.decrypt(try reader.bytes(), try reader.bytes()))
        case .wrap: writer.put(try FakeKey.wrap(try reader.bytes(), to: try reader.bytes()))
        case .prompt, .phases, .http, .enterPIN, .choosePIN, .credentials: preconditionFailure("these answer later")
        }
        try reader.end()
        return writer.message
    }

    private func write(_ writer: inout BridgeWriter) {
        let known = phone.facts()
        let (own, sensors, explores, language) = state.withLock {
            (($0.strong, $0.weak), $0.features ?? $0.sensors, $0.exploresByTouch, $0.language)
        }
        let hasLockScreen = state.withLock { $0.hasLockScreen } ?? (known.passcode != nil)
        let found = Self.results(known.biometry)
        func put(_ number: Int?) { writer.put(number.map { number in bytes(Int64(number)) }) }
        func put(_ flag: Bool?) { put(flag.map { $0 ? 1 : 0 }) }
        writer.put(Int64(level))
        for text in ["google", "Pixel 9", "\(level)", "2026-06-01"] { writer.put(text) }
        put(level >= 29 ? own.0 ?? found.strong : nil)
        put(level >= 30 ? own.1 ?? found.weak : nil)
        put(level >= 30 ? (hasLockScreen ? 0 : 11) : nil)
        put(level == 28 ? known.biometry != .absent : nil)
        put(level == 28 ? known.enrolment != nil : nil)
        writer.put(hasLockScreen)
        writer.put(!known.isReadable)
        writer.put(known.isReadable)
        for kind in [SensorKind.finger, .face, .iris] { writer.put(sensors.contains(kind)) }
        writer.put("com.example.bank")
        writer.put(folder)
        writer.put(language)
        writer.put(explores)
        writer.put(Int64(1000))
    }

    private func bytes(_ number: Int64) -> [UInt8] {
        var writer = BridgeWriter()
        writer.put(number)
        return Array(writer.message.dropFirst(4))
    }

    /// The results of `canAuthenticate`. A lockout is none of them.
    private static func results(_ state: BiometryState) -> (strong: Int, weak: Int) {
        switch state {
        case .ready, .lockedOut, .paused: (0, 0)
        case .notEnrolled, .passcodeNotSet: (11, 11)
        case .absent: (12, 12)
        case .weak: (12, 0)
        case .switchedOff: (21, 21)
        case .permissionDenied, .unconfirmed, .lidClosed, .forbidden, .unavailable: (1, 1)
        }
    }

    private func beginPhases(_ id: Int64, _ mailbox: AsyncStream<[UInt8]>.Continuation) {
        let phases = phone.appPhases.phases()
        let listening = Task(executorPreference: executor) {
            for await phase in phases {
                var writer = BridgeWriter()
                writer.put(Int64(2))
                writer.put(Int64(phase == .front ? 1 : phase == .inactive ? 2 : 3))
                mailbox.yield(writer.message)
            }
        }
        state.withLock { $0.running[id] = { listening.cancel() } }
    }

    private func beginExchange(
        _ reader: inout BridgeReader, _ id: Int64, _ mailbox: AsyncStream<[UInt8]>.Continuation
    ) throws {
        var request = TransportRequest(method: try reader.text(), url: try reader.text())
        for (name, value) in try reader.list({ (reader) throws(BridgeReader.Malformed) in (try reader.text(), try reader.text()) }
        ) {
            request.headers[name] = value
        }
        request.body = try reader.optionalBytes() ?? []
        request.longestAnswer = Int(try reader.number())
        request.deadline = .milliseconds(try reader.number())
        try reader.end()
        let (server, sent) = (server, request)
        let exchange = Task(executorPreference: executor) {
            do throws(Failure) {
                let response = try await server.send(sent)
                var writer = BridgeWriter()
                writer.put(Int64(0))
                writer.put(Int64(response.status))
                writer.put(Int64(response.headers.count))
                for (name, value) in response.headers {
                    writer.put(name.uppercased())
                    writer.put(value)
                }
                writer.put(response.body)
                mailbox.yield(writer.message)
            } catch {
                mailbox.yield(AndroidThrown(chain: [.init(name: "java.net.UnknownHostException")]).message)
            }
            mailbox.finish()
        }
        state.withLock { $0.running[id] = { exchange.cancel() } }
    }
}
