#if Tools
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnServer

/// The one table: what it says, and where a file that says it is wrong.
@Suite struct StepUpTableTests {
    static func table(_ actions: String) throws -> StepUpTable {
        try StepUpTable(json: Array(#"{"format":"thumbturn-policy/1","actions":{\#(actions)}}"#.utf8))
    }

    static func ask(_ text: String) -> ActionAsk { ActionAsk(text: text)! }

    @Test func theServersPresetsAreTheDevices() {
        for (table, actions) in [(StepUpTable.standard, StepUpAction.presets), (.regulated, StepUpAction.regulated)] {
            #expect(
                table.actions.mapValues(\.maximumAge)
                    == Dictionary(uniqueKeysWithValues: actions.map { ($0.name, $0.maximumAge) }))
            #expect(
                table.actions.values.allSatisfy { !$0.keys.contains(.passcode) }, "who knows the passcode alone does none of it")
            #expect(table.actions["change-password"]?.keys == [.biometric], "nor does a PIN bring another face")
            #expect(table.warnings.isEmpty)
        }
        #expect(StepUpTable.regulated.actions["existing-recipient"]?.signsEach == true)
        #expect(StepUpTable.standard.actions["existing-recipient"]?.signsEach == false)
    }

    @Test func anAskHasOneSpelling() {
        for text in ["card-details", "pay:EUR:0", "pay:JPY:999999999999999"] { #expect(ActionAsk(text: text)?.text == text) }
        for text in [
            "", "Pay", "pay:", "pay:EUR", "pay:EUR:", "pay:eur:1", "pay:EURO:1", "pay:EUR:01", "pay:EUR:-1", "pay:EUR:1.5",
            "pay:EUR:+1", "pay:EUR:1000000000000000", "pay:EUR:1:", ":EUR:1", "pay:EUR:99999999999999999999",
        ] { #expect(ActionAsk(text: text) == nil, "\(text)") }
    }

    @Test func whatIsNotInTheTableIsDenied() throws {
        let table = try Self.table(#""pay":{"max_age":0,"thresholds":[{"currency":"EUR","above":1000,"one_of":["two-keys"]}]}"#)
        #expect(throws: StepUpTable.Unasked.unknownAction) { try table.demand(for: Self.ask("card-details")) }
        #expect(throws: StepUpTable.Unasked.amountMissing) { try table.demand(for: Self.ask("pay")) }
        #expect(throws: StepUpTable.Unasked.currencyWithoutEntry) { try table.demand(for: Self.ask("pay:USD:1")) }
    }

    @Test func credentialsAreEnoughOnlyWhereARuleSaysSoAndNothingFurtherIsDemanded() throws {
        let threshold = #""thresholds":[{"currency":"EUR","above":1000,"one_of":["two-keys"]}]"#
        let table = try Self.table(
            """
            "history":{"max_age":60,"credentials":true},"export":{"max_age":60},"cards":{"max_age":60,"credentials":false},
            "pay":{"max_age":60,"credentials":true,\(threshold)},
            "send":{"max_age":60,"credentials":true,"one_of":["two-keys"]}
            """)
        let taken = [
            "history": true, "export": false, "cards": false, "pay:EUR:1000": true, "pay:EUR:1001": false, "send": false,
        ]
        for (ask, isTaken) in taken {
            #expect(try table.demand(for: Self.ask(ask)).takesCredentials == isTaken, "\(ask)")
        }
        for preset in StepUpTable.presets.values { #expect(preset.actions.values.allSatisfy { !$0.takesCredentials }) }
        var inCode = ActionRule(maximumAge: .zero)
        inCode.takesCredentials = true
        let each = StepUpTable(actions: ["pay": inCode])
        #expect(try each.demand(for: Self.ask("pay")).takesCredentials == false, "a sign-in is no signature for each use")
    }

    @Test func thresholdsAddUpAndBeginAboveTheirAmount() throws {
        let table = try Self.table(
            """
            "pay":{"max_age":0,"thresholds":[{"currency":"EUR","above":1000,"one_of":["two-keys","liveness-substantial"]},
            {"currency":"EUR","above":5000,"one_of":["liveness-high","second-approver"]},
            {"currency":"JPY","above":0,"one_of":["second-approver"]}]}
            """)
        let met: [(String, [FurtherProof], Bool)] = [
            ("pay:EUR:1000", [], true), ("pay:EUR:1001", [], false), ("pay:EUR:1001", [.twoKeys], true),
            ("pay:EUR:1001", [.highLiveness], true), ("pay:EUR:5001", [.twoKeys], false),
            ("pay:EUR:5001", [.substantialLiveness], false), ("pay:EUR:5001", [.highLiveness], true),
            ("pay:JPY:0", [], true), ("pay:JPY:1", [.twoKeys, .highLiveness], false),
        ]
        for (ask, shown, isMet) in met {
            #expect(try table.demand(for: Self.ask(ask)).isMet(by: shown) == isMet, "\(ask) \(shown)")
        }
    }

    @Test(
        "a mistake is named with its place",
        arguments: [
            (#"{"format":"thumbturn-policy/1","#, "line 1: "), ("{\n\"a\": 1,\n\"a\": 2}", "line 3: has the member \"a\" twice"),
            (#"{"format":"thumbturn-policy/2"}"#, "format: is not"), (#"{"actions":{}}"#, "lacks the member \"format\""),
            (#"{"format":"thumbturn-policy/1"}"#, "names no action"),
            (#"{"format":"thumbturn-policy/1","preset":"lax"}"#, "preset: is neither"),
            (#"{"format":"thumbturn-policy/1","preset":"standard","action":{}}"#, "action: Unknown member."),
        ])
    func places(_ text: String, _ says: String) {
        #expect { try StepUpTable(json: Array(text.utf8)) } throws: { "\($0)".hasPrefix(says) }
    }

    @Test(
        "a mistake in a rule is named with its place",
        arguments: [
            (#"{}"#, #"actions.pay: lacks the member "max_age""#), (#"{"max_age":301}"#, "actions.pay.max_age: is 0 to 300 s"),
            (#"{"max_age":0,"credentials":true}"#, "actions.pay.credentials: needs a max_age above 0"),
            (#"{"max_age":0,"unlock":true}"#, "actions.pay.unlock: needs a max_age above 0"),
            (#"{"max_age":-1}"#, "actions.pay.max_age: is"), (#"{"max_age":1.5}"#, "actions.pay.max_age: "),
            (#"{"max_age":"60"}"#, "actions.pay.max_age: expected a whole number"),
            (#"{"max_age":0,"age":1}"#, "actions.pay.age: Unknown"),
            (#"{"max_age":0,"keys":[]}"#, "actions.pay.keys: names at least"),
            (#"{"max_age":0,"keys":["session"]}"#, "actions.pay.keys: a session key proves no presence"),
            (#"{"max_age":0,"keys":["face"]}"#, "actions.pay.keys[0]: "),
            (#"{"max_age":0,"one_of":[]}"#, "actions.pay.one_of: names"),
            (#"{"max_age":0,"protection":"tee"}"#, "actions.pay.protection: "),
            (#"{"max_age":0,"thresholds":[]}"#, "actions.pay.thresholds: is empty"),
            (
                #"{"max_age":0,"thresholds":[{"currency":"EUR","above":10.5,"one_of":["two-keys"]}]}"#,
                "actions.pay.thresholds[0].above: "
            ),
            (
                #"{"max_age":0,"thresholds":[{"currency":"eur","above":10,"one_of":["two-keys"]}]}"#,
                "actions.pay.thresholds[0].currency: is three"
            ),
            (
                #"{"max_age":0,"thresholds":[{"currency":"EUR","above":10,"one_of":["two-keys"]},{"currency":"EUR","above":10,"one_of":["second-approver"]}]}"#,
                "actions.pay.thresholds: has two entries"
            ),
            (
                #"{"max_age":0,"thresholds":[{"currency":"EUR","above":1}]}"#,
                #"actions.pay.thresholds[0]: lacks the member "one_of""#
            ),
        ])
    func placesInRules(_ rule: String, _ says: String) {
        #expect { try Self.table(#""pay":\#(rule)"#) } throws: { "\($0)".hasPrefix(says) }
    }

    @Test func aRuleOfTheFileTakesThePresetsPlace() throws {
        let text = #"{"format":"thumbturn-policy/1","preset":"regulated","actions":{"card-details":{"max_age":30}}}"#
        let table = try StepUpTable(json: Array(text.utf8))
        #expect(table.actions["card-details"] == ActionRule(maximumAge: .seconds(30)))
        #expect(table.actions["existing-recipient"]?.signsEach == true && table.actions.count == 5)
    }

    @Test func whatWeakensIsSaid() throws {
        let table = try Self.table(
            """
            "card-details":{"max_age":300,"keys":["passcode"],"unlock":true},"new-recipient":{"max_age":10,"one_of":["second-approver"]},
            "existing-recipient":{"max_age":300,"protection":"none","credentials":true},"change-password":{"max_age":0}
            """)
        #expect(
            table.warnings == [
                "actions.card-details.max_age: is 300 s, and 120 s in standard",
                "actions.card-details.keys: anyone who knows the device's passcode may do it",
                "actions.card-details.unlock: an app that was unlocked a moment ago may do it without asking the person",
                "actions.change-password.keys: anyone who has watched the PIN may do it, and then bring other keys",
                "actions.existing-recipient.credentials: anyone who knows the password may do it, without a device",
                "actions.existing-recipient.protection: is below software, the level of every key without evidence",
                "actions.new-recipient.max_age: is 10 s, and 0 s in standard",
                "actions.new-recipient.one_of: a step-up has no second approver, so only approvals meet it",
                "actions.statement-export: is not there, so it is denied",
            ])
    }

    @Test func aBrokenFileKeepsThePolicyBefore() throws {
        let path = LiveServer.temporaryFolder() + ".json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        try write(#"{"format":"thumbturn-policy/1","preset":"standard"}"#)
        let policy = try StepUpPolicy(file: path)
        #expect(policy.current == .standard)
        try write(#"{"format":"thumbturn-policy/1","preset":"#)
        #expect { try policy.reload() } throws: { "\($0)".hasPrefix("\(path): line 1: ") }
        #expect(policy.current == .standard)
        try write(#"{"format":"thumbturn-policy/1","preset":"regulated"}"#)
        try policy.reload()
        #expect(policy.current == .regulated)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: PolicyFileError.self) { try policy.reload() }
        #expect(policy.current == .regulated)
    }
}
#endif
