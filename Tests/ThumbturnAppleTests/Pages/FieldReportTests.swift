import Foundation
import TestSupport
import Testing

/// The places where real devices answer otherwise than one expects, as an engineer's reading of public headers, system
/// sources and field reports found them: A1 to A14, each with the tests that hold it.
@Suite struct FieldReportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// The row, with what devices do.
        var name: String
        /// The tests by file and function.
        var tests: [(file: String, functions: [String])]
        var testDescription: String { name }
    }

    private static let apple = "ThumbturnAppleTests/"
    private static let device = "ThumbturnDeviceTests/"

    static let rows = [
        Row(
            name: "A1: a wrong application password may fail at the lookup already, so every unclear answer counts",
            tests: [
                (apple + "EnclavePINKeysTests", ["refusedAtTheLookup", "refused"]), (apple + "LifeTests", ["wrongPINs"]),
                (apple + "EnclaveKeysTests", ["everyAmbiguousStatusCountsAsAWrongPIN"]),
            ]),
        Row(
            name: "A2: a fresh access control is bound to no enrolled set, so the prompt asks for the item's own",
            tests: [
                (apple + "OwnAccessControlTests", ["own", "dead", "notTold", "unlock"]),
                (apple + "StandInTests", ["ownAccessControl"]),
            ]),
        Row(
            name: "A3: a dead key answers CryptoTokenKit -3 with AKSError, after a match",
            tests: [
                (apple + "RefusalTests", ["aKeyThatTheSecureEnclaveCallsDeadIsDead"]),
                (apple + "AppleStatusTests", ["dead", "hardware"]), (apple + "LifeTests", ["newFace", "deadAfterAMatch"]),
            ]),
        Row(
            name: "A4: the system ends an app that asks for a face without a text in its Info.plist",
            tests: [
                (apple + "AppleSensorTests", ["withoutAUsageTextNoFaceIsAskedFor"]),
                (apple + "LifeTests", ["withoutAUsageTextThePasscodeIsAsked"]),
            ]),
        Row(
            name: "A5: a sheet may stay up after its context was invalidated",
            tests: [
                (apple + "AppleSensorTests", ["aLateSuccessOpensNothing", "aSuccessRightAfterACancellationIsNone"]),
                (apple + "LifeTests", ["cancelled"]),
            ]),
        Row(
            name: "A6: Face ID mostly shows no reason, so the app shows an approval itself, and only a tap asks",
            tests: [
                (device + "ModelTests", ["showsExactlyWhatIsSignedAndOnlyATapAsks"]),
                (apple + "AppleSensorTests", ["theSheetHasTheTextsOfTheRequest"]),
            ]),
        Row(
            name: "A7: App Attest refuses keys and input that are right, for a while or for good",
            tests: [
                (
                    apple + "AppAttestationTests",
                    ["everyFailureHasItsMeaning", "noEndlessKeys", "anUnknownErrorThatStays", "afterAReinstallation"]
                ),
                (apple + "EnrolmentEvidenceTests", ["failures", "refused", "unknown"]),
            ]),
        Row(
            name: "A8: a simulator refuses keys behind a face, or opens them without a prompt",
            tests: [
                (apple + "SimulatorTests", ["failures", "advice", "softwareKeys"]), (apple + "DiagnosticsTests", ["simulator"]),
                (apple + "StandInTests", ["simulators"]),
            ]),
        Row(
            name: "A9: signing without privateKeyUsage is LocalAuthentication -1009",
            tests: [
                (apple + "StandInTests", ["withoutPrivateKeyUsage"]),
                (apple + "EnclaveKeysTests", ["everySilentRefusalHasItsMeaning"]),
            ]),
        Row(
            name: "A10: fsync leaves bytes in the drive's cache",
            tests: [(device + "PrivateFilesTests", ["everySyncIsAFullOne"])]
        ),
        Row(
            name: "A11: only the app knows its phase at the start",
            tests: [
                (
                    apple + "ScenePhasesTests",
                    ["theAppMayTellItsPhaseAtTheStart", "theStartIsOverAfterTheFirstNotification"]
                )
            ]),
        Row(
            name: "A12: two Xcodes, four platforms, simulators, traits, and names that differ by case",
            tests: [
                (
                    apple + "WorkflowTests",
                    ["xcodes", "consumers", "simulatorsAndAPI", "pinned", "namesThatDifferByCase"]
                )
            ]),
        Row(
            name: "A13: a privacy manifest, and diagnostics that write only where their name says so",
            tests: [
                (apple + "PrivacyManifestTests", ["categoriesOfAPIs", "collectedData"]),
                (apple + "DiagnosticsTests", ["snapshot", "aWorkingDeviceNeedsNoAdvice"]),
            ]),
        Row(
            name: "A14: no public name is one of Foundation, SwiftUI or StoreKit",
            tests: [(apple + "FieldReportTests", ["noPublicNameIsTaken"])]),
    ]

    @Test("each row has tests, which exist", arguments: rows)
    func everyRowHasItsTests(_ row: Row) throws {
        #expect(!row.tests.isEmpty)
        for (file, functions) in row.tests {
            let parts = file.split(separator: "/")
            let rooms = FileManager.default.enumerator(
                at: repository.appendingPathComponent("Tests/\(parts[0])"), includingPropertiesForKeys: nil)
            let place = try #require(
                rooms?.compactMap { $0 as? URL }.first { $0.lastPathComponent == "\(parts[1]).swift" }, "\(file)")
            let text = try String(contentsOf: place, encoding: .utf8)
            for function in functions {
                let declaration = try Regex(#"func \#(function)\("#)
                #expect(text.contains(declaration), "\(file) has no test \(function)")
            }
        }
    }

    @Test func theRowsAreA1ToA14() {
        #expect(Self.rows.map { $0.name.prefix { $0 != ":" } } == (1...14).map { Substring("A\($0)") })
    }

    /// `scripts/api` compares every name; here are the six of the row.
    @Test("A14: no public name is taken") func noPublicNameIsTaken() throws {
        let taken: Set = ["Transaction", "HTTPRequest", "Action", "Session", "Platform", "Message"]
        for surface in ["Thumbturn", "Thumbturn-apple"] {
            let text = try String(contentsOf: repository.appendingPathComponent("api/\(surface).txt"), encoding: .utf8)
            let names = text.matches(of: /(?m)^(?:final )?(?:struct|enum|class|actor|protocol|typealias) (\w+)/).map {
                String($0.1)
            }
            #expect(names.count > 5 && taken.isDisjoint(with: names), "\(taken.intersection(names))")
        }
    }
}
