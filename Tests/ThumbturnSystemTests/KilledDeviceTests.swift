#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnTestKit

/// Processes of one app over one folder and the real server, which are killed or stopped at any step.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KilledDeviceTests {
    static let (pin, otherPIN, wrongPIN) = ("739164", "285037", "582910")

    /// A server, and devices of its accounts.
    struct Place: Sendable {
        let folder: String
        let url: String

        static func run(_ story: (Place) async throws -> Void) async throws {
            let folder = Built.temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try await ServerProcess.addAccount(in: folder + "/server")
            let port = try await Built.freePort()
            let server = try await ServerProcess.start(
                "thumbturn-server", ["serve", "--data", folder + "/server", "--listen", "127.0.0.1:\(port)"], port: port)
            defer { server.stop() }
            try await story(Place(folder: folder, url: "http://127.0.0.1:\(port)"))
        }

        /// A device that is enrolled.
        func home() async throws -> DeviceHome {
            let name = "a" + UUID().uuidString.lowercased()
            try await ServerProcess.addAccount(name, in: folder + "/server")
            let home = DeviceHome(folder: folder + "/" + name, server: url, account: name)
            let told = try await home.run("enrol", pins: [pin])
            try #require(told["enrol"] == "yes", "\(told)")
            return home
        }

        /// Counts the steps of the last action of a process that is left alone.
        ///
        /// - Returns: as many of them as are tried, drawn by lot, and behind them one that the process does not reach.
        func steps(of actions: String, pins: [String], tries: Int = 9) async throws -> [Int] {
            let told = try await home().run(actions, pins: pins)
            let count = try #require(told["steps"].flatMap(Int.init), "\(told)")
            #expect(count > 5, "\(told)")
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            let isWhole = ProcessInfo.processInfo.environment["THUMBTURN_EVERY_STEP"] == "1"
            // The first step is always one of them.
            let steps = [1] + (2...count).shuffled(using: &generator).prefix(isWhole ? count : tries - 1).sorted()
            print("killed device: \(actions) has \(count) steps, seed \(seed) tries \(steps)")
            // What runs beside the action may take a step more or less.
            return steps + [count + 3]
        }

        /// Makes trials, `inAHome` of them one after another in one home, and eight homes beside each other. An account takes
        /// 32 enrolments a day.
        func tryAll<Trial: Sendable>(
            _ trials: [Trial], inAHome: Int = 7, _ body: @escaping @Sendable (DeviceHome, Trial) async throws -> Void
        ) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for first in stride(from: 0, to: trials.count, by: inAHome) {
                    if first >= 8 * inAHome { try await group.next() }
                    group.addTask {
                        let home = try await home()
                        for trial in trials[first..<min(first + inAHome, trials.count)] { try await body(home, trial) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    // MARK: - Killed

    @Test func killedDuringAnEnrolment() async throws {
        try await Place.run { place in
            let halves = Mutex<Set<String>>([])
            let steps = try await place.steps(of: "revoke,enrol", pins: [Self.pin])
            try await place.tryAll(steps) { home, step in
                let killed = try await home.run("revoke,enrol", pins: [Self.pin], killedBefore: step)
                #expect(killed["enrol"] == (killed.wasKilled ? nil : "yes"), "before step \(step): \(killed.lines)")
                let next = try await home.run("settle,look,keep,sign", pins: [Self.pin])
                let isEnrolled = try #require(next["enrolled"], "before step \(step): \(next.lines)")
                #expect(killed.wasKilled || isEnrolled == "yes", "before step \(step): what it says, it has done")
                #expect(next["keys"] == (isEnrolled == "yes" ? "3" : "0"), "before step \(step)")
                #expect(next["keep"] == "yes" && next["sign"] == "yes", "before step \(step): \(next.lines)")
                #expect(next["devices"] == "1", "before step \(step): the server knows what the device knows")
                _ = halves.withLock { $0.insert(isEnrolled) }
            }
            #expect(halves.withLock { $0.count } == 2, "it died on both sides of the change-over")
        }
    }

    @Test func killedDuringAnEnrolmentThatReplacesAnother() async throws {
        try await Place.run { place in
            let winners = Mutex<Set<Bool>>([])
            let steps = try await place.steps(of: "replace", pins: [Self.pin])
            try await place.tryAll(steps) { home, step in
                let before = home.keys
                let killed = try await home.run("replace", pins: [Self.pin], killedBefore: step)
                #expect(killed["replace"] == (killed.wasKilled ? nil : "yes"), "before step \(step): \(killed.lines)")
                let next = try await home.run("settle,look,sign", pins: [Self.pin])
                #expect(next["enrolled"] == "yes" && next["keys"] == "3", "before step \(step): \(next.lines)")
                #expect(next["sign"] == "yes" && next["devices"] == "1", "before step \(step): \(next.lines)")
                _ = winners.withLock { $0.insert(home.keys == before) }
            }
            #expect(winners.withLock { $0.count } == 2, "it died on both sides of the change-over")
        }
    }

    @Test func killedDuringAChangeOfThePIN() async throws {
        try await Place.run { place in
            let typed = Mutex<Set<String>>([])
            let steps = try await place.steps(of: "changePIN", pins: [Self.pin, Self.otherPIN])
            try await place.tryAll(steps) { home, step in
                let pins = [Self.pin, Self.otherPIN]
                let killed = try await home.run("changePIN", pins: pins, killedBefore: step)
                #expect(killed["changePIN"] == (killed.wasKilled ? nil : "yes"), "before step \(step): \(killed.lines)")
                let next = try await home.run("settle,look,sign", pins: pins)
                #expect(next["enrolled"] == "yes" && next["keys"] == "3", "before step \(step): \(next.lines)")
                #expect(next["sign"] == "yes" && next["devices"] == "1", "before step \(step): \(next.lines)")
                _ = typed.withLock { $0.insert(next["typed"] ?? "none") }
                // The next trial begins with the first PIN again. An enrolment anew would cool off and change no PIN.
                guard next["typed"] == "2" else { return }
                #expect(try await home.run("changePIN", pins: pins.reversed())["changePIN"] == "yes", "before step \(step)")
            }
            #expect(typed.withLock { $0 } == ["1", "2"], "the old PIN signs, or the new one")
        }
    }

    @Test func killedDuringARevocation() async throws {
        try await Place.run { place in
            let halves = Mutex<Set<String>>([])
            let steps = try await place.steps(of: "revoke", pins: [Self.pin])
            try await place.tryAll(steps) { home, step in
                let killed = try await home.run("keep,revoke", pins: [Self.pin], killedBefore: step)
                #expect(killed["revoke"] == (killed.wasKilled ? nil : "yes"), "before step \(step): \(killed.lines)")
                let next = try await home.run("look,settle,look,keep,sign", pins: [Self.pin])
                let isEnrolled = try #require(next["enrolled"], "before step \(step): \(next.lines)")
                #expect(killed.wasKilled || isEnrolled == "no", "before step \(step): what it says, it has done")
                #expect(next.all("enrolled") == [isEnrolled, isEnrolled], "before step \(step): what is told stays true")
                #expect(next["keys"] == (isEnrolled == "yes" ? "3" : "0"), "before step \(step)")
                #expect(next["keep"] == "yes" && next["sign"] == "yes" && next["devices"] == "1", "before step \(step)")
                _ = halves.withLock { $0.insert(isEnrolled) }
            }
            #expect(halves.withLock { $0.count } == 2, "it died on both sides of the change-over")
        }
    }

    @Test("killed during a guess", arguments: [wrongPIN, pin])
    func killedDuringAGuess(_ guessed: String) async throws {
        try await Place.run { place in
            let counts = Mutex<Set<[Int]>>([])
            let steps = try await place.steps(of: "guess", pins: [guessed])
            try await place.tryAll(steps) { home, step in
                let killed = try await home.run("guess", pins: [guessed], killedBefore: step)
                #expect(killed.wasKilled == (killed["guess"] == nil), "before step \(step): \(killed.lines)")
                let judged = killed.all("judged").count { $0 != "200" }
                let next = try await home.run("sign", pins: [Self.pin])
                let counted = try #require(next["wrong"].flatMap(Int.init), "before step \(step): \(next.lines)")
                #expect(counted >= judged, "before step \(step): a guess that was judged is counted")
                #expect(next["sign"] == "yes", "before step \(step): \(next.lines)")
                _ = counts.withLock { $0.insert([judged, counted]) }
            }
            let isWrong = guessed == Self.wrongPIN
            #expect(counts.withLock { $0.isSuperset(of: [[0, 0], [0, 1]] + (isWrong ? [[1, 1]] : [])) })
        }
    }

    @Test func killedDuringTheFirstUnlockOfAVault() async throws {
        try await Place.run { place in
            let halves = Mutex<Set<String>>([])
            let steps = try await place.steps(of: "delete,save", pins: [])
            try await place.tryAll(steps) { home, step in
                let killed = try await home.run("delete,save", pins: [], killedBefore: step)
                #expect(killed["save"] == (killed.wasKilled ? nil : "yes"), "before step \(step): \(killed.lines)")
                let next = try await home.run("open,save,open", pins: [])
                #expect(next.all("open") == ["yes", "yes"] && next["save"] == "yes", "before step \(step): \(next.lines)")
                #expect(next["kept"] == "a drawing", "before step \(step): \(next.lines)")
                _ = next.all("kept").first.map { kept in halves.withLock { $0.insert(kept) } }
            }
            #expect(halves.withLock { $0 } == ["nothing", "a drawing"])
        }
    }

    // MARK: - Stopped

    /// An action that is stopped before a step, and what another process does meanwhile.
    struct Meeting: Sendable {
        let stopped: String
        let other: String
        var step = 0

        /// The pairs. A revocation waits five seconds for the lock that the stopped process holds.
        static let pairs = [
            Meeting(stopped: "revoke,enrol", other: "settle"), Meeting(stopped: "revoke,enrol", other: "replace"),
            Meeting(stopped: "revoke,enrol", other: "revoke"), Meeting(stopped: "replace", other: "settle"),
            Meeting(stopped: "replace", other: "revoke"), Meeting(stopped: "changePIN", other: "settle"),
            Meeting(stopped: "changePIN", other: "revoke"), Meeting(stopped: "revoke", other: "settle"),
            Meeting(stopped: "revoke", other: "keep"), Meeting(stopped: "revoke", other: "revoke"),
        ]

        var pins: [String] { stopped == "changePIN" ? [pin, otherPIN] : [pin] }
    }

    @Test func stoppedWhileAnotherProcessGoesOn() async throws {
        try await Place.run { place in
            var meetings: [Meeting] = []
            for pairs in Dictionary(grouping: Meeting.pairs, by: \.stopped).values {
                let steps = try await place.steps(of: pairs[0].stopped, pins: pairs[0].pins, tries: 3).dropLast()
                for var meeting in pairs {
                    for step in steps {
                        meeting.step = step
                        meetings.append(meeting)
                    }
                }
            }
            // A device that was enrolled anew would cool off, and change no PIN.
            try await place.tryAll(meetings, inAHome: 1) { home, meeting in
                let process = try home.start(meeting.stopped, pins: meeting.pins, "stop", before: meeting.step)
                defer { process.kill() }
                // A process that took fewer steps this time has ended, and is judged all the same.
                _ = await process.stops()
                let other = try await home.run("\(meeting.other),look", pins: [Self.pin])
                process.goOn()
                let one = try await process.ended()
                let next = try await home.run("settle,look,keep,sign", pins: [Self.pin, Self.otherPIN])
                judge(meeting, one, other, next, "\(meeting): \(one.lines), \(other.lines), \(next.lines)")
            }
        }
    }

    private func judge(
        _ meeting: Meeting, _ one: DeviceProcess.Told, _ other: DeviceProcess.Told, _ next: DeviceProcess.Told, _ story: String
    ) {
        let action = String(meeting.stopped.split(separator: ",").last ?? "")
        let isEnrolled = next["enrolled"] == "yes"
        #expect(next["keys"] == (isEnrolled ? "3" : "0"), "one owner: \(story)")
        #expect(next["keep"] == "yes" && next["sign"] == "yes", "\(story)")
        let ended = [action, meeting.other].contains("revoke")
        // A request of a stopped process arrives all the same after a revocation. The record that it makes has no keys.
        #expect(ended ? ["1", "2"].contains(next["devices"]) : next["devices"] == "1", "\(story)")
        // Settling undoes what is left behind, and stops nothing that is under way.
        let otherEnrolled = ["keep", "replace"].contains(meeting.other) && other[meeting.other] == "yes"
        if meeting.other == "revoke" {
            #expect(other["enrolled"] == "no" && other["keys"] == "0", "what revoke says, it has done: \(story)")
            #expect((action != "revoke" && one[action] == "yes") == isEnrolled, "no success without keys: \(story)")
        } else if action == "revoke" {
            #expect(one[action] == "yes" && (!isEnrolled || otherEnrolled), "\(story)")
        } else {
            #expect(isEnrolled && (one[action] == "yes" || otherEnrolled), "\(story)")
        }
        if action == "changePIN", isEnrolled {
            #expect(next["typed"] == (one[action] == "yes" ? "2" : "1"), "the PIN that it says is the one that signs: \(story)")
        }
    }

    /// Two processes guess at one PIN. What the server has judged is counted on the device, whichever goes on last.
    @Test func stoppedDuringAGuessWhileAnotherProcessGuesses() async throws {
        try await Place.run { place in
            let most = Mutex(0)
            let steps = try await place.steps(of: "guess", pins: [Self.wrongPIN])
            try await place.tryAll(steps) { home, step in
                let process = try home.start("guess", pins: [Self.wrongPIN], "stop", before: step)
                defer { process.kill() }
                _ = await process.stops()
                // Where the stopped process was just writing a secret, the other one gives up after five seconds.
                let other = try await home.run("guess", pins: [Self.wrongPIN])
                process.goOn()
                let one = try await process.ended()
                let judged = (one.all("judged") + other.all("judged")).count { $0 != "200" }
                let next = try await home.run("sign", pins: [Self.pin])
                let counted = try #require(next["wrong"].flatMap(Int.init), "before step \(step): \(next.lines)")
                #expect(counted >= judged, "before step \(step): \(one.lines), \(other.lines), \(counted)")
                #expect(next["sign"] == "yes", "before step \(step): \(next.lines)")
                most.withLock { $0 = max($0, judged) }
            }
            #expect(most.withLock { $0 } == 2, "the guesses of both processes were judged")
        }
    }
}
#endif
