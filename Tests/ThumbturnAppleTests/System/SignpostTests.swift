#if STAND_INS && canImport(os)
import Foundation
import TestSupport
import Testing
import ThumbturnApple
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import os

// WatchingCeremonies.md, word for word.

func watchedLogin(server: URL) throws -> Authenticator {
    let signposts = Signposts()
    return try Authenticator(server: server, platform: .apple(), observe: signposts.hear)
}

/// What Instruments and the system's log are told. Each test has a subsystem of its own.
@Suite struct SignpostTests {
    private let subsystem = "test \(UUID())"
    private var entries: [String] { StandInLog.entries(of: subsystem).map { "\($0.category): \($0.entry)" } }

    /// The intervals that began and ended, in order.
    private var intervals: [String] { entries.filter { $0.contains(": began") || $0.contains(": ended") } }
    private var notices: [String] { entries.filter { $0.contains(": notice") } }

    private static func telemetry(_ event: Telemetry) -> UnlockNews {
        .telemetry(TelemetryRecord(event, at: UnixTime(seconds: 1), in: TelemetryContext(policy: "unlock", arm: "secret-arm")))
    }

    // MARK: With an authenticator

    @Test func eachCeremonyIsAnIntervalWithItsPrompts() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let signposts = Signposts(subsystem: subsystem)
        let auth = try Authenticator(
            server: InMemoryServer.url, platform: phone.platform(transport: InMemoryServer(clock: clock)),
            observe: signposts.hear)
        try await clock.run {
            try await auth.enrol(with: PasswordSignIn(account: "ada", password: InMemoryServer.password))
            phone.next(.noMatch, .match)
            _ = try await auth.authenticate("Unlock Acme")
        }
        #expect(intervals.first == #"enrolment: began("Enrolment", "began")"#)
        #expect(
            intervals.filter { $0.contains(#"("Enrolment", "#) }.count == 2, "an enrolment is one, however many prompts it has")
        #expect(
            intervals.filter { $0.hasPrefix("unlock") } == [
                #"unlock: began("Unlock", "began")"#, #"unlock: began("Prompt", "biometric")"#,
                #"unlock: ended("Prompt", "notMatched")"#, #"unlock: began("Prompt", "biometric")"#,
                #"unlock: ended("Prompt", "matched")"#, #"unlock: ended("Unlock", "succeeded")"#,
            ], "\(entries)")
        #expect(notices.contains { $0.hasPrefix("unlock: notice(\"biometric succeeded after") }, "\(notices)")
        #expect(notices.last == #"unlock: notice("ended: succeeded")"#)
    }

    /// The ceremonies that a screen begins are intervals, too.
    @MainActor @Test func theCeremoniesOfScreensAreIntervals() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let signposts = Signposts(subsystem: subsystem)
        let vault = Vault(named: "notes", platform: phone.platform(), access: .userPresence, observe: signposts.hear)
        let screen = UnlockScreen(for: vault, reason: "Open your notes") { _ in }
        try await clock.run(mainActorToo: true) {
            phone.next(.match)
            let shown = Task(executorPreference: clock.executor) { await screen.appear() }
            try await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
            shown.cancel()
            await shown.value
        }
        #expect(
            intervals == [
                #"vault: began("Vault", "began")"#, #"vault: began("Prompt", "biometric")"#,
                #"vault: ended("Prompt", "matched")"#, #"vault: ended("Vault", "succeeded")"#,
            ], "\(entries)")
    }

    @Test func aFailureEndsItsIntervalWithTheNameOfItsCode() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let signposts = Signposts(subsystem: subsystem)
        let auth = try Authenticator(
            server: InMemoryServer.url, platform: phone.platform(transport: InMemoryServer(clock: clock)),
            observe: signposts.hear)
        try await clock.run {
            let failure = await failure { _ = try await auth.stepUp(for: .enrolDevice, reason: "Unlock Acme") }
            #expect(intervals.first == #"step-up: began("Step-up", "began")"#)
            #expect(intervals.last == "step-up: ended(\"Step-up\", \"\(failure?.code.name ?? "")\")")
        }
        #expect(!entries.contains { $0.contains("Acme") })
    }

    // MARK: By themselves

    @Test func everyCeremonyThatBeginsEndsOnce() {
        let signposts = Signposts(subsystem: subsystem)
        signposts.hear(.began(.approval, number: 1))
        signposts.hear(.began(.approval, number: 2))
        for (number, code) in [(2, Failure.Code.timedOut), (2, .timedOut), (1, nil)] as [(Int, Failure.Code?)] {
            signposts.hear(.ended(.approval, number: number, code))
        }
        #expect(
            intervals == [
                #"approval: began("Approval", "began")"#, #"approval: began("Approval", "began")"#,
                #"approval: ended("Approval", "timedOut")"#, #"approval: ended("Approval", "succeeded")"#,
            ], "\(intervals)")
    }

    @Test func everyPromptThatBeginsEnds() {
        let signposts = Signposts(subsystem: subsystem)
        let ends: [Telemetry] = [
            .sensorAnswered(.matched, after: .seconds(1), total: .seconds(1)), .cancelled(.superseded), .lockedOut(.temporary),
            .fellBack(from: .biometric, to: .appPIN, because: .timeout), .keyInvalidated(.enrolmentChanged),
            .authenticated(.biometric, after: .seconds(1), attempts: 1),
        ]
        for end in ends {
            signposts.hear(Self.telemetry(.promptShown(.biometric)))
            signposts.hear(Self.telemetry(.promptAppeared(.biometric, .requested)))
            signposts.hear(Self.telemetry(end))
            // A second end of the same prompt ends nothing: the system would end the app.
            signposts.hear(Self.telemetry(end))
        }
        // The prompt of a flow whose end was not heard.
        signposts.hear(Self.telemetry(.promptShown(.biometric)))
        signposts.hear(Self.telemetry(.promptShown(.devicePasscode)))
        let begun = intervals.filter { $0.contains(": began") }.count
        #expect(begun == ends.count + 2 && intervals.count == 2 * begun - 1)
        #expect(intervals.contains(#"unlock: ended("Prompt", "another prompt came")"#))
    }

    @Test func whatOperatorsLookForIsANotice() {
        let signposts = Signposts(subsystem: subsystem)
        let events: [Telemetry] = [.lockedOut(.temporary), .keyInvalidated(.wrongPINs), .hintShown, .retry(1)]
        for event in events { signposts.hear(Self.telemetry(event)) }
        #expect(notices == events.prefix(2).map { "unlock: notice(\"\($0)\")" })
        #expect(entries.filter { $0.contains(": debug") } == events.suffix(2).map { "unlock: debug(\"\($0)\")" })
    }

    /// No label of the app's is shown, and no value is hidden by mistake.
    @Test func onlyNamesOfTheLibraryAreWritten() {
        let signposts = Signposts(subsystem: subsystem)
        signposts.hear(Self.telemetry(.promptShown(.biometric)))
        signposts.hear(.offerSetUp(Failure(.biometryNotEnrolled)))
        #expect(!entries.isEmpty && !entries.contains { $0.contains("private") || $0.contains("secret-arm") })
    }

    /// The page's code is the one above.
    @Test func theCodeOfThePageIsCompiled() throws {
        let page = repository.appendingPathComponent("Sources/Thumbturn/Thumbturn.docc/WatchingCeremonies.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
        let compiled = try String(contentsOfFile: #filePath, encoding: .utf8)
        #expect(blocks.count == 1)
        for block in blocks { #expect(compiled.contains(try #require(block.components(separatedBy: "```").first))) }
    }

    /// Without another name the subsystem is the library's.
    @Test func theCategoriesAreThose() {
        let before = StandInLog.entries(of: "thumbturn").count
        let signposts = Signposts()
        for (number, ceremony) in AskKind.allCases.enumerated() { signposts.hear(.began(ceremony, number: number)) }
        let categories = StandInLog.entries(of: "thumbturn").dropFirst(before).map(\.category)
        #expect(
            Set(categories) == ["unlock", "vault", "sign-in", "enrolment", "approval", "step-up", "key-change"], "\(categories)")
    }
}
#endif
