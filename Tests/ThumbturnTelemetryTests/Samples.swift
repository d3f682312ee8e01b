#if Server
import Foundation
import ThumbturnCore
import ThumbturnTelemetry

/// Contexts, unlocks and entries for tests.
enum Samples {
    static func context(
        _ model: TelemetryLabel? = "iPhone17,3", arm: TelemetryLabel? = nil, policy: TelemetryLabel = "unlock"
    ) -> TelemetryContext {
        TelemetryContext(
            system: "iOS", model: model, systemVersion: "26.1", appVersion: "4.2.0", sensor: .faceID, policy: policy, arm: arm)
    }

    static func report(_ events: [Telemetry], in context: TelemetryContext = context()) -> UnlockReport {
        UnlockReport(events, began: UnixTime(seconds: 1_790_000_000), in: context)
    }

    /// The sensor matches at once.
    static func success(after time: Duration) -> UnlockReport {
        report([
            .promptShown(.biometric), .promptAppeared(.biometric, .told), .sensorAnswered(.matched, after: time, total: time),
            .authenticated(.biometric, after: time, attempts: 1),
        ])
    }

    /// The person cancels at the first prompt.
    static func cancel(after time: Duration) -> UnlockReport {
        report([
            .promptShown(.biometric), .promptAppeared(.biometric, .told),
            .sensorAnswered(.failed(.cancelledByUser), after: time, total: time), .cancelled(.cancelledByUser),
        ])
    }

    /// Two mismatches, then the PIN.
    static func fallback(after time: Duration) -> UnlockReport {
        report([
            .promptShown(.biometric), .promptAppeared(.biometric, .told),
            .sensorAnswered(.failed(.notMatched), after: time, total: time), .retry(1), .promptShown(.biometric),
            .promptAppeared(.biometric, .told), .sensorAnswered(.failed(.notMatched), after: time, total: time * 2),
            .fellBack(from: .biometric, to: .appPIN, because: .mismatches), .promptShown(.appPIN),
            .promptAppeared(.appPIN, .requested), .sensorAnswered(.entered, after: time, total: time * 3),
            .authenticated(.appPIN, after: time * 3, attempts: 3),
        ])
    }

    /// An unlock of any kind, also ones that no flow has.
    static func any(using generator: inout some RandomNumberGenerator) -> UnlockReport {
        let events = (0..<Int.random(in: 1...12, using: &generator)).map { _ in event(using: &generator) }
        return report(events)
    }

    static func event(using generator: inout some RandomNumberGenerator) -> Telemetry {
        func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }
        let time = Duration.milliseconds(Int.random(in: 0...20_000, using: &generator))
        let rung = pick(Rung.allCases)
        let code = pick(Failure.Code.all)
        return switch Int.random(in: 0..<13, using: &generator) {
        case 0: .promptShown(rung)
        case 1: .promptAppeared(rung, .told)
        case 2: .sensorAnswered(.matched, after: time, total: time)
        case 3: .sensorAnswered(.failed(pick([.notMatched, code])), after: time, total: time)
        case 4: .readPoorly(pick(PoorReading.allCases))
        case 5: .retry(1)
        case 6: .hintShown
        case 7: .fellBack(from: rung, to: pick(Rung.allCases), because: pick([.timeout, .mismatches, .choice, .skipped(code)]))
        case 8: .cancelled(pick([.cancelledByUser, code]))
        case 9: .lockedOut(pick([.temporary, .untilPasscode, .untilStrongerRung]))
        case 10: .keyInvalidated(pick(KeyLoss.allCases))
        case 11: .authenticated(rung, after: time, attempts: Int.random(in: 1...4, using: &generator))
        default: .abandoned(pick([.firstAttempt, .hinted, .fallback(rung)]), after: time)
        }
    }

    static func tally(_ reports: [UnlockReport]) -> UnlockTally { reports.reduce(into: UnlockTally()) { $0.add($1) } }

    static func devices(_ number: Int, from seed: UInt64 = 1) -> DistinctDevices {
        var generator = RepeatableGenerator(seed: seed)
        return (0..<number).reduce(into: DistinctDevices()) { devices, _ in devices.add(generator.next()) }
    }

    /// One entry with as many devices as unlocks, unless told otherwise.
    static func entry(
        _ model: TelemetryLabel?, day: Int = 20_777, _ reports: [UnlockReport], devices: Int? = nil, arm: TelemetryLabel? = nil,
        policy: TelemetryLabel = "unlock"
    ) -> TelemetryEntry {
        let seed =
            UInt64(bitPattern: Int64(day)) &* 1000 &+ (model?.text.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) } ?? 0)
            &+ (arm?.text.utf8.reduce(3) { $0 &* 37 &+ UInt64($1) } ?? 0)
        return TelemetryEntry(
            cell: TelemetryCell(day: day, context: context(model, arm: arm, policy: policy)), tally: tally(reports),
            devices: self.devices(devices ?? reports.count, from: seed))
    }

    /// A time with this median, from a long-tailed distribution.
    static func time(_ median: Double, spread: Double = 0.5, using generator: inout some RandomNumberGenerator) -> Duration {
        .microseconds(Int64(logNormal(median, spread, using: &generator) * 1e6))
    }

    static func logNormal(_ median: Double, _ spread: Double, using generator: inout some RandomNumberGenerator) -> Double {
        let u = 1 - Double.random(in: 0..<1, using: &generator)
        let angle = Double.random(in: 0..<1, using: &generator) * 2 * Double.pi
        return median * exp(spread * (-2 * log(u)).squareRoot() * cos(angle))
    }
}
#endif
