#if Tools
import Crypto
import Foundation
import Hummingbird
import Logging
import Synchronization
import NIOCore
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
@testable import ThumbturnServer

@Suite struct NoticeTests {
    /// A port that refuses the first notices, and keeps the others.
    final class Postbox: Notices {
        let state: Mutex<(refusals: Int, taken: [Notice])>
        init(refusals: Int = 0) { state = Mutex((refusals, [])) }
        struct Shut: Error {}

        func deliver(_ notice: Notice) async throws {
            try state.withLock { state in
                guard state.refusals == 0 else {
                    state.refusals -= 1
                    throw Shut()
                }
                state.taken.append(notice)
            }
        }

        var taken: [Notice] { state.withLock { $0.taken } }
    }

    private let logger: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    @Test func theOwnerIsNotified() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            let second = try await live.device()
            let token = try await ada.signIn().accessToken
            let other = try #require(try await ada.devices(token).first { !$0.current })
            let stolen = try await second.signIn().refreshToken
            _ = try await ada.refresh(stolen)
            live.clock.advance(by: .seconds(1))
            #expect(try await ada.delete("/v1/devices/\(other.id)", token: token).status == 204)
            live.clock.advance(by: .seconds(1))
            let session = try await ada.signIn()
            _ = try await ada.refresh(session.refreshToken)
            live.clock.advance(by: .seconds(31))
            _ = try await ada.refresh(session.refreshToken)
            let fresh = try await ada.signIn().accessToken
            let notices = try await ada.notices(fresh)
            #expect(notices.prefix(2).map(\.kind) == ["refresh-token-reused", "device-revoked"], "the newest first")
            #expect(Set(notices.map(\.kind)) == ["refresh-token-reused", "device-revoked", "foreign-key", "new-device"])
            #expect(notices.filter { $0.kind == "new-device" }.count == 2 && notices[1].device == other.id)
            let bob = try await live.device(of: "bob")
            #expect(try await bob.notices(try await bob.signIn().accessToken).map(\.kind) == ["new-device"], "only his own")
        }
    }

    @Test func aLeakedTokenCausesOneNoticeAnHour() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let leaked = try await ada.signIn().refreshToken
            for _ in 1...5 { _ = try await bob.refresh(leaked) }
            let token = try await ada.signIn().accessToken
            #expect(try await ada.notices(token).filter { $0.kind == "foreign-key" }.count == 1)
            live.clock.advance(by: .seconds(3601))
            _ = try await bob.refresh(try await ada.signIn().refreshToken)
            let later = try await ada.signIn().accessToken
            #expect(try await ada.notices(later).filter { $0.kind == "foreign-key" }.count == 2, "again after an hour")
        }
    }

    @Test func aLeakedTokenFloodsTheAuditLogInNoCase() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let leaked = try await ada.signIn().refreshToken
            _ = try await bob.refresh(leaked)
            let account = try #require(try await live.service.store.account(named: "ada")).id
            let store = live.service.store
            try await store.writer.write { db, now in
                for kind in Notice.Kind.allCases {
                    for _ in 1...(2 * Limits.noticesOfKind) {
                        try SQLStore.note(kind, of: account, .random(), in: db, at: now)
                    }
                }
            }
            for _ in 1...5 { _ = try await bob.refresh(leaked) }
            let rows = try await store.auditRows(after: 0, limit: .max)
            #expect(rows.filter { $0.event.contains(#""event":"foreign-key""#) }.count == 1)
        }
    }

    final class Lines: Sendable { let all = Mutex<[String]>([]) }

    /// Keeps what is logged.
    struct Notebook: LogHandler {
        let lines: Lines
        var metadata = Logger.Metadata()
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let words = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.all.withLock { $0.append((["\(event.level)", "\(event.message)"] + words).joined(separator: " ")) }
        }
    }

    @Test func theLogHasEachNoticeOnceAndOnlyItsIds() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let service = try await AuthorizationServer(try ServerSettings(publicURL: "http://localhost", dataFolder: folder))
        let server = EmbeddedServer(service)
        try await server.addAccount(named: "ada", password: LiveServer.password)
        _ = try await server.setOneTimeCodes(ofAccountNamed: "ada")
        let lines = Lines()
        for _ in 1...2 { try await service.deliverNotices(Logger(label: "test") { _ in Notebook(lines: lines) }) }
        let account = try #require(try await service.store.account(named: "ada")).id.text
        #expect(lines.all.withLock { $0 } == ["notice notice account=\(account) device=none kind=one-time-codes-set"])
    }

    @Test func aNoticeIsDeliveredAgainUntilItIsAccepted() async throws {
        let postbox = Postbox(refusals: 2)
        try await LiveServer.run(configure: { $0.notices = postbox }) { live in
            _ = try await live.device()
            for wait in [0, 30, 60, 120, 3600] {
                live.clock.advance(by: .seconds(wait))
                try await live.service.deliverNotices(logger)
                try await live.service.deliverNotices(logger)
                if wait == 0 { #expect(postbox.taken.isEmpty, "not before it is due again") }
            }
            #expect(postbox.taken.map(\.kind) == [.newDevice], "and then no more")
        }
    }

    @Test func aNoticeSurvivesARestart() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The first server may be quick enough to ask, and is refused.
        let closed = Postbox(refusals: .max)
        try await LiveServer.run(folder: folder, configure: { $0.notices = closed }) { live in _ = try await live.device() }
        let postbox = Postbox()
        try await LiveServer.run(folder: folder, configure: { $0.notices = postbox }) { live in
            live.clock.advance(by: .seconds(3600))
            try await live.service.deliverNotices(logger)
        }
        #expect(postbox.taken.count == 1)
    }

    @Test func deliveryIsGivenUpAfterADay() async throws {
        let postbox = Postbox(refusals: 1000)
        try await LiveServer.run(configure: { $0.notices = postbox }) { live in
            _ = try await live.device()
            for _ in 1...50 {
                try await live.service.deliverNotices(logger)
                live.clock.advance(by: .seconds(3600))
            }
            #expect(postbox.state.withLock { $0.refusals } == 1000 - 30)
        }
    }

    @Test func noticesAreForgottenAfterAMonth() async throws {
        try await LiveServer.run { live in
            let ada = try await live.device()
            live.clock.advance(by: .seconds(30 * 24 * 3600))
            try await live.service.tidy()
            #expect(try await ada.notices(try await ada.signIn().accessToken).isEmpty)
        }
    }

    @Test func theWebhookIsSigned() async throws {
        let key = SymmetricKey(size: .bits256)
        let secret = unsafe "whsec_" + key.withUnsafeBytes { unsafe Data($0) }.base64EncodedString()
        let notice = Notice(id: "id", kind: .newDevice, account: "ada", device: nil, at: UnixTime(seconds: 7))
        let received = Mutex<(headers: [String], body: [UInt8])?>(nil)
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.post("ok") { request, _ in
            let body = Array(buffer: try await request.body.collect(upTo: 10_000))
            let headers = ["webhook-id", "webhook-timestamp", "webhook-signature", "content-type"].map { name in
                request.headers.first { $0.name.canonicalName == name }?.value ?? ""
            }
            received.withLock { $0 = (headers, body) }
            return Response(status: .noContent)
        }
        router.post("moved") { _, _ in Response(status: .temporaryRedirect, headers: [.location: "/ok"]) }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { started.yield($0.localAddress?.port ?? 0) }, logger: logger)
        try await withThrowingTaskGroup { group in
            group.addTask { try await application.run() }
            var numbers = ports.makeAsyncIterator()
            let port = try #require(await numbers.next())
            func webhook(_ path: String) throws -> NoticeWebhook {
                var webhook = try NoticeWebhook(url: "http://127.0.0.1:\(port)/\(path)", secret: secret)
                // A busy machine is no fault of the webhook's.
                webhook.limit = .minutes(3)
                return webhook
            }
            try await webhook("ok").deliver(notice)
            for path in ["missing", "moved"] {
                let webhook = try webhook(path)
                await #expect(throws: NoticeWebhook.NotAccepted.self, "\(path)") { try await webhook.deliver(notice) }
            }
            group.cancelAll()
        }
        let (headers, body) = try #require(received.withLock { $0 })
        let mac = HMAC<SHA256>.authenticationCode(for: Array("id.\(headers[1]).".utf8) + body, using: key)
        #expect(headers[0] == "id" && headers[2] == "v1,\(Data(mac).base64EncodedString())" && headers[3] == "application/json")
        #expect(String(decoding: body, as: UTF8.self) == #"{"account":"ada","at":7,"id":"id","kind":"new-device"}"#)
    }

    @Test func aWebhookNeedsTLSAndASecret() throws {
        let secret = Data(repeating: 1, count: 24).base64EncodedString()
        for (url, secret) in [
            ("http://example.com/hook", secret), ("ftp://127.0.0.1/", secret), ("https://", secret),
            ("https://example.com", ""), ("https://example.com", Data(repeating: 1, count: 23).base64EncodedString()),
        ] {
            #expect(throws: SetupError.self) { try NoticeWebhook(url: url, secret: secret) }
        }
        _ = try NoticeWebhook(url: "https://example.com/hook", secret: secret)
    }
}
#endif
