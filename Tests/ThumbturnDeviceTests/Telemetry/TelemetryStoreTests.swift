import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Reports over a restart, and off by one switch.
@Suite struct TelemetryStoreTests {
    private typealias World = TelemetryWorld

    private static func story(_ story: @escaping @Sendable (TelemetryWorld) async throws -> Void) async throws {
        let world = TelemetryWorld()
        try await world.clock.run { try await story(world) }
    }

    /// Leaves reports behind, as a process that is killed.
    private static func leave(_ count: Int, in world: TelemetryWorld, answer: TelemetryAnswer = .later(after: nil)) async throws {
        let queue = world.queue(seed: 1)
        // Fewer than make a batch are not sent.
        if count >= 20 { world.sender.next(answer) }
        try await world.running(queue) {
            for number in 1...count { queue.take(World.report(number)) }
            try await world.pass(.seconds(1))
        }
    }

    // MARK: Over a restart

    @Test func whatAnEarlierProcessLeftGoesAtTheStart() async throws {
        try await Self.story { world in
            try await Self.leave(3, in: world)
            #expect(world.sender.batches.isEmpty)
            let queue = world.queue(seed: 2)
            queue.take(World.report(4))
            try await world.running(queue) {
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.map(World.numbers) == [[1, 2, 3, 4]])
                expect(world.store.record, is: nil)
            }
        }
    }

    @Test func aProcessThatDiesBetweenSendingAndDeletingSendsTheSameBatchAgain() async throws {
        try await Self.story { world in
            world.sender.takeTime(.seconds(50), ignoringCancellation: true)
            try await Self.leave(20, in: world, answer: .taken)
            let first = try #require(world.sender.batches.first)
            world.sender.takeTime(.zero)
            let queue = world.queue(seed: 2)
            try await world.running(queue) {
                queue.take(World.report(21))
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.prefix(2) == [first, first])
                #expect(queue.count == 0)
            }
        }
    }

    @Test func aRestartDoesNotGoAroundADelay() async throws {
        try await Self.story { world in
            try await Self.leave(20, in: world, answer: .later(after: .seconds(600)))
            for process in 2...5 as ClosedRange<UInt64> {
                try await world.running(world.queue(seed: process)) { try await world.pass(.seconds(100)) }
            }
            #expect(world.sender.batches.count == 1)
            try await world.running(world.queue(seed: 6)) { try await world.pass(.seconds(300)) }
            #expect(world.sender.batches.count == 2)
            #expect(world.sender.times[0].duration(to: world.sender.times[1]) == .seconds(600))
        }
    }

    @Test func aRestartOfTheDeviceEndsADelay() async throws {
        try await Self.story { world in
            try await Self.leave(20, in: world, answer: .later(after: .seconds(86_400)))
            world.clock.boot = "second boot"
            try await world.running(world.queue(seed: 2)) { try await world.pass(.seconds(1)) }
            #expect(world.sender.batches.count == 2, "its clock cannot tell how much is left")
        }
    }

    @Test func theNameOfTheDayIsTheSameAfterARestartAndAnotherOneTheNextDay() async throws {
        try await Self.story { world in
            try await Self.leave(20, in: world)
            try await world.running(world.queue(seed: 2)) { try await world.pass(.seconds(60)) }
            try await Self.leave(20, in: world)
            world.clock.setCivilTime(world.clock.civilTime + .seconds(86_400))
            try await world.running(world.queue(seed: 3)) { try await world.pass(.seconds(60)) }
            let batches = world.sender.batches
            #expect(batches.count == 4)
            #expect(batches[0] == batches[1], "the same day")
            #expect(batches[2].day != batches[3].day && batches[2].id != batches[3].id)
            #expect(batches[2].unlocks == batches[3].unlocks)
        }
    }

    @Test func theBoundsHoldForWhatWasStored() async throws {
        try await Self.story { world in
            try await Self.leave(20, in: world, answer: .later(after: .seconds(50)))
            let second = world.queue(seed: 2)
            try await world.running(second) {
                for number in 21...40 { second.take(World.report(number)) }
                try await world.pass(.seconds(1))
            }
            let queue = world.queue(.init(mostReports: 30), seed: 3)
            world.sender.always(.later(after: nil))
            try await world.running(queue) {
                try await world.pass(.seconds(100))
                #expect(queue.count == 30 && queue.dropped == 10)
                #expect(world.sender.batches.last.map(World.numbers) == Array(11...40))
                #expect(world.sender.batches.last?.id != world.sender.batches.first?.id, "another batch than the one stored")
            }
        }
    }

    @Test(
        "a damaged record begins anew",
        arguments: [
            "", "{", "null", "[]", "{}", #"{"reports":[],"dropped":-1,"failures":-9,"boot":"first boot"}"#,
            #"{"reports":[],"dropped":9223372036854775807,"failures":9223372036854775807,"boot":"first boot","pause":9223372036854775807}"#,
            #"{"reports":[{"report":{"context":{},"began":1,"events":["hintShown"]}}],"dropped":0,"failures":0,"boot":"b","count":0,"day":20833,"batch":"AAAAAAAAAAAAAAAAAAAAAA","dayName":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
            #"{"reports":[{"report":{"context":{},"began":1,"events":["hintShown"]}}],"dropped":0,"failures":0,"boot":"b","count":9,"day":20833,"batch":"AAAAAAAAAAAAAAAAAAAAAA","dayName":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
        ])
    func damaged(_ record: String) async throws {
        try await Self.story { world in
            world.store.record = Array(record.utf8)
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                try await world.pass(.seconds(1))
                queue.take(World.report(7))
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.last.map(World.numbers) == [7])
                #expect(queue.count == 0)
            }
        }
    }

    @Test("a record with any byte changed, or cut short, breaks nothing")
    func everyDamage() async throws {
        try await Self.story { world in
            try await Self.leave(2, in: world)
            let record = try #require(world.store.record)
            for index in record.indices {
                for damaged in [
                    Array(record[..<index]), record.prefix(index) + [record[index] ^ 0x11] + record.suffix(from: index + 1),
                ] {
                    world.store.record = damaged
                    let queue = world.queue(.init(batch: 1))
                    try await world.running(queue) {
                        queue.take(World.report(7))
                        try await world.pass(.seconds(100))
                        #expect(world.sender.batches.last.map(World.numbers)?.last == 7)
                    }
                }
            }
        }
    }

    // MARK: A full disk

    @Test func aFullDiskLosesOnlyTheRestart() async throws {
        try await Self.story { world in
            world.store.fill(true)
            let queue = world.queue()
            try await world.running(queue) {
                for number in 1...20 { queue.take(World.report(number)) }
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.map(World.numbers) == [Array(1...20)])
            }
        }
    }

    /// Otherwise the next process would send a batch that was taken under another name.
    @Test func aRecordThatCannotBeReplacedIsDeleted() async throws {
        try await Self.story { world in
            try await Self.leave(3, in: world)
            world.store.fill(true)
            world.sender.always(.later(after: nil))
            try await world.running(world.queue(seed: 2)) { try await world.pass(.seconds(1)) }
            expect(world.store.record, is: nil)
            #expect(world.sender.batches.count == 1)
        }
    }

    // MARK: The switch

    @Test func offDeletesWhatWaitsAtOnceAndTakesNoMore() async throws {
        try await Self.story { world in
            let queue = world.queue()
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                #expect(world.store.record != nil)
                try await queue.set(isOn: false)
                #expect(world.store.record == nil && queue.count == 0 && !queue.isOn)
                for number in 2...40 { queue.take(World.report(number)) }
                try await world.pass(.seconds(86_400))
                #expect(world.store.record == nil && queue.count == 0 && world.sender.batches.isEmpty)
            }
        }
    }

    @Test func offDeletesWhatAnEarlierProcessLeftAlsoWithoutARun() async throws {
        try await Self.story { world in
            try await Self.leave(3, in: world)
            let queue = world.queue()
            try await queue.set(isOn: false)
            expect(world.store.record, is: nil)
            try await world.running(queue) { try await world.pass(.seconds(1000)) }
            #expect(world.sender.batches.isEmpty)
        }
    }

    @Test func aQueueThatBeginsOffDeletesWhatWasLeft() async throws {
        try await Self.story { world in
            try await Self.leave(3, in: world)
            try await world.running(world.queue(isOn: false)) { try await world.pass(.seconds(1)) }
            #expect(world.store.record == nil && world.sender.batches.isEmpty)
        }
    }

    @Test func offStopsABatchOnItsWay() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            world.sender.takeTime(.seconds(30))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                try await queue.set(isOn: false)
                try await world.pass(.seconds(1))
                #expect(world.sender.cancelled == 1)
            }
        }
    }

    @Test func onAgainBeginsAnew() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                world.sender.takeTime(.seconds(30), ignoringCancellation: true)
                queue.take(World.report(2))
                try await world.pass(.seconds(1))
                try await queue.set(isOn: false)
                try await queue.set(isOn: true)
                world.sender.takeTime(.zero)
                queue.take(World.report(3))
                try await world.pass(.seconds(100))
                let batches = world.sender.batches
                #expect(batches.map(World.numbers) == [[1], [2], [3]])
                #expect(batches[0].day == batches[1].day && batches[2].day != batches[0].day, "another name of the day")
                #expect(queue.count == 0 && queue.dropped == 0, "the answer to 2 is not one to 3")
            }
        }
    }

    @Test func onDoesNotGoAroundADelay() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            world.sender.next(.later(after: .seconds(600)))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                try await queue.set(isOn: false)
                try await queue.set(isOn: true)
                queue.take(World.report(2))
                try await world.pass(.seconds(590))
                #expect(world.sender.batches.count == 1)
                try await world.pass(.seconds(10))
                #expect(world.sender.batches.count == 2)
            }
        }
    }

    @Test func aStoreThatCannotBeClearedIsToldAndTriedAgain() async throws {
        try await Self.story { world in
            let queue = world.queue()
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                world.store.fill(true, isBroken: true)
                await expectFailure(.platform) { try await queue.set(isOn: false) }
                #expect(!queue.isOn && queue.count == 0)
                world.store.fill(false)
                #expect(world.store.record != nil)
                world.phases.send(.back)
                try await world.pass(.seconds(1))
                expect(world.store.record, is: nil)
            }
        }
    }

    @Test func switchingOnWhatIsOnChangesNothing() async throws {
        try await Self.story { world in
            try await Self.leave(3, in: world)
            let queue = world.queue()
            try await queue.set(isOn: true)
            try await world.running(queue) { try await world.pass(.seconds(1)) }
            #expect(world.sender.batches.map(World.numbers) == [[1, 2, 3]])
        }
    }

    @Test func aSecondRunReturnsAtOnce() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                try await world.pass(.seconds(1))
                await queue.run(through: world.sender)
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.count == 1)
            }
            try await world.running(queue) {
                queue.take(World.report(2))
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.count == 2, "after the end of the first there may be another")
            }
        }
    }

    // MARK: Files

    @Test func aFileIsReplacedAndDeletedAsAWhole() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("telemetry \(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = TelemetryFile(in: folder)
        expect(try file.read(), is: nil)
        try file.delete()
        try file.write([1, 2, 3])
        try file.write([4])
        expect(try file.read(), is: [4])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent("telemetry").path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        try Data([9]).write(to: folder.appendingPathComponent(".thumbturn-draft-1"))
        try file.delete()
        expect(try file.read(), is: nil)
        expect(try FileManager.default.contentsOfDirectory(atPath: folder.path), is: [], "nor what a crash left")
    }

    @Test func aFolderThatIsAFileIsAFailure() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("telemetry \(UUID())")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data([1]).write(to: path)
        await expectFailure(.platform) { try TelemetryFile(in: path).write([1]) }
    }
}
