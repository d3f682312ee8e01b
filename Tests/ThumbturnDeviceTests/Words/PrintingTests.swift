import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
@testable import ThumbturnDevice

/// What values look like in a log: Swift prints an enum or a struct inside another one, or inside an array, with the
/// name of its module, unless it describes itself.
@Suite struct PrintingTests {
    static let values: [any Sendable] = {
        let failure = Failure(.lockedOut, status: .init(domain: "Phone", code: -8))
        let (now, secret) = (Instant(sinceOrigin: .seconds(1)), "somebody@example.com")
        let key = KeyName(server: "https://acme.example", account: secret, kind: .biometric)
        let lines = [ApprovalDetails.Line(label: "Payee", value: secret)]
        let device = DeviceRecord(
            id: secret, name: secret, keys: [.init(kid: secret, kind: .biometric, active: false)], enrolledAt: .init(seconds: 1),
            current: true)
        let me = Me(account: secret, name: secret, device: secret, acr: "", amr: [], authTime: .init(seconds: 1))
        let telemetry: [Telemetry] = [
            .promptShown(.biometric), .promptAppeared(.biometric, .told),
            .sensorAnswered(.matched, after: .seconds(1), total: .seconds(2)),
            .sensorAnswered(.failed(.notMatched), after: .seconds(1), total: .seconds(2)), .readPoorly(.tooShort), .retry(1),
            .hintShown,
            .fellBack(from: .biometric, to: .appPIN, because: .skipped(.notEnrolled)), .cancelled(.cancelledByUser),
            .lockedOut(.temporary), .keyInvalidated(.wrongPINs), .authenticated(.appPIN, after: .seconds(1), attempts: 1),
            .abandoned(.fallback(.appPIN), after: .seconds(1)),
        ]
        let context = TelemetryContext(
            system: "iOS", model: "iPhone17,3", systemVersion: "26.1", appVersion: "4.2", sensor: .faceID, policy: "unlock",
            arm: "b")
        let triggers: [Trigger] = [.timeout, .mismatches, .lockedOut, .keyInvalidated, .choice, .skipped(.paused)]
        let news: [UnlockNews] =
            [
                .hint(.appPIN), .readPoorly(.tooPoor), .offerSetUp(failure), .began(.stepUp, number: 1),
                .ended(.vault, number: 2, nil),
                .ended(.signIn, number: 3, failure.code),
            ]
            + telemetry.map { .telemetry(TelemetryRecord($0, at: .init(seconds: 1), in: context)) }
            + triggers.map { .moved(from: .biometric, to: .appPIN, because: $0, over: .milliseconds(250)) }
        let states: [BiometryState] = [.ready, .lockedOut(.untilPasscode), .paused(for: .seconds(1)), .lidClosed]
        let keys: [KeyState] = [.usable, .invalidated(.restored), .paused(for: .seconds(1)), .notYetReadable]
        let values: [any Sendable] = [
            KeyKind.allCases, KeyLoss.allCases, KeyProtection.allCases, UserVerification.allCases, LivenessLevel.allCases,
            MessageLanguage.allCases, PoorReading.allCases, PromptNews.appeared, PromptNews.readPoorly(.tooShort),
            Telemetry.Appearance.allCases, SensorKind.allCases, SensorName.allCases, TransactionLabel.allCases,
            AppPhase.allCases,
            ApprovalState.allCases, Rung.allCases, ExtraTime.allCases, VaultAccess.allCases, states, keys, telemetry, triggers,
            news, failure, failure.code, Failure.PlatformStatus(domain: "Phone", code: 1), Recovery.fallBack(.appPIN),
            Assurance(protection: .attestedApp, verification: .pin), Money(minor: 1, currency: "EUR"), StepUpAction.presets,
            ApprovalDemand(keys: [.biometric, .pin], liveness: .high), ApprovalDemand.oneKey, UnlockPolicy.highRisk,
            MismatchDelays(), AppLock(rules: .init()), AppLock.Rules(), BiometricOffer(), BiometricOffer.Rules(),
            BiometricOffer.Answer.notNow, EnrolmentMark(state: [1], systemVersion: 18), EnrolmentMark.Change.afterUpgrade, now,
            UnixTime(seconds: 1), PublicKey(x963: [4] + [UInt8](repeating: 1, count: 64)), UnlockFlow(policy: .unlock),
            UnlockFlow.CancelButton.use(.appPIN), UnlockFlow.Start.screen, UnlockFlow.Phase.fallback(.devicePasscode),
            AppAttestEvidence(keyID: secret, attestation: [], attestedValue: [], assertion: []),
            PersonMessage(.signIn), Readiness(biometry: .ready, keys: [.pin: .paused(for: .seconds(1))], ladder: [.appPIN]),
        ]
        let onTheDevice: [any Sendable] = [
            key, PromptRequest(rung: .biometric, reason: secret, cancelButton: .cancel, key: key, message: []),
            PINRequest(reason: secret, cancelButton: .use(.fullCredentials), wrongInARow: 1), PINAnswer.failed(failure),
            PromptAnswer.matched(Presence(context: secret)), PromptAnswer.failed(failure), Presence(context: secret),
            PINJudge.server, lines, ApprovalDetails(title: "Payment", lines: lines),
            AnsweredAsk(
                rung: .biometric,
                act: PersonAct(
                    secret, at: Tick(number: 1), in: PromptCoordinator(), on: PlaceMark(dismissals: 0, person: secret),
                    reading: { PlaceMark(dismissals: 0) }),
                isShared: false, at: Moment(boot: secret, sinceBoot: now)),
            TransactionLine(label: .payee, value: secret), ApprovalSheetModel.Stage.stopped(failure),
            Authenticator.IfExists.keep, BiometricsToggleModel.State.off, EnrolledDevice(device), EnrolledDevice(device).keys,
            SignedInAccount(me), PINEntryModel.Purpose.enter, UnlockScreen.Purpose.payment, UnlockScreen.Stage.stopped(failure),
            TelemetryAnswer.later(after: .seconds(1)), TelemetryAnswer.refused, TelemetryQueue.Limits(),
            AssignmentToken([1, 2, 3]), PolicyBounds(around: .unlock), Experiment.Arm("a", weight: 1, policy: .unlock),
            UnlockReport([.hintShown], began: .init(seconds: 1), in: context),
            UnlockScreen.Button.Action.recover(.report), UnlockScreen.Button(action: .ask, words: PersonMessage(.signIn)),
        ]
        return values + onTheDevice
    }()

    @Test("no value prints the name of a module, nor a person's data", arguments: values.indices)
    func printed(_ index: Int) {
        let value = Self.values[index]
        let text = "\(value) \([value])"
        #expect(!text.contains("Thumbturn") && !text.contains("example.com"), "\(text)")
    }

    @Test("each public value type describes itself")
    func described() throws {
        let page = try String(contentsOf: repository.appendingPathComponent("api/Thumbturn.txt"), encoding: .utf8)
        let values = page.split(separator: "\n").filter {
            $0.firstMatch(of: #/^([\w.]+: )?(@nonexhaustive )?(struct|enum) \w+ :/#) != nil && $0.contains("Hashable")
        }
        #expect(values.count > 50)
        for line in values { #expect(line.contains("CustomStringConvertible"), "\(line)") }
    }
}
