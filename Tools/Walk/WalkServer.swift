#if Tools
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnServer
import ThumbturnVerifier

/// The whole server in this process: its routes, its rules and its store, which is in memory. Requests come without a
/// connection, and time passes only when a walk lets it pass.
final class WalkServer: Sendable {
    static let url = "https://bank.example"

    let service: AuthorizationServer
    let store: SQLStore
    let clock: WalkClock
    private let routes: RouterResponder<ServerContext>
    private let nonce = Mutex("")

    /// What every server of a walk shares.
    struct Common: Sendable {
        let settings: ServerSettings
        let masterKey: MasterKey
        let passwords: Passwords
        let start: UnixTime
        let logger: Logger

        init() throws {
            var settings = try ServerSettings(publicURL: WalkServer.url, dataFolder: "/nowhere")
            // Time stands still while a walk tries everything that a phone may send.
            settings.proofsOfDevice = nil
            self.settings = settings
            masterKey = try MasterKey(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
            passwords = try Passwords(cost: .least)
            start = UnixTime(seconds: 2_000_000_000)
            var logger = Logger(label: "walk")
            logger.logLevel = .critical
            self.logger = logger
        }
    }

    private let common: Common

    /// Opens a server whose store begins with an image; nil for an empty one.
    init(_ common: Common, from image: StoreImage?, at elapsed: Duration) async throws {
        self.common = common
        clock = WalkClock(common.start, elapsed)
        let time = NodeTime(clock.node)
        store = try SQLStore(inMemory: image, time: time)
        var service = try await AuthorizationServer(
            common.settings, on: store, common.masterKey, readMasterKey: { [common] in common.masterKey },
            passwords: common.passwords, time: time)
        // A walk makes more wrong attempts than an address may; the counts of keys stay.
        (service.throttleLimits.addressBurst, service.throttleLimits.globalBurst) = (1_000_000, 1_000_000)
        self.service = service
        routes = Routes(service).router().buildResponder()
    }

    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]

        var isAccepted: Bool { (200...299).contains(status) }

        func read<Value: Message>(_: Value.Type) throws -> Value {
            do {
                return try WireJSON.decode(Value.self, from: body)
            } catch {
                throw WalkError("the server's answer cannot be read: \(String(decoding: body, as: UTF8.self))")
            }
        }
    }

    enum Body: Sendable {
        case none
        case json([UInt8])
        case form([(name: String, value: String)])
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - key: signs the DPoP proof; nil for a request without one.
    ///   - token: the access token that goes with it.
    ///   - idempotency: the header `Idempotency-Key`.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: Body = .none, by key: WalkKey? = nil, token: String? = nil,
        idempotency: String? = nil
    ) async throws -> Answer {
        var head = HTTPRequest(method: method, scheme: "https", authority: "bank.example", path: path)
        let bytes: [UInt8]
        switch body {
        case .none: bytes = []
        case .json(let json):
            bytes = json
            head.headerFields[.contentType] = "application/json"
        case .form(let fields):
            // Of the characters in tokens and grant types, only the colons need escaping in a form.
            bytes = Array(fields.map { "\($0.name)=\($0.value.replacing(":", with: "%3A"))" }.joined(separator: "&").utf8)
            head.headerFields[.contentType] = "application/x-www-form-urlencoded"
        }
        if let key {
            if nonce.withLock({ $0.isEmpty }) { _ = try await send(.get, "/health") }
            let claims = DPoPClaims(
                jti: Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255) }), htm: method.rawValue,
                htu: Self.url + path, iat: clock.now, ath: token.map { Signing.hash(Array($0.utf8)) },
                nonce: nonce.withLock { $0 }, bdy: method == .get ? nil : Signing.hash(bytes))
            head.headerFields[.dpop] = key.sign(Signing.dpopInput(claims, key: key.publicKey))
        }
        if let token { head.headerFields[.authorization] = "DPoP \(token)" }
        if let idempotency { head.headerFields[.idempotencyKey] = idempotency }
        let answer = try await routes.answer(head, bytes, logger: common.logger)
        if let fresh = answer.headers[.dpopNonce] { nonce.withLock { $0 = fresh } }
        return Answer(status: answer.status, body: answer.body)
    }
}

/// Time that passes only when a walk lets it pass.
final class WalkClock: Sendable {
    private let start: UnixTime
    private let elapsed: Mutex<Duration>

    init(_ start: UnixTime, _ elapsed: Duration) {
        self.start = start
        self.elapsed = Mutex(elapsed)
    }

    var now: UnixTime { start + elapsed.withLock { $0 } }

    func time(at elapsed: Duration) -> UnixTime { start + elapsed }

    func pass(_ duration: Duration) { elapsed.withLock { $0 += duration } }

    var node: NodeClock { NodeClock(civil: { self.now }, monotonic: { self.elapsed.withLock { $0 } }) }
}

/// A P-256 key of the cast.
struct WalkKey: Sendable {
    private let key = P256.Signing.PrivateKey()
    let publicKey: PublicKey
    let thumbprint: String

    init() {
        guard let publicKey = PublicKey(x963: Array(key.publicKey.x963Representation)) else {
            preconditionFailure("a P-256 key has an uncompressed point")
        }
        self.publicKey = publicKey
        thumbprint = Signing.thumbprint(of: publicKey)
    }

    /// The compact JWS of this input.
    func sign(_ input: [UInt8]) -> String {
        guard let signature = try? key.signature(for: input) else { preconditionFailure("a key in memory always signs") }
        return CompactJWS.compact(signingInput: input, signature: Array(signature.rawRepresentation))
    }

    /// A proof over a challenge, in the name of a key id.
    func proof(_ challenge: String, as kid: String) -> String { sign(Signing.proofInput(challenge: challenge, kid: kid)) }
}

/// A mistake of the walk itself, not of the server.
struct WalkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension HTTPField.Name {
    fileprivate static let dpop = HTTPField.Name("DPoP")!
    fileprivate static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
    fileprivate static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
#endif
