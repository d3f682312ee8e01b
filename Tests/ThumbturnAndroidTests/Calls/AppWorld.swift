import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// An app that calls as Java does: by numbers and bytes, over the fake phone and the server in memory.
final class AppWorld: Sendable {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let server: AppServer
    let android: FakeAndroid
    let calls: AppCalls
    private let mailboxes: Mailboxes
    private let lastID = Atomic<Int64>(0)

    /// The answers by their calls.
    private final class Mailboxes: Sendable {
        private let open = Mutex<[Int64: AsyncStream<[UInt8]>.Continuation]>([:])
        /// Whether Java has no memory for the next answer.
        let refusesNext = Atomic(false)

        func stream(_ id: Int64) -> AsyncStream<[UInt8]> {
            let (answers, mailbox) = AsyncStream.makeStream(of: [UInt8].self)
            open.withLock { $0[id] = mailbox }
            return answers
        }

        func take(_ id: Int64, _ message: [UInt8]) -> Bool {
            guard !refusesNext.exchange(false, ordering: .relaxed) else { return false }
            var reader = BridgeReader(message)
            let isNews = (try? reader.number()) == 2
            let mailbox = open.withLock { isNews ? $0[id] : $0.removeValue(forKey: id) }
            precondition(mailbox != nil, "there is one last answer for each call")
            mailbox?.yield(message)
            if !isNews { mailbox?.finish() }
            return true
        }
    }

    init(level: Int = 35, language: String = "en") {
        phone = SimulatedPhone(.android(api: level), clock: clock, hasPIN: true)
        server = AppServer(InMemoryServer(clock: phone.clock))
        android = FakeAndroid(phone, level: level, clock: clock, server: server)
        android.state.withLock { $0.language = language }
        mailboxes = Mailboxes()
        let (system, clock) = (android, phone.clock)
        calls = AppCalls(
            system: android,
            platform: { (look) async throws(Failure) in
                var platform = try await DevicePlatform.android(
                    over: system, pinEntry: look.pinEntry, title: look.title, confirmsFaces: look.confirmsFaces, clock: clock,
                    pinRounds: 10)
                platform.promptGap = .zero
                return platform
            },
            answer: { [mailboxes] in mailboxes.take($0, $1) })
    }

    /// Leaves Java no memory for the next answer.
    func refuseNextAnswer() { mailboxes.refusesNext.store(true, ordering: .relaxed) }

    /// What a call failed with, as Java reads it.
    struct Failed: Error, Hashable {
        var code: String
        var recovery: String
        var rung: String?
        var wait: Int64?
        var message: String
        var button: String?
        var status: String?
        var hint: String?
        var until: Int64?

        init(reading reader: inout BridgeReader) throws {
            (code, recovery) = (try reader.text(), try reader.text())
            (rung, wait) = (try reader.optionalText(), try reader.optionalNumber())
            (message, button) = (try reader.text(), try reader.optionalText())
            (status, hint) = (try reader.optionalText(), try reader.optionalText())
            until = try reader.optionalNumber()
        }
    }

    /// Begins a call; returns its id and its answers.
    func begin(_ operation: Int32, _ request: [UInt8]) -> (id: Int64, answers: AsyncStream<[UInt8]>) {
        let id = lastID.subtract(1, ordering: .relaxed).newValue
        let answers = mailboxes.stream(id)
        calls.begin(id, operation, request)
        return (id, answers)
    }

    func begin(
        _ operation: AppOperation, _ write: (inout BridgeWriter) -> Void = { _ in }
    ) -> (id: Int64, answers: AsyncStream<[UInt8]>) {
        begin(operation.rawValue, BridgeWriter.fields(write).message)
    }

    /// The fields of the last answer; throws what the call failed with.
    func end(_ answers: AsyncStream<[UInt8]>) async throws -> BridgeReader {
        var last: [UInt8] = []
        for await message in answers { last = message }
        return try Self.done(last)
    }

    static func done(_ message: [UInt8]) throws -> BridgeReader {
        var reader = BridgeReader(message)
        guard try reader.number() != 1 else {
            let failed = try Failed(reading: &reader)
            try reader.end()
            throw failed
        }
        return reader
    }

    @discardableResult
    func call(_ operation: AppOperation, _ write: (inout BridgeWriter) -> Void = { _ in }) async throws -> BridgeReader {
        try await end(begin(operation, write).answers)
    }

    func failure(
        _ operation: AppOperation, _ write: (inout BridgeWriter) -> Void = { _ in }
    ) async throws -> Failed? {
        do {
            try await call(operation, write)
            return nil
        } catch let failed as Failed {
            return failed
        }
    }

    // MARK: What tests begin with

    func device(title: String? = "Acme", pinScreen: Int64 = 9) async throws -> Int64 {
        var reader = try await call(.openDevice) {
            $0.put(title)
            $0.put(true)
            $0.put(pinScreen)
        }
        return try reader.number()
    }

    func authenticator(
        on device: Int64, account: String = "default", keepsSession: Bool = true, signInScreen: Int64 = 0
    ) async throws -> Int64 {
        var reader = try await call(.openAuthenticator) {
            $0.put(device)
            $0.put(InMemoryServer.url.absoluteString)
            $0.put(account)
            $0.put([AppServer.api]) { $0.put($1) }
            $0.put(keepsSession)
            $0.put(signInScreen)
        }
        return try reader.number()
    }

    func vault(on device: Int64) async throws -> Int64 {
        var reader = try await call(.openVault) {
            $0.put(device)
            $0.put("designs")
            $0.put("userPresence")
            $0.put("storedCredential")
        }
        return try reader.number()
    }

    static func password(_ message: inout BridgeWriter, _ password: String = InMemoryServer.password) {
        message.put(Int64(1))
        message.put("ada")
        message.put(password)
        message.put(nil as String?)
    }

    static func enrolment(
        _ message: inout BridgeWriter, _ auth: Int64, ifExists: String = "keep",
        signIn: (inout BridgeWriter) -> Void = { password(&$0) }
    ) {
        message.put(auth)
        signIn(&message)
        message.put("unlock")
        message.put("Pixel")
        message.put("Set up")
        message.put(ifExists)
    }

    /// An enrolled and signed-in device.
    func signedIn() async throws -> Int64 {
        let auth = try await authenticator(on: device())
        android.screens(.digits("739150"))
        try await call(.enrol) { Self.enrolment(&$0, auth) }
        try await call(.authenticate) { Self.unlock(&$0, auth) }
        return auth
    }

    static func unlock(_ message: inout BridgeWriter, _ auth: Int64, start: String = "tap", policy: String = "unlock") {
        message.put(auth)
        message.put("Unlock Acme")
        message.put(policy)
        message.put(start)
    }

    func run(_ body: @escaping @Sendable (AppWorld) async throws -> Void) async throws {
        try await clock.run { try await body(self) }
        #expect(calls.count == 0, "no call is left")
    }

    func sleep(_ time: Duration) async { try? await clock.sleep(until: clock.now.advanced(by: time)) }
}

extension BridgeWriter {
    /// The fields of a request of an app to its own API.
    mutating func putRequest(_ path: String, headers: [String: String] = [:], action: String? = nil) {
        put("POST")
        put(AppServer.api + path)
        put(headers)
        put([1, 2])
        putAction(action)
        put(nil as [UInt8]?)
        put(action == nil ? "" : "Pay")
        put("highRisk")
    }

    mutating func putAction(_ name: String?) {
        put(name)
        guard name != nil else { return }
        put(Int64(0))
        put(false)
    }
}
