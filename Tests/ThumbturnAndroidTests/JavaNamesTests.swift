import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
@testable import ThumbturnAndroid

/// The names and numbers that Java's API has of its own, because its enums and constants need them when it is compiled.
@Suite struct JavaNamesTests {
    private static func source(_ file: String) throws -> String {
        let path = "android/thumbturn/src/main/java/com/thumbturn/\(file).java"
        return try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
    }

    /// The quoted names of the enums in a file, and of its text constants.
    private static func names(_ file: String) throws -> Set<String> {
        let source = try source(file)
        let ofEnums = source.matches(of: #/\n +[A-Z_]+\("(\w+)"\)[,;]/#).map { String($0.1) }
        let constants = source.matches(of: #/static final String [A-Z_]+ = "(\w+)";/#).map { String($0.1) }
        return Set(ofEnums + constants)
    }

    @Test func javaHasTheNamesOfSwift() throws {
        #expect(try Self.names("Failure") == Set(Failure.Code.all.map(\.name)))
        #expect(try Self.names("Policy") == Set(UnlockPolicy.presets.keys))
        #expect(try Self.names("Rung") == Set(Rung.allCases.map(\.rawValue)))
        #expect(try Self.names("KeyKind") == Set(KeyKind.allCases.map(\.rawValue)))
        #expect(try Self.names("Vault") == Set(VaultAccess.allCases.map(\.rawValue)))
        let steps: [Recovery] = [
            .retry, .wait(.zero), .fallBack(.appPIN), .reEnrol, .openSettings, .setPasscode, .signInAgain, .report,
        ]
        #expect(try Self.names("Recovery") == Set(steps.map(\.named.name)))
    }

    @Test func javaHasTheAgesOfSwiftsActions() throws {
        let actions = try Self.source("Action").matches(of: #/new Action\("([a-z-]+)", Duration\.(?:ZERO|ofSeconds\((\d+)\))\)/#)
        #expect(actions.count == 4)
        for action in actions {
            let age = Duration.seconds(action.2.flatMap { Int($0) } ?? 0)
            #expect(StepUpAction.presets.contains { $0.name == action.1 && $0.maximumAge == age }, "\(action.1)")
        }
    }
}
