#if Tools
import Crypto
import Foundation
import HTTPTypes
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnTelemetry
import ThumbturnTestKit
@testable import ThumbturnServer
import ThumbturnVerifier

/// Reports of unlocks over HTTP: what is counted, what is refused, and that a refusal harms no other batch.
@Suite struct TelemetryTests {
    // MARK: Counting

    @Test func theUnlocksOfADeviceAreCountedInTheirCells() async throws {
        try await LiveServer.run { live in
            let one = try await live.device()
            var older = TelemetryBatches.phone
            older.systemVersion = "26.0"
            let unlocks = [
                TelemetryBatches.unlock(), TelemetryBatches.unlock(), TelemetryBatches.unlock(older),
            ]
            let answer = try await one.sendTelemetry(TelemetryBatches.bytes(unlocks))
            #expect(answer.status == 202 && answer.body.isEmpty, "\(answer.text)")
            let again = try await one.sendTelemetry(TelemetryBatches.bytes())
            #expect(again.status == 202)
            let cells = try await live.cells()
            #expect(Set(cells.map(\.cell.context)) == [TelemetryBatches.phone, older])
            #expect(cells.first { $0.cell.context == TelemetryBatches.phone }?.tally[.unlocks] == 3)
            #expect(cells.allSatisfy { $0.devices.estimate == 1 }, "one device, whatever its batches call it")
            #expect(cells.allSatisfy { $0.cell.day == TelemetryDay(of: live.clock.now).number })
        }
    }

    @Test func theCellsThatAreKnownAreThoseOfTheDay() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try TestStore.open(in: folder, TestClock())
        var older = TelemetryBatches.phone
        older.systemVersion = "26.0"
        let cells = [(100, TelemetryBatches.phone, 1), (101, older, 0)]
        try await store.writer.write { db, _ in
            for (day, context, byKey) in cells {
                try db.run(
                    sql: "INSERT INTO telemetry_cells (day, context, by_key, tally, devices) VALUES (?, ?, ?, ?, ?)",
                    arguments: [day, json(context), byKey, Data(), Data()])
            }
        }
        for (day, context, byKeys) in cells {
            let known = try await store.knownCells([TelemetryBatches.phone, older], on: TelemetryDay(number: day))
            #expect(known == KnownCells(contexts: [context], count: 1, countByKeys: byKeys))
        }
    }

    @Test func aWriteKeySendsWithoutASession() async throws {
        try await LiveServer.run { live in
            let key = try await live.telemetryKey()
            for _ in 0..<3 { #expect(try await live.sendTelemetry(key: key).status == 202) }
            let cell = try #require(try await live.cells().first)
            #expect(cell.tally[.unlocks] == 3 && cell.devices.estimate == 3, "each batch has another device's name")
        }
    }

    @Test func aBatchThatComesTwiceIsAnsweredAlikeAndCountedOnce() async throws {
        let (folder, clock) = (LiveServer.temporaryFolder(), TestClock())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let batch = TelemetryBatches.bytes([TelemetryBatches.unlock(), TelemetryBatches.unlock()])
        try await LiveServer.run(folder: folder, clock: clock) { live in
            let key = try await live.telemetryKey()
            #expect(try await live.sendTelemetry(batch, key: key).status == 202)
            #expect(try await live.sendTelemetry(batch, key: key).status == 202)
            #expect(try await live.device().sendTelemetry(batch).status == 202, "also from another sender")
            expect(try await live.unlocks(), is: 2)
        }
        try await LiveServer.run(folder: folder, clock: clock) { live in
            expect(try await live.unlocks(), is: 2, "a restart keeps the cells")
            let again = try await live.telemetryKey("again")
            #expect(try await live.sendTelemetry(batch, key: again).status == 202)
            expect(try await live.unlocks(), is: 2, "and knows the batch")
        }
    }

    @Test func aBatchThatComesAtTheSameTimeOnManyConnectionsAndTwoNodesIsCountedOnce() async throws {
        try await LiveServer.runTwo { one, two in
            let key = try await one.telemetryKey()
            for _ in 0..<5 {
                let before = try await one.unlocks()
                let doubled = TelemetryBatches.bytes([TelemetryBatches.unlock(), TelemetryBatches.unlock()])
                try await withThrowingTaskGroup { group in
                    for index in 0..<8 {
                        let node = index.isMultiple(of: 2) ? one : two
                        group.addTask { try await node.sendTelemetry(doubled, key: key).status }
                        group.addTask { try await node.sendTelemetry(key: key).status }
                    }
                    for try await status in group { #expect(status == 202) }
                }
                expect(try await one.unlocks() - before, is: 2 + 8)
            }
        }
    }

    @Test func anUnlockOfTheFarPastOrTheFutureIsDroppedAndTheOthersOfItsBatchCount() async throws {
        let metrics = PrometheusMetrics()
        try await LiveServer.run(configure: { $0.metrics = metrics }) { live in
            let now = live.clock.now
            let times = [
                now, now + .seconds(86_400), now + .seconds(86_401), now + .seconds(-30 * 86_400),
                now + .seconds(-30 * 86_400 - 1), UnixTime(seconds: 0), UnixTime(seconds: 1 << 40),
            ]
            let key = try await live.telemetryKey()
            let unlocks = times.map { TelemetryBatches.unlock(began: $0) }
            #expect(try await live.sendTelemetry(TelemetryBatches.bytes(unlocks), key: key).status == 202)
            expect(try await live.unlocks(), is: 3)
            // A batch with nothing to count is no repetition either: it leaves nothing behind.
            let past = TelemetryBatches.bytes([TelemetryBatches.unlock(began: UnixTime(seconds: 0))])
            for _ in 0..<2 { #expect(try await live.sendTelemetry(past, key: key).status == 202) }
            #expect(metrics.text().contains(#"thumbturn_telemetry_batches_total{outcome="repeated"} 0"#))
            let text = metrics.text()
            for line in [#"{outcome="counted"} 3"#, #"{outcome="future"} 2"#, #"{outcome="old"} 4"#] {
                #expect(text.contains("thumbturn_telemetry_unlocks_total\(line)\n"), "\(line)")
            }
        }
    }

    // MARK: Refusing

    @Test func aBatchOfAnotherFormIsRefusedWithTheMemberAndHarmsNoOther() async throws {
        try await LiveServer.run { live in
            let key = try await live.telemetryKey()
            let good = String(decoding: TelemetryBatches.bytes(), as: UTF8.self)
            let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
            for (text, detail) in [
                ("", "line 1: expected a value, found the end"), ("[]", ""),
                ("{", ""), (good + "x", ""),
                (good.replacing(#""unlocks":"#, with: #""locks":"#), "locks: Unknown member."),
                (good.replacing(#""policy":"unlock""#, with: #""account":"ada""#), "unlocks[0].context.account: Unknown member."),
                (good.replacing(#""policy":"unlock""#, with: #""policy":"a\nb""#), "unlocks[0].context.policy: is not 1 to 40"),
                (good.replacing(#""model":"iPhone17,3""#, with: #""model":"a","model":"b""#), "twice"),
                (good.replacing(#""day":""#, with: #""day":"A"#), "day: is not 16 bytes in base64url"),
                (good.replacing(#""hintShown""#, with: #""other""#).replacing(#"["#, with: #"["nothing","#), ""),
                (#"{"batch":"AAAAAAAAAAAAAAAAAAAAAA","day":"AAAAAAAAAAAAAAAAAAAAAA","unlocks":[]}"#, "unlocks: has not 1 to 100"),
                (#"{"batch":\#(deep)}"#, ""),
            ] {
                let answer = try await live.sendTelemetry(Array(text.utf8), key: key)
                #expect(answer.status == 400 && answer.kind == "malformed", "\(text.prefix(300)): \(answer.text)")
                let told = answer.problem?.detail ?? ""
                #expect(!told.isEmpty && told.contains(detail.isEmpty ? " " : detail), "\(text.prefix(300)): \(told)")
                #expect(told.count <= 200)
            }
            let many = (0...100).map { _ in TelemetryBatches.unlock() }
            var tooMany = String(decoding: TelemetryBatches.bytes(Array(many.prefix(100))), as: UTF8.self)
            let one = String(decoding: WireJSON.encode(many[0]), as: UTF8.self)
            tooMany = tooMany.replacing(#""unlocks":["#, with: #""unlocks":[\#(one),"#)
            #expect(try await live.sendTelemetry(Array(tooMany.utf8), key: key).status == 400)
            #expect(try await live.sendTelemetry(key: key, type: "text/plain").status == 415)
            expect(try await live.unlocks(), is: 0)
            #expect(try await live.sendTelemetry(key: key).status == 202)
            expect(try await live.unlocks(), is: 1)
        }
    }

    @Test func aLargeBatchIsTakenAndALargerOneIsRefusedUnparsed() async throws {
        try await LiveServer.run { live in
            let key = try await live.telemetryKey()
            let batch = TelemetryBatches.bytes((0..<100).map { _ in TelemetryBatches.unlock() })
            let padding = [UInt8](repeating: UInt8(ascii: " "), count: TelemetryBatch.largest - batch.count)
            let largest = batch + padding
            #expect(try await live.sendTelemetry(largest, key: key).status == 202)
            // It is not even JSON, so an answer of 413 shows that it was not read.
            let answer = try await live.sendTelemetry([UInt8](repeating: 0, count: TelemetryBatch.largest + 1), key: key)
            #expect(answer.status == 413 && answer.kind == "too-large")
            let chunked = try await live.connect().send(
                "POST", "/v1/telemetry", type: "application/json",
                headers: [("Authorization", "Bearer \(key)"), ("Transfer-Encoding", "chunked")],
                body: largest + [UInt8(ascii: " ")])
            #expect(chunked.status == 413, "without a length, too")
            expect(try await live.unlocks(), is: 100)
        }
    }

    @Test func theOtherRoutesTakeNoLargerBodiesThanBefore() async throws {
        try await LiveServer.run { live in
            let answer = try await live.connect().send(
                "POST", "/v1/challenges", type: "application/json", body: [UInt8](repeating: 32, count: Limits.body + 1))
            #expect(answer.status == 413)
        }
    }

    @Test func anUnknownOrRemovedWriteKeyIsRefused() async throws {
        try await LiveServer.run { live in
            let key = try await live.telemetryKey()
            #expect(try await live.sendTelemetry(key: key).status == 202)
            for wrong in [TelemetryKey.random(), "", "x", key + "A", String(key.dropLast()), key.uppercased() + "="] {
                let answer = try await live.sendTelemetry(key: wrong)
                #expect(answer.status == 401 && answer.kind == "verification-failed", "\(answer.text)")
            }
            let basic = try await live.connect().send(
                "POST", "/v1/telemetry", type: "application/json", headers: [("Authorization", "Basic \(key)")],
                body: TelemetryBatches.bytes())
            #expect(basic.status == 401 && basic.challenge == #"Bearer error="invalid_token""#)
            try await live.server.removeTelemetryKey(named: "app")
            #expect(try await live.sendTelemetry(key: key).status == 401)
            expect(try await live.unlocks(), is: 1)
        }
    }

    @Test func aWriteKeyDoesNothingElse() async throws {
        try await LiveServer.run(configure: { $0.allowsPlainClients = true }) { live in
            let key = try await live.telemetryKey()
            var tried = 0
            for route in Routes(live.service).list where route.access.credentials != [.none] && route.path != "v1/telemetry" {
                let path = "/" + route.path.replacing("{id}", with: Identifier<SessionKind>.random().text)
                let isForm = Routes.oauthPaths.contains(path)
                for scheme in ["Bearer", "DPoP"] {
                    let answer = try await live.connect().send(
                        route.method.rawValue, path, type: isForm ? "application/x-www-form-urlencoded" : "application/json",
                        headers: [("Authorization", "\(scheme) \(key)")], body: Array((isForm ? "token=x" : "{}").utf8))
                    #expect((400...401).contains(answer.status), "\(route.method) \(path): \(answer.status)")
                    tried += 1
                }
            }
            #expect(tried > 40)
        }
    }

    @Test func aRevokedDeviceAndADisabledAccountSendNoMore() async throws {
        try await LiveServer.run { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            #expect(try await ada.sendTelemetry().status == 202)
            #expect(try await bob.sendTelemetry().status == 202)
            let token = try await ada.signIn().accessToken
            #expect(try await ada.delete("/v1/devices/current", token: token).status == 204)
            #expect(try await ada.sendTelemetry().status == 404, "as for every request with its session key")
            try await live.server.disable(accountNamed: "bob")
            #expect(try await bob.sendTelemetry().status == 404)
            let stranger = LoadDevice(server: live.url)
            let connection = try await live.connect()
            let nonce = try await stranger.challenge(over: connection).nonce
            let bytes = TelemetryBatches.bytes()
            func send(_ proof: String?) async throws -> Int {
                try await connection.send(
                    "POST", "/v1/telemetry", type: "application/json", headers: proof.map { [("DPoP", $0)] } ?? [], body: bytes
                ).status
            }
            expect(try await send(stranger.dpop("POST", "/v1/telemetry", bytes, nonce: nonce)), is: 404)
            expect(try await send(stranger.dpop("POST", "/v1/telemetry", [], nonce: nonce)), is: 400, "for another body")
            expect(try await send(nil), is: 400)
            expect(try await live.unlocks(), is: 2)
        }
    }

    @Test func aSenderBeyondItsRateWaitsAndNoOtherDoes() async throws {
        let configure: @Sendable (inout ServerSettings) -> Void = {
            var rates = TelemetryRates()
            (rates.ofDevice, rates.ofKey, rates.ofNetwork) = (2, 3, 1000)
            $0.telemetryRates = rates
        }
        try await LiveServer.run(configure: configure) { live in
            let (ada, bob) = (try await live.device(), try await live.device(of: "bob"))
            let (app, other) = (try await live.telemetryKey(), try await live.telemetryKey("other"))
            for _ in 0..<2 { #expect(try await ada.sendTelemetry().status == 202) }
            let refused = try await ada.sendTelemetry()
            #expect(refused.status == 429 && refused.headerNames.contains("retry-after") && refused.kind == "unavailable")
            #expect(try await bob.sendTelemetry().status == 202)
            for _ in 0..<3 { #expect(try await live.sendTelemetry(key: app).status == 202) }
            #expect(try await live.sendTelemetry(key: app).status == 429)
            #expect(try await live.sendTelemetry(key: other).status == 202)
            expect(try await live.unlocks(), is: 7)
            _ = try await ada.signIn()
            live.clock.advance(by: .seconds(60))
            #expect(try await ada.sendTelemetry().status == 202)
            #expect(try await live.sendTelemetry(key: app).status == 202)
        }
    }

    @Test func theRateOfANetworkComesBeforeItsCredentials() async throws {
        let configure: @Sendable (inout ServerSettings) -> Void = {
            var rates = TelemetryRates()
            rates.ofNetwork = 3
            $0.telemetryRates = rates
        }
        try await LiveServer.run(configure: configure) { live in
            let (one, key) = (try await live.device(), try await live.telemetryKey())
            for _ in 0..<3 { #expect(try await live.sendTelemetry(key: "wrong").status == 401) }
            #expect(try await live.sendTelemetry(key: "wrong").status == 429)
            #expect(try await live.sendTelemetry(key: key).status == 429)
            _ = try await one.signIn()
            live.clock.advance(by: .seconds(60))
            #expect(try await live.sendTelemetry(key: key).status == 202)
        }
    }

    @Test func withoutARetentionThereIsNoRoute() async throws {
        try await LiveServer.run(configure: { $0.telemetryRetention = nil }) { live in
            let key = try await live.telemetryKey()
            #expect(try await live.sendTelemetry(key: key).status == 404)
            #expect(!Routes(live.service).list.contains { $0.path == "v1/telemetry" })
        }
    }

    // MARK: The bounds of cells

    @Test func aDeviceThatMakesUpLabelsFillsOneCell() async throws {
        try await LiveServer.run { live in
            let (one, other) = (try await live.device(), try await live.device(of: "bob"))
            let made = (0..<50).map { number in
                var context = TelemetryBatches.phone
                context.model = TelemetryLabel("made up \(number)")
                return TelemetryBatches.unlock(context)
            }
            #expect(try await one.sendTelemetry(TelemetryBatches.bytes(made)).status == 202)
            let cells = try await live.cells()
            #expect(cells.count == Limits.telemetryCellsOfDevice + 1)
            let rest = cells.first { $0.cell.context == .other }
            #expect(rest?.tally[.unlocks] == 50 - Limits.telemetryCellsOfDevice && rest?.devices.estimate == 1)
            #expect(try await other.sendTelemetry().status == 202)
            #expect(try await live.cells().contains { $0.cell.context == TelemetryBatches.phone }, "another one begins cells")
        }
    }

    // MARK: What is stored

    @Test func theTablesHaveNoIdsOfBatchesDevicesOrAccounts() async throws {
        try await LiveServer.run { live in
            let (one, key) = (try await live.device(), try await live.telemetryKey())
            let (first, second) = (TelemetryBatches.batch(), TelemetryBatches.batch())
            #expect(try await one.sendTelemetry(WireJSON.encode(first)).status == 202)
            #expect(try await live.sendTelemetry(WireJSON.encode(second), key: key).status == 202)
            let me = try await live.server.devices(ofAccountNamed: "ada")
            let device = try #require(me.first?.id)
            let account = try await live.account(of: one)
            let rows = try live.tables { db in
                try ["telemetry_cells", "telemetry_batches", "telemetry_keys", "telemetry_salts"].flatMap { table in
                    try db.all(Row.self, sql: "SELECT * FROM \(table)").flatMap { $0.values.map(Self.bytes) }
                }
            }
            #expect(rows.count > 10)
            let names = [
                first.id.text, first.day.text, second.id.text, second.day.text, device, account, "ada", one.device.sessionKid,
                key,
            ]
            for name in names {
                for form in [Array(name.utf8), Base64URL.decode(name) ?? []] where form.count > 2 {
                    #expect(!rows.contains { Self.contains($0, form) }, "\(name)")
                }
            }
        }
    }

    private static func bytes(_ value: SQLValue) -> [UInt8] {
        switch value {
        case .null: []
        case .integer(let number): Array("\(number)".utf8)
        case .text(let text): Array(text.utf8)
        case .blob(let data): Array(data)
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.count >= part.count
            && (0...(bytes.count - part.count)).contains { bytes[$0..<($0 + part.count)].elementsEqual(part) }
    }

    @Test func theSaltOfADayIsGoneTheNextDayAndSoIsTheLink() async throws {
        try await LiveServer.run(clock: TestClock(UnixTime(seconds: 1_800_000_000))) { live in
            let key = try await live.telemetryKey()
            let batch = TelemetryBatches.batch([TelemetryBatches.unlock(began: live.clock.now)])
            func send() async throws {
                var again = batch
                again.id = TelemetryBatches.batch().id
                #expect(try await live.sendTelemetry(WireJSON.encode(again), key: key).status == 202)
            }
            func salts() throws -> [Int: Data] {
                try live.tables { db in
                    Dictionary(
                        uniqueKeysWithValues: try db.all(Row.self, sql: "SELECT day, salt FROM telemetry_salts").map {
                            try ($0["day"], $0["salt"])
                        })
                }
            }
            try await send()
            try await send()
            let first = try salts()
            #expect(first.count == 1 && first.values.first?.count == 32)
            try await live.service.tidy()
            expect(try salts(), is: first)
            live.clock.advance(by: .seconds(86_400))
            try await send()
            try await live.service.tidy()
            let second = try salts()
            #expect(second.count == 1 && second.keys != first.keys && second.values.first != first.values.first)
            let cells = try await live.cells()
            #expect(cells.map(\.devices.estimate) == [1, 1])
            #expect(cells[0].devices != cells[1].devices, "the same device has another hash")
        }
    }

    @Test func oldCellsAndOldMarksOfBatchesAreDeleted() async throws {
        let configure: @Sendable (inout ServerSettings) -> Void = { $0.telemetryRetention = .seconds(10 * 86_400) }
        try await LiveServer.run(clock: TestClock(UnixTime(seconds: 1_800_000_000)), configure: configure) { live in
            let key = try await live.telemetryKey()
            func bytes() -> [UInt8] { TelemetryBatches.bytes([TelemetryBatches.unlock(began: live.clock.now)]) }
            func marks() throws -> Int {
                try live.tables { try $0.value(Int.self, sql: "SELECT count(*) FROM telemetry_batches") }
            }
            #expect(try await live.sendTelemetry(bytes(), key: key).status == 202)
            live.clock.advance(by: .seconds(7 * 86_400 - 1))
            try await live.service.tidy()
            expect(try marks(), is: 1)
            live.clock.advance(by: .seconds(1))
            try await live.service.tidy()
            expect(try marks(), is: 0)
            #expect(try await live.sendTelemetry(bytes(), key: key).status == 202)
            live.clock.advance(by: .seconds(3 * 86_400))
            try await live.service.tidy()
            expect(try await live.cells().count, is: 2, "the tenth day")
            live.clock.advance(by: .seconds(86_400))
            try await live.service.tidy()
            expect(try await live.cells().count, is: 1, "the eleventh day")
        }
    }

    @Test func ofTooManyMarksOfBatchesTheOldestAreForgotten() async throws {
        let folder = LiveServer.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let clock = TestClock(UnixTime(seconds: 1_800_000_000))
        let store = try TestStore.open(in: folder, clock)
        for number in UInt8(0)..<10 {
            #expect(try await store.add([], of: [[number]]) == 0)
            clock.advance(by: .seconds(1))
        }
        let today = TelemetryDay(of: clock.now)
        func purge(_ most: Int) async throws -> Set<[UInt8]> {
            try await store.purgeTelemetry(
                cellsBefore: nil, today: today, batchesBefore: UnixTime(seconds: 0), mostBatches: most)
            return try await store.countedBatches((UInt8(0)..<10).map { [$0] })
        }
        expect(try await purge(10).count, is: 10)
        expect(try await purge(4), is: Set((UInt8(6)..<10).map { [$0] }))
        #expect(try await store.add([], of: [[9]]) == nil, "a batch that is known")
        // More than one transaction deletes.
        let many = (0..<10_001).map { [UInt8($0 / 256), UInt8($0 % 256)] }
        #expect(try await store.add([], of: many) == 0)
        clock.advance(by: .seconds(1))
        try await store.purgeTelemetry(cellsBefore: nil, today: today, batchesBefore: clock.now, mostBatches: 20_000)
        expect(try await store.countedBatches(many).count, is: 0)
    }

    @Test func aCellThatCannotBeReadStaysAndTheOthersCount() async throws {
        let metrics = PrometheusMetrics()
        try await LiveServer.run(configure: { $0.metrics = metrics }) { live in
            let key = try await live.telemetryKey()
            #expect(try await live.sendTelemetry(key: key).status == 202)
            let unreadable = Data([0xFF])
            try live.tables { try $0.run(sql: "UPDATE telemetry_cells SET tally = ?", arguments: [unreadable]) }
            var other = TelemetryBatches.phone
            other.model = "iPad16,3"
            let both = TelemetryBatches.bytes([TelemetryBatches.unlock(), TelemetryBatches.unlock(other)])
            #expect(try await live.sendTelemetry(both, key: key).status == 202)
            let error = await #expect(throws: SetupError.self) { _ = try await live.cells() }
            #expect(error?.description.contains("Report with the newer version") == true)
            try live.tables { try $0.run(sql: "DELETE FROM telemetry_cells WHERE tally = ?", arguments: [unreadable]) }
            expect(try await live.cells().map(\.cell.context), is: [other])
            #expect(metrics.text().contains("thumbturn_telemetry_unreadable_cells_total 1\n"))
        }
    }

    /// A write key is public, so anyone sends any events. No sequence of them makes a cell that the server cannot read again.
    @Test func noEventsMakeACellUnreadable() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let rungs = Rung.allCases
        func event() -> Telemetry {
            let rung = rungs.randomElement(using: &generator) ?? .biometric
            let time = Duration.milliseconds(Int.random(in: 0...Int(Telemetry.longestTime / .milliseconds(1)), using: &generator))
            return switch Int.random(in: 0..<9, using: &generator) {
            case 0: .promptShown(rung)
            case 1: .promptAppeared(rung, .requested)
            case 2: .sensorAnswered(.matched, after: time, total: .zero)
            case 3: .sensorAnswered(.failed(.notMatched), after: .zero, total: time)
            case 4: .retry(Int.random(in: 0...1000, using: &generator))
            case 5: .hintShown
            case 6: .authenticated(rung, after: time, attempts: 1000)
            case 7: .cancelled(.cancelledByUser)
            default: .fellBack(from: rung, to: rung, because: .mismatches)
            }
        }
        var sums = UnlockTally()
        for _ in 0..<2000 {
            let events = (0..<Int.random(in: 1...64, using: &generator)).map { _ in event() }
            let report = UnlockReport(events, began: UnixTime(seconds: 1_800_000_000), in: TelemetryBatches.phone)
            // As it travels.
            let sent = try StrictJSON.decodeIgnoringUnknown(UnlockReport.self, from: WireJSON.encode(report))
            sums.add(sent)
            sums = try UnlockTally(bytes: sums.bytes)
        }
        #expect(sums[.unlocks] == 2000)
    }

    // MARK: The report

    @Test func aReportShowsTheGroupsThatHaveTwentyDevices() async throws {
        try await LiveServer.run { live in
            let key = try await live.telemetryKey()
            let today = TelemetryDay(of: live.clock.now)
            let store = live.service.store
            func send(_ model: String, _ devices: Int) async throws {
                for _ in 0..<devices {
                    var context = TelemetryBatches.phone
                    context.model = TelemetryLabel(model)
                    let bytes = TelemetryBatches.bytes([TelemetryBatches.unlock(context)])
                    #expect(try await live.sendTelemetry(bytes, key: key).status == 202)
                }
            }
            func texts() async throws -> [String] {
                let report = TelemetryReport(try await store.telemetry(from: today, to: today), by: .model, leastDevices: 20)
                return [report.text, report.json, report.csv]
            }
            try await send("iPhone17,3", 20)
            try await send("iPhone16,1", 45)
            for text in try await texts() { #expect(text.contains("iPhone17,3") && text.contains("iPhone16,1"), "\(text)") }
            try await send("Rare1,1", 19)
            for text in try await texts() { #expect(text.contains("iPhone16,1") && !text.contains("Rare1,1"), "\(text)") }
            let batches = Set(try await store.telemetry(from: today, to: today).map(\.devices.estimate))
            #expect(batches == [20, 45, 19])
            let tomorrow = TelemetryDay(number: today.number + 1)
            expect(try await store.telemetry(from: tomorrow, to: tomorrow).count, is: 0)
        }
    }

    // MARK: Write keys and days

    @Test func writeKeysAreManagedByName() async throws {
        try await LiveServer.run { live in
            let (server, store) = (live.server, live.service.store)
            let text = try await server.addTelemetryKey(named: "app")
            #expect(Base64URL.decode(text)?.count == 32)
            await #expect(throws: SetupError.self) { _ = try await server.addTelemetryKey(named: "app") }
            await #expect(throws: SetupError.self) { _ = try await server.addTelemetryKey(named: "An App") }
            await #expect(throws: SetupError.self) { try await server.removeTelemetryKey(named: "other") }
            #expect(try await store.telemetryKeys().map(\.name) == ["app"])
            #expect(try await live.sendTelemetry(key: text).status == 202)
            try await server.removeTelemetryKey(named: "app")
            #expect(try await store.telemetryKeys().isEmpty)
            let events = try await store.auditRows(after: 0, limit: 100).map(\.event)
            for kind in ["telemetry-key-added", "telemetry-key-removed"] {
                #expect(events.contains { $0.contains(kind) && $0.contains(#""detail":"app""#) }, "\(kind)")
            }
            #expect(!events.contains { $0.contains(text) })
        }
    }

    @Test(
        "a day has one form",
        arguments: [
            ("1970-01-01", 0), ("1970-01-02", 1), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2024-02-29", 19_782),
            ("2026-11-26", 20_783), ("2100-03-01", 47_541), ("9999-12-31", 2_932_896), ("0001-01-01", -719_162),
            ("2100-02-29", nil), ("2026-02-29", nil), ("2026-04-31", nil), ("2026-13-01", nil), ("2026-00-10", nil),
            ("2026-01-00", nil), ("2026-1-1", nil), ("26-01-01", nil), ("2026-01-01 ", nil), ("+026-01-01", nil),
            ("2026-01-01T00:00:00Z", nil), ("20260101", nil), ("", nil), ("2026-+1-01", nil), ("0000-01-01", nil),
            ("٢٠٢٦-01-01", nil),
        ] as [(String, Int?)])
    func day(_ row: (String, Int?)) {
        #expect(TelemetryDay(row.0)?.number == row.1)
        if let number = row.1 { #expect(UTCDay.text(number) == row.0) }
    }
}
#endif
