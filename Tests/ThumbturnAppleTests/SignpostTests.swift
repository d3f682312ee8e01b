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

struct WatchedLogin {
    let signposts = Signposts()
    let auth: Authenticator

    init(server: URL) throws {
        auth = try Authenticator(server: server, platform: .apple(), observe: signposts.hear)
    }

    func signIn() async throws -> Grant {
        try await signposts.interval(.unlock) { try await auth.authenticate("Sign in to Example") }
    }
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
            try await signposts.interval(.enrolment) {
                try await auth.enrol(with: PasswordSignIn(account: "ada", password: InMemoryServer.password))
            }
            phone.next(.noMatch, .match)
            _ = try await signposts.interval(.unlock) { try await auth.authenticate("Unlock Acme") }
        }
        let unlock = intervals.filter { $0.hasPrefix("unlock") }
        #expect(
            unlock == [
                #"unlock: began("Unlock", "began")"#, #"unlock: began("Prompt", "biometric")"#,
                #"unlock: ended("Prompt", "notMatched")"#, #"unlock: began("Prompt", "biometric")"#,
                #"unlock: ended("Prompt", "matched")"#, #"unlock: ended("Unlock", "succeeded")"#,
            ], "\(entries)")
        #expect(intervals.first == #"enrolment: began("Enrolment", "began")"#)
        #expect(intervals.contains(#"enrolment: ended("Enrolment", "succeeded")"#))
        #expect(notices.contains { $0.hasPrefix("unlock: notice(\"biometric succeeded after") }, "\(notices)")
        #expect(notices.last == #"unlock: notice("ended: succeeded")"#)
    }

    @Test func aFailureEndsItsIntervalWithTheNameOfItsCode() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        let signposts = Signposts(subsystem: subsystem)
        let auth = try Authenticator(
            server: InMemoryServer.url, platform: phone.platform(transport: InMemoryServer(clock: clock)),
            observe: signposts.hear)
        try await clock.run {
            let failure = await failure {
                _ = try await signposts.interval(.stepUp) { () async throws(Failure) in
                    try await auth.authenticate("Unlock Acme")
                }
            }
            #expect(failure?.code == .notEnrolled || failure?.recovery == .signInAgain)
        }
        #expect(intervals.first == #"step-up: began("Step-up", "began")"#)
        #expect(intervals.last?.hasPrefix(#"step-up: ended("Step-up", ""#) == true && !entries.contains { $0.contains("Acme") })
    }

    // MARK: By themselves

    /// A prompt is shown in the category of the ceremony that asked for it, also from a task that the ceremony started.
    @Test func newsBelongToTheirCeremony() async {
        let signposts = Signposts(subsystem: subsystem)
        await signposts.interval(.approval) {
            await Task { signposts.hear(Self.telemetry(.promptShown(.appPIN))) }.value
            signposts.hear(Self.telemetry(.cancelled(.cancelledByUser)))
        }
        #expect(
            intervals == [
                #"approval: began("Approval", "began")"#, #"approval: began("Prompt", "app PIN")"#,
                #"approval: ended("Prompt", "cancelledByUser")"#, #"approval: ended("Approval", "succeeded")"#,
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

    /// Neither a label of the app's nor what a foreign error says of itself is shown, and no value is hidden by mistake.
    @Test func onlyNamesOfTheLibraryAreWritten() async {
        struct Told: Error, CustomStringConvertible {
            var description: String { "ada@example.com" }
        }
        let signposts = Signposts(subsystem: subsystem)
        signposts.hear(Self.telemetry(.promptShown(.biometric)))
        signposts.hear(.offerSetUp(Failure(.biometryNotEnrolled)))
        await #expect(throws: Told.self) { try await signposts.interval(.keyChange) { throw Told() } }
        #expect(intervals.last == #"key-change: ended("Key change", "failed")"#)
        #expect(!entries.contains { $0.contains("private") || $0.contains("secret-arm") || $0.contains("example.com") })
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
    @Test func theCategoriesAreThose() async {
        let before = StandInLog.entries(of: "thumbturn").count
        let signposts = Signposts()
        for ceremony in Signposts.Ceremony.allCases { await signposts.interval(ceremony) {} }
        let categories = StandInLog.entries(of: "thumbturn").dropFirst(before).map(\.category)
        #expect(Set(categories) == ["unlock", "enrolment", "approval", "step-up", "key-change"])
    }
}
#endif
