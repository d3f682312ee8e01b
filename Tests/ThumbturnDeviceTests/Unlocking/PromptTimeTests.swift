import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// What telemetry tells of a prompt: that it appeared, and how long the person took from there.
@Suite struct PromptTimeTests {
    @Test func anAnswerIsTimedFromThePromptThatAppeared() async throws {
        try await Self.tell(tellsAppearance: true) { world in
            world.phone.next(.noMatch, .match, after: .seconds(2))
            let before = world.telemetry.count
            _ = try await world.auth.authenticate("Unlock")
            #expect(
                world.telemetry.dropFirst(before) == [
                    .promptShown(.biometric), .promptAppeared(.biometric, .told),
                    .sensorAnswered(.failed(.notMatched), after: .seconds(2), total: .seconds(2)), .retry(1),
                    .promptShown(.biometric), .promptAppeared(.biometric, .told),
                    .sensorAnswered(.matched, after: .seconds(2), total: .milliseconds(4700)),
                    .authenticated(.biometric, after: .milliseconds(4700), attempts: 2),
                ])
        }
    }

    @Test func whereTheSystemTellsNothingTheRequestIsTheMoment() async throws {
        try await Self.tell(tellsAppearance: false) { world in
            world.phone.next(.match, after: .seconds(2))
            let before = world.telemetry.count
            _ = try await world.auth.authenticate("Unlock")
            #expect(
                world.telemetry.dropFirst(before) == [
                    .promptShown(.biometric), .promptAppeared(.biometric, .requested),
                    .sensorAnswered(.matched, after: .milliseconds(2700), total: .milliseconds(2700)),
                    .authenticated(.biometric, after: .milliseconds(2700), attempts: 1),
                ])
        }
    }

    @Test func theTimeAwayCountsNowhere() async throws {
        try await Self.tell(tellsAppearance: true) { world in
            world.phone.next(.ignore)
            world.phone.next(.match, after: .seconds(2))
            async let rung = world.auth.authenticate("Unlock").rung
            try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(1700)))
            world.phone.moveToBack()
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(60)))
            world.phone.moveToFront()
            expect(try await rung, is: .biometric)
            // A second of the first prompt, and the second prompt: 700 ms until it appears, and 2 s until it matches.
            #expect(world.telemetry.contains(.sensorAnswered(.matched, after: .seconds(2), total: .milliseconds(3700))))
        }
    }

    @Test func aPromptThatNeverAppearsIsOnlyShown() async throws {
        try await Self.tell(tellsAppearance: true) { world in
            let before = world.telemetry.count
            let question = Question()
            async let rung = question.asking { try await world.auth.authenticate("Unlock").rung }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .milliseconds(300)))
            question.useAnotherWay()
            expect(try await rung, is: .devicePasscode)
            let told = world.telemetry.dropFirst(before)
            #expect(told.first == .promptShown(.biometric))
            #expect(!told.contains(.promptAppeared(.biometric, .told)))
            #expect(told.contains(.promptAppeared(.devicePasscode, .told)))
        }
    }

    @Test func theAppsOwnPINScreenAppearsWhenItIsAsked() async throws {
        try await Self.tell(tellsAppearance: true) { world in
            _ = try await world.auth.authenticate("Unlock", policy: UnlockPolicy(ladder: [.appPIN]))
            #expect(world.telemetry.contains(.promptAppeared(.appPIN, .requested)))
        }
    }

    /// Runs a story on an enrolled phone with a PIN, whose sheets take 700 ms.
    private static func tell(
        tellsAppearance: Bool, _ story: @escaping @Sendable (World) async throws -> Void
    ) async throws {
        var model = SimulatedPhone.Model.plain
        (model.promptDelay, model.tellsAppearance) = (.milliseconds(700), tellsAppearance)
        let world = try World(model, hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            try await story(world)
        }
    }
}

extension World.News {
    /// The events to count, in order.
    var telemetry: [Telemetry] { all.compactMap { if case .telemetry(let record) = $0 { record.event } else { nil } } }
}

extension World {
    var telemetry: [Telemetry] { news.telemetry }

    /// How many mismatches and wrong PINs were reported.
    var mismatches: Int {
        telemetry.count { if case .sensorAnswered(.failed(.notMatched), _, _) = $0 { true } else { false } }
    }

    var retries: [Int] { telemetry.compactMap { if case .retry(let number) = $0 { number } else { nil } } }
}
