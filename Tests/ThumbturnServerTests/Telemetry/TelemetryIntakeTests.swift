#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTelemetry
@testable import ThumbturnServer

/// The queue in front of the database, and the bounds of cells, without a server.
@Suite struct TelemetryIntakeTests {
    private static func batch(
        _ count: Int = 1, by credential: BatchSender.Credential = .device(.random()),
        in context: TelemetryContext = TelemetryBatches.phone
    ) -> WaitingBatch {
        TelemetryBatches.waiting(
            TelemetryBatches.batch((0..<count).map { _ in TelemetryBatches.unlock(context) }), credential)
    }

    private static func context(_ number: Int) -> TelemetryContext {
        TelemetryContext(model: TelemetryLabel("model \(number)"))
    }

    /// Rounds that end when the test says so.
    private final class Rounds: Sendable {
        private let begun = AsyncStream.makeStream(of: [WaitingBatch].self)
        private let ends = AsyncStream.makeStream(of: Bool.self)

        struct Failed: Error {}

        /// Stands in for the store.
        @Sendable func count(_ batches: [WaitingBatch]) async throws {
            begun.continuation.yield(batches)
            for await succeeds in ends.stream {
                guard succeeds else { throw Failed() }
                return
            }
        }

        func next() async throws -> [WaitingBatch] {
            for await batches in begun.stream { return batches }
            throw Failed()
        }

        func end(_ succeeds: Bool = true) { ends.continuation.yield(succeeds) }
    }

    /// Submits batches one after the other; each waits before the next one comes.
    private static func submit(
        _ batches: [WaitingBatch], to intake: TelemetryIntake,
        in group: inout ThrowingTaskGroup<TelemetryIntake.Outcome, any Error>
    ) async {
        for batch in batches {
            let before = intake.waitingUnlocks
            group.addTask { try await intake.submit(batch) }
            while intake.waitingUnlocks == before { await Task.yield() }
        }
    }

    @Test func whatComesDuringARoundSharesTheNextOne() async throws {
        let rounds = Rounds()
        let intake = TelemetryIntake(spacing: .zero, count: rounds.count)
        try await withThrowingTaskGroup(of: TelemetryIntake.Outcome.self) { group in
            await Self.submit([Self.batch()], to: intake, in: &group)
            expect(try await rounds.next().count, is: 1)
            let five = (0..<5).map { _ in Self.batch() }
            await Self.submit(five, to: intake, in: &group)
            rounds.end()
            expect(try await group.next(), is: .counted)
            expect(try await rounds.next().count, is: 5)
            expect(intake.waitingUnlocks, is: 5)
            rounds.end()
            for _ in 0..<5 { expect(try await group.next(), is: .counted) }
            expect(intake.waitingUnlocks, is: 0)
            await Self.submit([Self.batch()], to: intake, in: &group)
            expect(try await rounds.next().count, is: 1, "it begins again")
            rounds.end()
            expect(try await group.next(), is: .counted)
        }
    }

    @Test func aRoundThatFailsFailsItsOwnBatchesAndNoOthers() async throws {
        let rounds = Rounds()
        let intake = TelemetryIntake(spacing: .zero, count: rounds.count)
        await withThrowingTaskGroup(of: TelemetryIntake.Outcome.self) { group in
            await Self.submit([Self.batch()], to: intake, in: &group)
            _ = try? await rounds.next()
            await Self.submit([Self.batch(), Self.batch()], to: intake, in: &group)
            rounds.end(false)
            await #expect(throws: Rounds.Failed.self) { _ = try await group.next() }
            _ = try? await rounds.next()
            rounds.end()
            for _ in 0..<2 { #expect((try? await group.next()) == .counted) }
            #expect(intake.waitingUnlocks == 0)
        }
    }

    /// The first batch's request leads the round. Its end is not that of the other batches.
    @Test func aLeaderThatIsCancelledDoesNotCancelTheRound() async throws {
        let isCancelled = Mutex<Bool?>(nil)
        let intake = TelemetryIntake(spacing: .seconds(3600)) { _ in isCancelled.withLock { $0 = Task.isCancelled } }
        // After the first round the next one would be due in an hour, and a leader that is cancelled does not wait.
        expect(try await intake.submit(Self.batch()), is: .counted)
        let leader = Task { try await intake.submit(Self.batch()) }
        while intake.waitingUnlocks == 0 { await Task.yield() }
        leader.cancel()
        expect(try await leader.value, is: .counted)
        #expect(isCancelled.withLock { $0 } == false)
    }

    @Test func aRoundHasFewCellsAndFewUnlocks() async throws {
        for (size, contexts, whole) in [(100, 1, Limits.telemetryRoundUnlocks / 100), (100, 100, 2)] {
            let rounds = Rounds()
            let intake = TelemetryIntake(spacing: .zero, count: rounds.count)
            try await withThrowingTaskGroup(of: TelemetryIntake.Outcome.self) { group in
                await Self.submit([Self.batch()], to: intake, in: &group)
                _ = try await rounds.next()
                let many = (0..<50).map { number in
                    let unlocks = (0..<size).map {
                        TelemetryBatches.unlock(contexts == 1 ? TelemetryBatches.phone : Self.context(number * size + $0))
                    }
                    return TelemetryBatches.waiting(TelemetryBatches.batch(unlocks), .device(.random()))
                }
                await Self.submit(many, to: intake, in: &group)
                rounds.end()
                var counted = 0
                while counted < many.count {
                    let round = try await rounds.next()
                    #expect(round.count <= whole && (round.count == whole || counted + round.count == many.count))
                    counted += round.count
                    rounds.end()
                }
                for _ in 0...50 { expect(try await group.next(), is: .counted) }
            }
        }
    }

    @Test func aFullQueueTakesNoMoreAndKeepsHalfForDevices() async throws {
        let rounds = Rounds()
        let intake = TelemetryIntake(spacing: .zero, count: rounds.count)
        try await withThrowingTaskGroup(of: TelemetryIntake.Outcome.self) { group in
            let most = Limits.telemetryWaiting / 100
            await Self.submit((0..<(most / 2)).map { _ in Self.batch(100, by: .key("app")) }, to: intake, in: &group)
            expect(try await intake.submit(Self.batch(1, by: .key("other"))), is: .full)
            await Self.submit((0..<(most / 2)).map { _ in Self.batch(100) }, to: intake, in: &group)
            expect(try await intake.submit(Self.batch()), is: .full)
            expect(intake.waitingUnlocks, is: Limits.telemetryWaiting)
            let feeding = Task { while let round = try? await rounds.next(), !round.isEmpty { rounds.end() } }
            for _ in 0..<most { expect(try await group.next(), is: .counted) }
            expect(intake.waitingUnlocks, is: 0)
            expect(try await intake.submit(Self.batch(1, by: .key("app"))), is: .counted)
            feeding.cancel()
        }
    }

    @Test func aNetworkReadsFewBatchesAtATime() async throws {
        let gate = TelemetryGate()
        let (one, other) = (Network(forwarded: "192.0.2.1"), Network(forwarded: "192.0.2.2"))
        func nest(_ depth: Int, _ network: Network, _ inside: () async throws -> Void) async throws {
            guard depth > 0 else { return try await inside() }
            try await gate.admit(from: network) { try await nest(depth - 1, network, inside) }
        }
        func status(_ network: Network) async -> Int {
            do {
                return try await gate.admit(from: network) { 200 }
            } catch {
                return (error as? RequestError)?.problem.status ?? 0
            }
        }
        try await nest(Limits.telemetryAtOnceOfNetwork, one) {
            expect(await status(one), is: 429)
            expect(await status(other), is: 200)
        }
        expect(await status(one), is: 200, "those that were read are forgotten")
        func fill(_ networks: Int) async throws {
            guard networks > 0 else { return expect(await status(Network(forwarded: "198.51.100.99")), is: 503) }
            try await nest(Limits.telemetryAtOnceOfNetwork, Network(forwarded: "198.51.100.\(networks)")) {
                try await fill(networks - 1)
            }
        }
        try await fill(Limits.telemetryAtOnce / Limits.telemetryAtOnceOfNetwork)
        expect(await status(one), is: 200)
    }

    // MARK: The bounds of cells

    private static let salt = TelemetrySalt(bytes: [UInt8](repeating: 7, count: 32))

    private static func tally(known contexts: Set<TelemetryContext> = [], _ count: Int, byKeys: Int = 0) -> TelemetryTally {
        TelemetryTally(salt: salt, known: KnownCells(contexts: contexts, count: count, countByKeys: byKeys))
    }

    @Test func beyondTheBoundOfADayUnlocksCountTogether() {
        let (key, device) = (BatchSender.Credential.key("app"), BatchSender.Credential.device(.random()))
        for (count, byKeys, credential, isOwn) in [
            (0, 0, device, true), (Limits.telemetryCells - 1, 0, device, true), (Limits.telemetryCells, 0, device, false),
            (0, 0, key, true), (1500, Limits.telemetryCellsOfKeys - 1, key, true),
            (1500, Limits.telemetryCellsOfKeys, key, false), (1500, Limits.telemetryCellsOfKeys, device, true),
        ] {
            var tally = Self.tally(count, byKeys: byKeys)
            tally.add(Self.batch(3, by: credential)) { _ in true }
            #expect(Array(tally.cells.keys) == [isOwn ? TelemetryBatches.phone : .other])
            #expect(tally.others == (isOwn ? 0 : 3))
            #expect(tally.cells.values.first?.unlocks[.unlocks] == 3)
            #expect(tally.cells.values.first?.isByKey == (credential == key))
        }
        var full = Self.tally(known: [TelemetryBatches.phone], Limits.telemetryCells)
        full.add(Self.batch(2)) { _ in false }
        #expect(full.cells[TelemetryBatches.phone]?.unlocks[.unlocks] == 2, "a cell that exists is not new")
    }

    @Test func theNewCellsOfARoundCountAmongThoseOfTheDay() {
        var tally = Self.tally(Limits.telemetryCells - 2)
        for number in 0..<5 { tally.add(Self.batch(in: Self.context(number))) { _ in true } }
        #expect(tally.cells.count == 3 && tally.others == 3)
        tally.add(Self.batch(in: Self.context(0))) { _ in false }
        #expect(tally.cells[Self.context(0)]?.unlocks[.unlocks] == 2)
        #expect(tally.cells[.other]?.devices.estimate == 3)
    }

    @Test func eachSenderHasAShareOfTheNewCellsOfADay() {
        let shares = TelemetryShares(most: 4)
        let (today, device) = (TelemetryDay(number: 1), BatchSender.Shareholder.device(.random()))
        let network = BatchSender.Shareholder.network(.unknown)
        for _ in 0..<Limits.telemetryCellsOfDevice { #expect(shares.take(device, on: today)) }
        #expect(!shares.take(device, on: today) && !shares.take(device, on: today))
        for _ in 0..<Limits.telemetryCellsOfNetwork { #expect(shares.take(network, on: today)) }
        #expect(!shares.take(network, on: today))
        #expect(shares.take(device, on: TelemetryDay(number: 2)), "a new day")
        #expect(!(1...Limits.telemetryCellsOfDevice).allSatisfy { _ in shares.take(device, on: TelemetryDay(number: 2)) })
        for _ in 0..<4 { #expect(shares.take(.device(.random()), on: TelemetryDay(number: 2))) }
        #expect(!shares.take(device, on: TelemetryDay(number: 2)), "it is in the older generation")
        for _ in 0..<10 { #expect(shares.take(.device(.random()), on: TelemetryDay(number: 2))) }
        #expect(shares.take(device, on: TelemetryDay(number: 2)), "with more senders the first ones are forgotten")
    }

    @Test func aSendersShareIsOfItsDeviceOrItsNetwork() {
        let (id, network) = (DeviceID.random(), Network(forwarded: "192.0.2.1"))
        #expect(BatchSender(credential: .device(id), network: network).shareholder == .device(id))
        #expect(BatchSender(credential: .key("app"), network: network).shareholder == .network(network))
    }

    // MARK: Devices

    @Test func aDeviceIsTheSameAllDayAndAnotherOneOnTheNext() {
        let (device, other) = (BatchSender.Credential.device(.random()), BatchSender.Credential.device(.random()))
        let key = BatchSender.Credential.key("app")
        let (first, second) = (TelemetryBatches.batch(), TelemetryBatches.batch())
        func hash(_ batch: TelemetryBatch, _ credential: BatchSender.Credential, _ salt: TelemetrySalt = Self.salt) -> UInt64 {
            salt.hash(of: TelemetryBatches.waiting(batch, credential))
        }
        #expect(hash(first, device) == hash(second, device), "whatever its batches call it")
        #expect(hash(first, device) != hash(first, other))
        #expect(hash(first, key) == hash(first, .key("other")))
        #expect(hash(first, key) != hash(second, key))
        let tomorrow = TelemetrySalt(bytes: [UInt8](repeating: 8, count: 32))
        #expect(hash(first, device) != hash(first, device, tomorrow) && hash(first, key) != hash(first, key, tomorrow))
        let device16 = DeviceID(unchecked: Array("0123456789abcdef".utf8))
        #expect(hash(first, .device(device16)) != hash(first, key))
    }
}
#endif
