import Foundation
import Testing
import ThumbturnCore

/// Events as JSON: each reads back, and there is no place for anything else.
@Suite struct TelemetryCodingTests {
    private static let events: [(Telemetry, json: String)] = [
        (.promptShown(.biometric), #"{"promptShown":"biometric"}"#),
        (.promptAppeared(.biometric, .told), #"{"promptAppeared":{"as":"told","rung":"biometric"}}"#),
        (
            .sensorAnswered(.failed(.notMatched), after: .milliseconds(1200), total: .seconds(3)),
            #"{"sensorAnswered":{"after":1200,"outcome":"notMatched","total":3000}}"#
        ),
        (
            .sensorAnswered(.matched, after: .zero, total: .zero),
            #"{"sensorAnswered":{"after":0,"outcome":"matched","total":0}}"#
        ),
        (
            .sensorAnswered(.entered, after: .zero, total: .zero),
            #"{"sensorAnswered":{"after":0,"outcome":"entered","total":0}}"#
        ),
        (.readPoorly(.tooShort), #"{"readPoorly":"tooShort"}"#), (.retry(2), #"{"retry":2}"#), (.hintShown, #""hintShown""#),
        (
            .fellBack(from: .biometric, to: .appPIN, because: .mismatches),
            #"{"fellBack":{"because":"mismatches","from":"biometric","to":"appPIN"}}"#
        ),
        (
            .fellBack(from: .biometric, to: .appPIN, because: .skipped(.biometryNotEnrolled)),
            #"{"fellBack":{"because":{"skipped":"biometryNotEnrolled"},"from":"biometric","to":"appPIN"}}"#
        ),
        (.cancelled(.cancelledByUser), #"{"cancelled":"cancelledByUser"}"#),
        (.lockedOut(.untilPasscode), #"{"lockedOut":"untilPasscode"}"#),
        (.keyInvalidated(.enrolmentChanged), #"{"keyInvalidated":"enrolmentChanged"}"#),
        (
            .authenticated(.biometric, after: .milliseconds(1230), attempts: 1),
            #"{"authenticated":{"after":1230,"attempts":1,"rung":"biometric"}}"#
        ),
        (.offerAnswered(.setUp), #"{"offerAnswered":"setUp"}"#), (.offerAnswered(.notNow), #"{"offerAnswered":"notNow"}"#),
        (.offerAnswered(.never), #"{"offerAnswered":"never"}"#),
        (.abandoned(.hinted, after: .seconds(8)), #"{"abandoned":{"after":8000,"phase":"hinted"}}"#),
        (.abandoned(.fallback(.appPIN), after: .seconds(8)), #"{"abandoned":{"after":8000,"phase":{"fallback":"appPIN"}}}"#),
    ]

    @Test func eachEventIsWrittenAndReadBack() throws {
        for (event, json) in Self.events {
            #expect(String(decoding: StrictJSON.encode(event), as: UTF8.self) == json)
            #expect(try StrictJSON.decodeIgnoringUnknown(Telemetry.self, from: Array(json.utf8)) == event)
            // Apps and servers read it with Foundation's, which wants a list or an object at the top.
            #expect(try JSONDecoder().decode([Telemetry].self, from: JSONEncoder().encode([event])) == [event])
        }
    }

    @Test func everyTriggerPhaseAndCodeIsReadBack() throws {
        let triggers: [Trigger] = [.timeout, .mismatches, .lockedOut, .keyInvalidated, .choice, .skipped(.paused)]
        let phases: [UnlockFlow.Phase] = [
            .beforeThePrompt, .firstAttempt, .retry, .hinted, .fallback(.devicePasscode), .signing, .away, .ended,
        ]
        #expect(try read(triggers) == triggers)
        #expect(try read(phases) == phases)
        #expect(try read(Failure.Code.all) == Failure.Code.all)
        #expect(Set(Failure.Code.all.map(\.name)).count == Failure.Code.all.count)
    }

    @Test func whatIsNoEventIsRefused() {
        let refused = [
            #""hintshown""#, #""retry""#, #"{"hintShown":1}"#, #"{"retry":-1}"#, #"{"retry":1001}"#, #"{"retry":"Ada"}"#, "{}",
            "7",
            #"{"promptShown":"Ada"}"#, #"{"retry":1,"person":"Ada"}"#, #"{"cancelled":"because Ada said so"}"#,
            #"{"promptAppeared":{"as":"told","rung":"biometric","person":"Ada"}}"#,
            #"{"sensorAnswered":{"after":1,"outcome":"Ada","total":1}}"#,
            #"{"sensorAnswered":{"after":-1,"outcome":"matched","total":1}}"#,
            #"{"sensorAnswered":{"after":2592000001,"outcome":"matched","total":1}}"#,
            #"{"sensorAnswered":{"after":1,"outcome":"matched"}}"#,
            #"{"fellBack":{"because":{"skipped":"Ada"},"from":"biometric","to":"appPIN"}}"#,
            #"{"fellBack":{"because":{"timeout":1},"from":"biometric","to":"appPIN"}}"#,
            #"{"fellBack":{"because":"skipped","from":"biometric","to":"appPIN"}}"#,
            #"{"abandoned":{"after":1,"phase":"fallback"}}"#, #"{"abandoned":{"after":1,"phase":{"hinted":1}}}"#,
        ]
        for json in refused {
            #expect(throws: (any Error).self, "\(json)") {
                try StrictJSON.decodeIgnoringUnknown(Telemetry.self, from: Array(json.utf8))
            }
        }
    }

    @Test func whatIsOutOfBoundsIsWrittenAsTheBound() throws {
        #expect(try read(Telemetry.retry(5000)) == .retry(1000))
        #expect(
            try read(Telemetry.abandoned(.hinted, after: .seconds(1 << 40))) == .abandoned(.hinted, after: .seconds(2_592_000)))
        #expect(try read(Telemetry.abandoned(.hinted, after: .seconds(-1))) == .abandoned(.hinted, after: .zero))
    }

    // MARK: - Records

    private static let record = TelemetryRecord(
        .hintShown, at: UnixTime(seconds: 1_790_000_000),
        in: TelemetryContext(
            system: "iOS", model: "iPhone17,3", systemVersion: "26.1", appVersion: "4.2.0", sensor: .faceID, policy: "unlock",
            arm: "b"))

    private static let json = """
        {"context":{"app":"4.2.0","arm":"b","model":"iPhone17,3","os":"26.1","policy":"unlock","sensor":"faceID",\
        "system":"iOS"},"event":"hintShown","time":1790000000}
        """

    @Test func aRecordIsWrittenAndReadBack() throws {
        #expect(String(decoding: StrictJSON.encode(Self.record), as: UTF8.self) == Self.json)
        #expect(try read(Self.record) == Self.record)
        let bare = TelemetryRecord(.hintShown, at: UnixTime(seconds: 0), in: TelemetryContext())
        #expect(String(decoding: StrictJSON.encode(bare), as: UTF8.self) == #"{"context":{},"event":"hintShown","time":0}"#)
        #expect("\(bare)" == "hint shown")
        #expect("\(Self.record)" == "hint shown (iOS 26.1 on iPhone17,3, app 4.2.0, faceID, policy unlock, arm b)")
    }

    @Test func aRecordHasNoPlaceForAnythingElse() {
        let long = String(repeating: "a", count: 41)
        for (part, other) in [
            (#""time""#, #""person":"Ada","time""#), (#""arm":"b""#, #""arm":"b","person":"Ada""#), (#""b""#, #""Ada@bank""#),
            (#""b""#, #""""#), (#""b""#, "\"\(long)\""), (#""faceID""#, #""Ada's face""#), ("1790000000", #""today""#),
        ] {
            let json = Self.json.replacingOccurrences(of: part, with: other)
            #expect(throws: (any Error).self, "\(json)") {
                try StrictJSON.decodeIgnoringUnknown(TelemetryRecord.self, from: Array(json.utf8))
            }
        }
    }

    @Test func aLabelIsMadeOfAnyText() {
        let made = [
            ("", "-"), ("Pixel 9 Pro", "Pixel 9 Pro"), ("Ada’s \u{1B}[1miPhone\n", "Ada-s -[1miPhone-"),
            (String(repeating: "é", count: 100), String(repeating: "-", count: 40)),
        ]
        for (text, name) in made { #expect(TelemetryLabel(text).text == name.replacingOccurrences(of: "[", with: "-")) }
    }

    @Test func presetsHaveNamesAndAnArmIsSent() throws {
        #expect(UnlockPolicy.presets.allSatisfy { $0.key == $0.value.name?.text } && UnlockPolicy.presets.count == 6)
        var policy = UnlockPolicy.unlock
        policy.arm = "b"
        #expect(try UnlockPolicy(json: StrictJSON.encode(policy)) == policy)
        #expect(throws: DecodingError.self) {
            try UnlockPolicy(json: Array(#"{"ladder":["fullCredentials"],"arm":"Ada@bank"}"#.utf8))
        }
    }

    private func read<Value: Codable>(_ value: Value) throws -> Value {
        try StrictJSON.decodeIgnoringUnknown(Value.self, from: StrictJSON.encode(value))
    }
}
