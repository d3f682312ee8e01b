import Foundation
import Testing
import ThumbturnCore

@Suite struct UnlockPolicyTests {
    @Test(
        "every preset is sound, and those with a full sign-in are read as written", arguments: UnlockPolicy.presets.keys.sorted())
    func presets(_ name: String) throws {
        let policy = try #require(UnlockPolicy.presets[name])
        #expect(policy.problem == nil)
        guard policy.ladder.last == .fullCredentials else { return }
        let sent = try JSONEncoder().encode(policy)
        #expect(try JSONDecoder().decode(UnlockPolicy.self, from: sent) == policy)
    }

    @Test(
        "what every preset asks, in its order",
        arguments: [
            ("unlock", [.biometric, .devicePasscode, .appPIN, .fullCredentials], true, 50),
            ("sensitiveScreen", [.biometric, .appPIN, .fullCredentials], true, 50),
            ("highRisk", [.biometric, .fullCredentials], false, 3),
            ("transaction", [.biometric, .appPIN, .fullCredentials], false, 3),
            ("storedCredential", [.biometric, .devicePasscode], true, 50),
            ("dataAtRest", [.biometric, .devicePasscode], false, 50),
        ] as [(String, [Rung], Bool, Int)])
    func asked(_ name: String, _ ladder: [Rung], _ byItself: Bool, _ mismatches: Int) throws {
        let policy = try #require(UnlockPolicy.presets[name])
        #expect(policy.ladder == ladder)
        #expect((policy.automaticPrompt != nil) == byItself, "a preset for high stakes waits for a tap")
        #expect(policy.delays.limit == mismatches, "the mismatches that switch the sensor off")
    }

    @Test func oneRungsScreenFadesIntoTheNextInAQuarterOfASecond() {
        #expect(UnlockPolicy.unlock.transition == .milliseconds(250))
    }

    @Test func aPolicyThatAServerSentIsReadAsTheDecoderReadsIt() throws {
        let text = Array(#"{"ladder":["biometric","fullCredentials"],"hint_after":6000,"delays":{"limit":3}}"#.utf8)
        let read = try UnlockPolicy(json: text)
        #expect(read == (try JSONDecoder().decode(UnlockPolicy.self, from: Data(text))))
        #expect(read.hintAfter == .seconds(6) && read.delays.limit == 3)
    }

    @Test(
        "a hostile policy is refused with the reason",
        arguments: [
            (#"{"ladder":["biometric","fullCredentials"],"ladder":["fullCredentials"]}"#, "ladder"),
            (#"{"ladder":["biometric","fullCredentials"],"delays":{"limit":3,"l\u0069mit":50}}"#, "limit"),
            (#"{"ladder":["biometric","fullCredentials"],"delays":{"limits":3}}"#, "limits"),
            (#"{"ladder":["biometric","fullCredentials"],"hint_after":9223372036854775808}"#, "hint_after"),
            (#"{"ladder":["biometric","fullCredentials"],"reuse":301000}"#, "reuse"),
            (String(repeating: "[", count: 10_000), "16"), (#"{"ladder":"#, "line 1"), ("", "line 1"), ("null", "expected"),
            (#"{"ladder":["biometric","fullCredentials"]}"# + String(repeating: " ", count: 16 * 1024), "16384"),
        ])
    func hostilePolicies(_ text: String, _ reason: String) throws {
        let error = try #require(throws: DecodingError.self) { _ = try UnlockPolicy(json: Array(text.utf8)) }
        guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(error)") }
        #expect(context.debugDescription.contains(reason), "\(context.debugDescription)")
    }

    @Test func onlyTheLadderIsRequired() throws {
        let read = try JSONDecoder().decode(UnlockPolicy.self, from: Data(#"{"ladder":["biometric","fullCredentials"]}"#.utf8))
        var expected = UnlockPolicy(ladder: [.biometric, .fullCredentials])
        expected.automaticPrompt = nil
        #expect(read == expected)
    }

    @Test(
        "a policy that contradicts itself is refused with the reason",
        arguments: [
            (#""ladder":[]"#, "ladder: is empty"), (#""ladder":["biometric"]"#, "ladder: does not end with fullCredentials"),
            (#""ladder":["biometric","biometric","fullCredentials"]"#, "ladder: names a rung twice"),
            (#""ladder":["fullCredentials","biometric"]"#, "ladder: nothing comes after"),
            (#""ladder":["biometric","fullCredentials"],"also":["biometric"]"#, "also: a rung that is on the ladder"),
            (#""ladder":["biometric","fullCredentials"],"also":["appPIN","appPIN"]"#, "also: names a rung twice"),
            (#""ladder":["biometric"],"also":["fullCredentials"]"#, "also: only rungs with a key"),
            (#""ladder":["fullCredentials"],"also":["appPIN"]"#, "also: no rung of the ladder has a key"),
            (#""ladder":["biometric","fullCredentials"],"also":["appPIN"],"reuse":1000"#, "reuse: cannot be combined with also"),
            (L(#""automatic_prompt":299"#), "automatic_prompt"), (L(#""automatic_prompt":501"#), "automatic_prompt"),
            (L(#""fallback_after":999"#), "fallback_after"), (L(#""fallback_after":60001"#), "fallback_after"),
            (L(#""hint_after":0"#), "hint_after"), (L(#""hint_after":12001"#), "hint_after"),
            (L(#""retry_window":-1"#), "retry_window"), (L(#""retry_window":12001"#), "retry_window"),
            (L(#""retry_limit":0"#), "retry_limit"), (L(#""retry_limit":12001"#), "retry_limit"),
            (L(#""earliest_hint":0"#), "earliest_hint"), (L(#""earliest_hint":8001"#), "earliest_hint"),
            (L(#""earliest_fallback":3999"#), "earliest_fallback"), (L(#""earliest_fallback":12001"#), "earliest_fallback"),
            (L(#""transition":199"#), "transition"), (L(#""transition":301"#), "transition"),
            (L(#""mismatch_limit":0"#), "mismatch_limit"), (L(#""mismatch_limit":6"#), "mismatch_limit"),
            (L(#""pin_mismatch_limit":0"#), "pin_mismatch_limit"), (L(#""pin_mismatch_limit":11"#), "pin_mismatch_limit"),
            (L(#""reuse":-1"#), "reuse"), (L(#""reuse":300001"#), "reuse"),
            (L(#""delays":{"burst":1}"#), "delays.burst"), (L(#""delays":{"burst":6}"#), "delays.burst"),
            (L(#""delays":{"window":0}"#), "delays.window"), (L(#""delays":{"after_burst":0}"#), "delays.after_burst"),
            (L(#""delays":{"after_next":9999}"#), "delays.after_next"),
            (L(#""delays":{"window":86400001}"#), "delays.window"),
            (L(#""delays":{"after_more":86400001}"#), "delays.after_more"),
            (L(#""delays":{"floor":86400001}"#), "delays.floor"),
            (L(#""delays":{"after_more":29999}"#), "delays.after_more"),
            (L(#""delays":{"floor_from":6}"#), "delays.floor_from"), (L(#""delays":{"floor":29999}"#), "delays.floor"),
            (L(#""delays":{"limit":0}"#), "delays.limit"), (L(#""delays":{"limit":51}"#), "delays.limit"),
            (L(#""hint":1"#), "Unknown member"), (L(#""delays":{"burts":3}"#), "Unknown member"),
        ])
    func refused(_ members: String, _ reason: String) {
        do {
            _ = try JSONDecoder().decode(UnlockPolicy.self, from: Data("{\(members)}".utf8))
            Issue.record("the policy was read")
        } catch DecodingError.dataCorrupted(let context) {
            #expect(context.debugDescription.hasPrefix(reason), "\(context.debugDescription)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(
        "what is on the edge is read",
        arguments: [
            #""automatic_prompt":300"#, #""automatic_prompt":500"#, #""fallback_after":60000"#, #""hint_after":12000"#,
            #""retry_window":0"#, #""retry_limit":12000"#, #""earliest_hint":8000"#, #""earliest_fallback":4000"#,
            #""earliest_fallback":12000"#, #""mismatch_limit":1"#,
            #""mismatch_limit":5"#,
            #""retry_window":12000"#, #""transition":200"#, #""transition":300"#, #""pin_mismatch_limit":1"#,
            #""fallback_after":1000,"hint_after":1,"earliest_hint":1,"earliest_fallback":1,"retry_window":0,"retry_limit":1"#,
            #""pin_mismatch_limit":10"#, #""reuse":300000"#, #""delays":{"burst":2,"floor_from":1,"limit":50}"#,
            #""delays":{"window":1,"after_burst":1,"limit":1}"#,
            #""delays":{"window":86400000,"after_more":86400000,"floor":86400000}"#,
            #""delays":{"after_burst":30000,"after_more":30000,"floor":30000}"#,
        ])
    func edges(_ member: String) throws {
        let ladder = #""ladder":["biometric","fullCredentials"]"#
        #expect(throws: Never.self) { try JSONDecoder().decode(UnlockPolicy.self, from: Data("{\(ladder),\(member)}".utf8)) }
    }

    @Test func aPolicyPrintsItsRungs() {
        #expect("\(UnlockPolicy.unlock)" == "biometric, device passcode, app PIN, full sign-in; prompt after 0.4 seconds")
        var two = UnlockPolicy.highRisk
        two.additionalRungs = [.appPIN]
        #expect("\(two)" == "biometric, full sign-in; and app PIN; prompt after a tap")
        #expect("\(UnlockPolicy(ladder: []))" == "denies; prompt after 0.4 seconds")
    }

    @Test func aPolicyThatContradictsItselfDenies() {
        var policy = UnlockPolicy.unlock
        policy.hintAfter = .seconds(13)
        #expect(FlowPlayer(policy).failure == Failure(.policyDenies))
    }

    /// A sound ladder, and one more member.
    private static func L(_ member: String) -> String { #""ladder":["biometric","fullCredentials"],\#(member)"# }
}

@Suite struct PaceTests {
    private func pace(_ samples: [Int]) -> Pace {
        var person = Person()
        for sample in samples {
            var player = FlowPlayer(person: person)
            player.answer(.matched, after: .milliseconds(sample))
            person = player.flow.person
        }
        return person.pace
    }

    /// The time of a new flow's first wake, which is the hint.
    private func hint(_ pace: Pace) -> Duration? {
        let player = FlowPlayer(person: Person(pace: pace))
        return player.effects.compactMap { if case .wake(let time) = $0 { player.now.duration(to: time) } else { nil } }.first
    }

    @Test func fewSamplesChangeNothing() {
        #expect(hint(pace([1000, 1000, 1000, 1000])) == .seconds(8))
        #expect(hint(pace([1000, 1000, 1000, 1000, 1000])) == .seconds(4))
    }

    /// RFC 6298 section 2 by hand: 5000 ms gives 5000 and 2500; then 2500·3/4 = 1875, 1406, 1054, 790; 5000 + 4·790.
    @Test func theEstimateFollowsTheRFC() {
        #expect(hint(pace([5000, 5000, 5000, 5000, 5000])) == .seconds(8), "8160 ms is beyond the policy's time")
        #expect(hint(pace([5000, 5000, 5000, 5000, 5000, 5000])) == .milliseconds(5000 + 4 * 592))
        // Time and variation: 2000, 1000; (14000 + 3000)/8 = 2125, (3000 + 1000)/4 = 1000; 2109, (3000 + 125)/4 = 781;
        // 2220, (2343 + 891)/4 = 808; 2192, (2424 + 220)/4 = 661.
        #expect(hint(pace([2000, 3000, 2000, 3000, 2000])) == .milliseconds(2192 + 4 * 661))
    }

    @Test func threeMissesBringTheHintToItsEarliestTime() {
        var person = Person()
        for misses in 1...3 {
            #expect(hint(person.pace) == .seconds(8), "\(misses)")
            var player = FlowPlayer(person: person)
            player.send(.woke, after: .seconds(12))
            person = player.flow.person
        }
        #expect(hint(person.pace) == .seconds(4))
        var player = FlowPlayer(person: person)
        player.answer(.matched, after: .seconds(3))
        #expect(hint(player.flow.person.pace) == .seconds(8), "one success ends the row")
        #expect(player.flow.person.pace.missesInARow == 0)
        var later = FlowPlayer(person: Person(pace: Pace(missesInARow: 2)))
        later.answer(.notMatched)
        later.answer(.matched)
        #expect(later.flow.person.pace.missesInARow == 0, "even a success that is no sample")
        #expect(Pace(missesInARow: 9) == person.pace, "more than three change nothing")
    }

    @Test func aPaceIsReadAsWrittenAndADamagedOneIsRefused() throws {
        let kept = pace([2000, 3000, 2000, 3000, 2000])
        #expect(try JSONDecoder().decode(Pace.self, from: JSONEncoder().encode(kept)) == kept)
        func read(_ samples: Int) throws -> Pace {
            let text = #"{"samples":\#(samples),"missesInARow":0,"usual":0,"variation":0}"#
            return try JSONDecoder().decode(Pace.self, from: Data(text.utf8))
        }
        #expect(try read(0) == Pace())
        #expect(try read(1) == pace([0]), "no sample is too short")
        for (samples, misses, usual, variation) in [
            (-1, 0, 0, 0), (6, 0, 0, 0), (0, 4, 0, 0), (0, -1, 0, 0), (0, 0, -1, 0), (0, 0, 60001, 0), (0, 0, 0, -1),
            (0, 0, 0, 60001),
        ] {
            let text = #"{"samples":\#(samples),"missesInARow":\#(misses),"usual":\#(usual),"variation":\#(variation)}"#
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Pace.self, from: Data(text.utf8)) }
        }
    }

    @Test func noTimeIsLongerThanAMinuteAndNoneIsNegative() {
        #expect(hint(pace([900_000, 0, 0, 0, 0])) == .seconds(8))
    }
}

@Suite struct EnrolmentMarkTests {
    @Test(
        "what the system hints",
        arguments: [
            (nil, nil, EnrolmentMark.Change.unknown), (mark(1, 18), nil, .unknown), (nil, mark(1, 18), .unknown),
            (mark(1, 18), mark(1, 18), .none), (mark(1, 18), mark(1, 26), .none), (mark(1, 18), mark(2, 18), .changed),
            (mark(1, 18), mark(2, 26), .afterUpgrade),
        ] as [(EnrolmentMark?, EnrolmentMark?, EnrolmentMark.Change)])
    func change(_ kept: EnrolmentMark?, _ now: EnrolmentMark?, _ change: EnrolmentMark.Change) {
        #expect(EnrolmentMark.change(from: kept, to: now) == change)
    }

    private static func mark(_ state: UInt8, _ version: Int) -> EnrolmentMark {
        EnrolmentMark(state: [state], systemVersion: version)
    }
}
