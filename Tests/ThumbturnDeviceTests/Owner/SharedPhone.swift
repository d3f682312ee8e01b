import Synchronization
import TestSupport
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnDevice

/// One of the two persons who use the phone of these tests.
enum Resident: String, CaseIterable, Sendable {
    case ada, bob

    var signIn: PasswordSignIn { PasswordSignIn(account: rawValue, password: InMemoryServer.password) }
    /// The id of the account.
    var id: String { InMemoryServer.id(of: rawValue) }

    init?(id: String?) {
        guard let resident = Self.allCases.first(where: { $0.id == id }) else { return nil }
        self = resident
    }
}

/// A phone that two persons use, with its server. An app and its extension are two processes of it; a test can watch every
/// request and read every stored secret.
struct SharedPhone: Sendable {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let server: InMemoryServer
    let secrets = SealableSecrets()
    let requests = RequestLog()
    let keeping: SessionKeeping

    init(_ model: SimulatedPhone.Model = .plain, _ keeping: SessionKeeping = .stored, hasPIN: Bool = true) {
        phone = SimulatedPhone(model, clock: clock, hasPIN: hasPIN)
        server = InMemoryServer(clock: clock)
        self.keeping = keeping
    }

    /// Starts a process of the app.
    ///
    /// - Parameter collecting: whether it collects telemetry.
    func start(_ name: String = "app", collecting: Bool = false) throws -> PhoneProcess {
        let network = WatchedNetwork(server: server, log: requests)
        var platform = phone.platform(transport: network, process: name)
        platform.secrets = secrets
        if collecting { platform.telemetry = NoSink() }
        return try PhoneProcess(on: platform, network: network, sessions: keeping)
    }

    /// Lets time pass.
    func pass(_ time: Duration = .milliseconds(1)) async throws { try await clock.sleep(until: clock.now.advanced(by: time)) }

    /// The number of devices that the server lists.
    var records: Int { server.state.withLock { $0.devices.count } }

    /// The names of the records that belong to one enrolment or visit. What is remembered of a person belongs to the account.
    var leftovers: [String] {
        secrets.names.filter { ["session ", "biometric ledger ", "pin ledger "].contains(where: $0.hasPrefix) }
    }
}

/// A process of the app on a `SharedPhone`.
struct PhoneProcess: Sendable {
    let platform: DevicePlatform
    let network: WatchedNetwork
    let auth: Authenticator

    init(on platform: DevicePlatform, network: WatchedNetwork, sessions: SessionKeeping) throws {
        (self.platform, self.network) = (platform, network)
        auth = try Authenticator(server: InMemoryServer.url, platform: platform, sessions: sessions)
    }
}

/// Takes reports, and drops them.
private struct NoSink: TelemetrySink {
    func take(_ report: UnlockReport) {}
}

/// The accounts in whose name something was asked of the server.
final class RequestLog: Sendable {
    private let entries = Mutex<[(account: String, path: String)]>([])

    var count: Int { entries.withLock { $0.count } }

    func note(_ account: String, _ path: String) { entries.withLock { $0.append((account, path)) } }

    /// The accounts since a number of entries, without the requests that end what is over.
    func accounts(since count: Int) -> Set<String> {
        Set(
            entries.withLock { $0.dropFirst(count) }.filter { !$0.path.hasPrefix("DELETE ") && $0.path != "POST /v1/revoke" }.map(
                \.account))
    }
}

/// The network between a process and the server, which calls a hook at each side of every request.
final class WatchedNetwork: Transport {
    /// Where a request is: not sent yet, or answered and its answer on its way.
    enum Side: String, CaseIterable, Sendable { case before, after }

    typealias Hook = @Sendable (_ path: String, Side) async -> Void

    private let server: InMemoryServer
    private let approvals: ApprovingServer
    private let log: RequestLog
    private let hook = Mutex<Hook?>(nil)

    init(server: InMemoryServer, log: RequestLog) {
        (self.server, self.log) = (server, log)
        approvals = ApprovingServer(server: server, isSigned: true)
    }

    /// Calls this at each request from here on; nil ends it.
    func watch(_ hook: Hook?) { self.hook.withLock { $0 = hook } }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let path = "\(request.method) \(request.url.dropFirst(20))"
        await hook.withLock { $0 }?(path, .before)
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
        let asker = Self.asker(of: request).flatMap { jkt in
            server.state.withLock { $0.accounts[jkt] ?? $0.visits[jkt] }
        }
        if let asker { log.note(InMemoryServer.id(of: asker), path) }
        let answer = try await answer(request, path, asker)
        await hook.withLock { $0 }?(path, .after)
        return answer
    }

    private func answer(_ request: TransportRequest, _ path: String, _ asker: String?) async throws(Failure) -> TransportResponse
    {
        switch path {
        case "GET /v1/approvals": return respond(ApprovalList(approvals: []))
        case "GET /v1/devices":
            let devices = server.state.withLock { state in state.devices.filter { state.accounts[$0.key] == asker }.map(\.value) }
            return respond(DeviceList(devices: devices))
        default: return try await approvals.send(request)
        }
    }

    private func respond(_ message: some Message) -> TransportResponse {
        TransportResponse(status: 200, headers: [:], body: StrictJSON.encode(message))
    }

    /// The thumbprint of the key that signed a request's DPoP proof.
    private static func asker(of request: TransportRequest) -> String? {
        struct Header: Decodable { var jwk: JWK }
        guard let proof = request.headers["DPoP"].flatMap({ CompactJWS($0) }),
            let header = try? StrictJSON.decodeIgnoringUnknown(Header.self, from: proof.header)
        else { return nil }
        return try? VerifyingKey(jwk: header.jwk).thumbprint
    }
}

/// Secrets in memory whose names a test can read, and of which each can be sealed for ever, as by a backup that brings it without
/// its key.
final class SealableSecrets: SecretStore {
    private struct State {
        var kept: [String: [UInt8]] = [:]
        var sealed: Set<String> = []
        var isKeyLost = false
    }

    private let state = Mutex(State())

    var names: [String] { state.withLock { $0.kept.keys.sorted() } }
    /// The names of those that can never be read again.
    var sealed: Set<String> { state.withLock { $0.sealed } }

    /// Seals what is kept under these names.
    func seal(_ names: some Sequence<String>) {
        state.withLock { state in state.sealed.formUnion(names.filter { state.kept[$0] != nil }) }
    }

    /// Seals everything, as when the key of all is lost: what is sealed goes when the next secret is stored with another key.
    func loseKey() {
        state.withLock { state in
            state.sealed = Set(state.kept.keys)
            state.isKeyLost = true
        }
    }

    func read(_ name: String) throws(Failure) -> [UInt8]? {
        try state.withLock { state -> Result<[UInt8]?, Failure> in
            state.sealed.contains(name) ? .failure(Self.isSealed) : .success(state.kept[name])
        }.get()
    }
    func write(_ secret: [UInt8], as name: String) { set(secret, name) }
    func delete(_ name: String) { set(nil, name) }
    func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) throws(Failure) -> Bool {
        try state.withLock { state -> Result<Bool, Failure> in
            guard !state.sealed.contains(name) else { return .failure(Self.isSealed) }
            guard state.kept[name] == old else { return .success(false) }
            Self.keep(new, as: name, &state)
            return .success(true)
        }.get()
    }

    private func set(_ secret: [UInt8]?, _ name: String) { state.withLock { Self.keep(secret, as: name, &$0) } }

    private static func keep(_ secret: [UInt8]?, as name: String, _ state: inout State) {
        state.sealed.remove(name)
        state.kept[name] = secret
        guard secret != nil, state.isKeyLost else { return }
        for lost in state.sealed { state.kept[lost] = nil }
        (state.sealed, state.isKeyLost) = ([], false)
    }

    private static let isSealed = Failure(.keyInvalidated)
}
