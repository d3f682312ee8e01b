#if LinuxDevice && os(Linux)
import Foundation
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLinuxLab
import ThumbturnTestKit

@testable import ThumbturnLinux
@testable import ThumbturnMatcher

/// The matcher's state in a folder, with prints that a test writes itself.
final class StateBench: Sendable {
    let scratch: Scratch
    let clock = VirtualClock()
    let ada = MatcherState.User(id: 1000, name: "ada")
    let tcti: String

    init(_ tcti: String) throws {
        scratch = try Scratch()
        self.tcti = tcti
        try FileManager.default.createDirectory(atPath: prints, withIntermediateDirectories: true)
    }

    private var state: String { "\(scratch.path)/state" }
    private var prints: String { "\(scratch.path)/prints" }

    /// The state as a matcher finds it at its start.
    func start() throws -> MatcherState {
        try MatcherState(folder: state, tcti: tcti, prints: EnrolledPrints(folder: prints), clock: clock.moment) { 7 }
    }

    /// Replaces the one print of a user; nil removes it.
    func enrol(_ print: String?, name: String = "ada") throws {
        let folder = URL(fileURLWithPath: "\(prints)/\(name)/reader")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("7")
        if let print { try Data(print.utf8).write(to: file) } else { try FileManager.default.removeItem(at: file) }
    }

    /// Keeps both folders, the matcher's and fprintd's, as a backup would.
    func keep() throws {
        for folder in [state, prints] { try FileManager.default.copyItem(atPath: folder, toPath: folder + ".kept") }
    }

    /// Puts both folders back.
    func restore() throws {
        for folder in [state, prints] {
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.copyItem(atPath: folder + ".kept", toPath: folder)
        }
    }

    /// Lets no record be written, as a full file system does: a folder has the name of the draft.
    func withoutWriting(_ work: () throws -> Void) throws {
        let draft = "\(state)/.thumbturn-draft-00000000000000070000000000000007"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true)
        try work()
        try FileManager.default.removeItem(atPath: draft)
    }

    func write(_ record: MatcherRecord) throws {
        try Data(try JSONEncoder().encode(record)).write(to: URL(fileURLWithPath: "\(state)/\(ada.id).user"))
    }

    /// The handles of all counters in the TPM.
    func counters() throws -> [UInt32] {
        try TPM.connected(tcti) { tpm throws(TPMError) in
            try tpm.handles(from: MatcherState.counters.lowerBound).filter { MatcherState.counters.contains($0) }
        }
    }
}

extension VirtualClock {
    /// The present moment, as the matcher reads it.
    var moment: @Sendable () -> Moment { { Moment(boot: self.boot, sinceBoot: self.now) } }
}

/// The identity that a device would get from a matcher with this state.
private struct StateMatcher: Matcher {
    let state: MatcherState
    let user: MatcherState.User

    func identity() throws(Failure) -> MatcherIdentity {
        do throws(MatcherRefusal) {
            return try state.identity(of: user)
        } catch {
            throw error.failure
        }
    }
}

extension RealParts {
    @Suite(.enabled(if: Real.tpmIsHere)) struct MatcherStateTests {
        private func bench() async throws -> StateBench { try StateBench(try await Real.lab.value.tcti) }

        @Test(.tpm) func foldersThatWereSetBackReviveNoFinger() async throws {
            let bench = try await bench()
            try bench.enrol("a finger that is removed later")
            _ = try bench.start().identity(of: bench.ada)
            try bench.keep()
            try bench.enrol("the finger of today")
            let state = try bench.start()
            let matcher = StateMatcher(state: state, user: bench.ada)
            let keys = TPMKeys(tcti: bench.tcti, folder: "\(bench.scratch.path)/keys", matcher: matcher)
            _ = try await keys.create(key(.biometric))
            #expect(await keys.state(of: key(.biometric)) == .usable)
            var value = try state.identity(of: bench.ada).value

            // The removed finger is back, and the record says that nothing has changed since.
            for _ in 1...2 {
                try bench.restore()
                let restarted = try bench.start()
                #expect(throws: MatcherRefusal.enrolmentChanged) { try restarted.unchangedIdentity(of: bench.ada) }
                let next = try restarted.unchangedIdentity(of: bench.ada).value
                #expect(next > value, "the keys of today are dead")
                value = next
            }
            #expect(await keys.state(of: key(.biometric)).isDead)
        }

        @Test(.tpm) func aRecordFromBeforeTheCounterRevivesNoFinger() async throws {
            let bench = try await bench()
            try bench.enrol("the finger of today")
            let state = try bench.start()
            let pending = MatcherRecord.Pending(
                handle: MatcherState.counters.lowerBound, value: [UInt8](repeating: 3, count: 32))
            try bench.write(MatcherRecord(pending: pending))
            let matcher = StateMatcher(state: state, user: bench.ada)
            let keys = TPMKeys(tcti: bench.tcti, folder: "\(bench.scratch.path)/keys", matcher: matcher)
            _ = try await keys.create(key(.biometric))
            #expect(await keys.state(of: key(.biometric)) == .usable)
            try bench.write(MatcherRecord(pending: pending))
            try bench.enrol("another finger")
            _ = try state.identity(of: bench.ada)
            #expect(await keys.state(of: key(.biometric)).isDead)
        }

        @Test(.tpm) func aRecordThatCannotBeWrittenCostsTheTPMNothing() async throws {
            let bench = try await bench()
            try bench.enrol("one")
            let state = try bench.start()
            func isRefused() throws {
                try bench.withoutWriting {
                    for _ in 1...20 { #expect(throws: MatcherRefusal.broken) { try state.identity(of: bench.ada) } }
                }
            }
            try isRefused()
            #expect(try bench.counters().isEmpty, "no counter was created")
            let before = try state.identity(of: bench.ada)
            try bench.enrol("two")
            try isRefused()
            #expect(try state.identity(of: bench.ada).value == before.value + 1, "the counter was raised once")
            #expect(try bench.counters() == [before.counter.handle])
        }

        @Test(.tpm) func aCounterWhoseCreationWasInterruptedIsCompleted() async throws {
            let bench = try await bench()
            try bench.enrol("one")
            let state = try bench.start()
            let pending = MatcherRecord.Pending(
                handle: MatcherState.counters.lowerBound + 5, value: [UInt8](repeating: 3, count: 32))
            let record = MatcherRecord(pending: pending)

            // The matcher was killed before it asked the TPM.
            try bench.write(record)
            #expect(try state.identity(of: bench.ada).counter.handle == pending.handle)

            // It was killed after the counter was created. A record that can no longer be written raises it no further.
            try bench.write(record)
            let made = try TPM.connected(bench.tcti) { tpm throws(TPMError) in
                try tpm.undefine(pending.handle)
                return try tpm.defineCounter(at: pending.handle, value: pending.value)
            }
            func count() throws -> UInt64 {
                try TPM.connected(bench.tcti) { tpm throws(TPMError) in try tpm.count(made, value: pending.value) }
            }
            let before = try count()
            try bench.withoutWriting {
                for _ in 1...5 { #expect(throws: MatcherRefusal.broken) { try state.identity(of: bench.ada) } }
            }
            #expect(try count() == before)
            let identity = try state.identity(of: bench.ada)
            #expect(identity.counter == made && identity.value == before + 1)
            #expect(try bench.counters() == [pending.handle], "no counter was left behind")
        }

        @Test(.tpm) func aCounterThatWasNeverWrittenIsCompleted() async throws {
            let bench = try await bench()
            try bench.enrol("one")
            let state = try bench.start()
            let pending = MatcherRecord.Pending(
                handle: MatcherState.counters.lowerBound + 5, value: [UInt8](repeating: 3, count: 32))
            try bench.write(MatcherRecord(pending: pending))
            let defined = try await Real.lab.value.run(
                "tpm2_nvdefine",
                [
                    "-C", "o", "-s", "8", "-a", "authwrite|authread|policyread|nt=1|no_da", "-p",
                    "hex:" + String(repeating: "03", count: 32), String(format: "0x%08x", pending.handle),
                ]
            )
            #expect(defined.status == 0, "\(defined.output)")
            #expect(try state.identity(of: bench.ada).counter.handle == pending.handle)
            #expect(try bench.counters() == [pending.handle])
        }

        @Test(.tpm) func anotherProgramsCounterIsLeftAlone() async throws {
            let bench = try await bench()
            try bench.enrol("one")
            let state = try bench.start()
            let pending = MatcherRecord.Pending(
                handle: MatcherState.counters.lowerBound + 5, value: [UInt8](repeating: 3, count: 32))
            try bench.write(MatcherRecord(pending: pending))
            let (value, other) = ([UInt8](repeating: 9, count: 32), pending.handle)
            let foreign = try TPM.connected(bench.tcti) { tpm throws(TPMError) in
                let index = try tpm.defineCounter(at: other, value: value)
                return (index, try tpm.count(index, value: value))
            }
            #expect(try state.identity(of: bench.ada).counter.handle != other)
            let count = try TPM.connected(bench.tcti) { tpm throws(TPMError) in try tpm.count(foreign.0, value: value) }
            #expect(count == foreign.1)
        }

        @Test(.tpm) func theCounterIsRaisedTwelveTimesAnHour() async throws {
            let bench = try await bench()
            let state = try bench.start()
            // The creation is the first change.
            for change in 1...CounterChanges.limit {
                try bench.enrol("print \(change)")
                _ = try state.identity(of: bench.ada)
            }
            let value = try state.identity(of: bench.ada).value
            try bench.enrol("another")
            #expect(throws: MatcherRefusal.wait(seconds: 3600)) { try state.identity(of: bench.ada) }
            bench.clock.advance(by: .seconds(3599))
            #expect(throws: MatcherRefusal.wait(seconds: 1)) { try state.unchangedIdentity(of: bench.ada) }
            // A restart of the machine does not shorten the wait.
            bench.clock.boot = "second boot"
            let restarted = try bench.start()
            #expect(throws: MatcherRefusal.wait(seconds: 3600)) { try restarted.identity(of: bench.ada) }
            bench.clock.advance(by: .seconds(3600))
            #expect(throws: MatcherRefusal.enrolmentChanged) { try restarted.unchangedIdentity(of: bench.ada) }
            #expect(try restarted.identity(of: bench.ada).value == value + 1)
        }

        @Test(.tpm) func withoutPrintsThereIsNoCounter() async throws {
            let bench = try await bench()
            let state = try bench.start()
            for _ in 1...3 { #expect(throws: MatcherRefusal.notEnrolled) { try state.identity(of: bench.ada) } }
            #expect(try bench.counters().isEmpty)
            // A counter that exists is raised when the last print is removed.
            try bench.enrol("one")
            let before = try state.identity(of: bench.ada)
            try bench.enrol(nil)
            #expect(throws: MatcherRefusal.enrolmentChanged) { try state.unchangedIdentity(of: bench.ada) }
            #expect(throws: MatcherRefusal.notEnrolled) { try state.unchangedIdentity(of: bench.ada) }
            try bench.enrol("one")
            #expect(try state.identity(of: bench.ada).value == before.value + 2)
        }

        @Test(.tpm) func aUserWithAFormerUsersIDGetsNoneOfTheirKeys() async throws {
            let bench = try await bench()
            try bench.enrol("one")
            try bench.enrol("one", name: "eve")
            let state = try bench.start()
            let before = try state.identity(of: bench.ada)
            let eve = MatcherState.User(id: bench.ada.id, name: "eve")
            #expect(throws: MatcherRefusal.enrolmentChanged) { try state.unchangedIdentity(of: eve) }
            #expect(try state.identity(of: eve).value > before.value)
        }
    }
}

/// The matcher's count of fingers that do not match. It needs no TPM.
@Suite struct MatcherCountTests {
    @Test func fiftyFingersThatDoNotMatchSwitchTheReaderOffUntilAnAdministratorAllowsIt() throws {
        let bench = try StateBench("swtpm:port=1")
        let state = try bench.start()
        for _ in 1...50 {
            try state.settle(bench.ada, .notMatched, before: try state.begin(bench.ada))
            bench.clock.advance(by: .seconds(300))
        }
        #expect(throws: MatcherRefusal.off) { try state.begin(bench.ada) }
        bench.clock.advance(by: .seconds(365 * 86_400))
        bench.clock.boot = "second boot"
        let restarted = try bench.start()
        #expect(throws: MatcherRefusal.off) { try restarted.begin(bench.ada) }
        #expect(try restarted.isOff(bench.ada))
        #expect(try !restarted.isOff(MatcherState.User(id: 1001, name: "eve")), "another user has a count of their own")
        try restarted.unlock(bench.ada.id)
        _ = try restarted.begin(bench.ada)
    }

    @Test func aRecordOfAnEarlierVersionIsRead() throws {
        let json = #"{"throttle":{"mismatches":7,"last":1,"boot":"a"}}"#
        let record = try JSONDecoder().decode(MatcherRecord.self, from: Data(json.utf8))
        #expect(record.throttle.mismatches == 7 && record.changes == CounterChanges() && record.pending == nil)
    }
}
#endif
