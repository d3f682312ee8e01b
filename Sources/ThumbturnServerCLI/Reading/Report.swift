#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnServer
import ThumbturnTelemetry

struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints how people unlocked: success, times, retries and other ways, by one dimension.",
        discussion: """
            A server may run meanwhile. Groups with fewer than 20 devices on every day are not shown. The days are of UTC, by \
            the server's clock, and both ends are included. By arm, the arms of each policy are compared, with intervals, in \
            text and on the page; in JSON each comparison is an object on a line of its own.
            """
    )

    @OptionGroup var data: DataOptions

    @Option(help: "The first day, for example 2026-01-31.")
    var from: ReportDay

    @Option(help: "The last day, for example 2026-02-06.")
    var to: ReportDay

    @Option(help: "The dimension: \(TelemetryDimension.allCases.map(\.rawValue).joined(separator: ", ")).")
    var by: TelemetryDimension

    @Option(help: "Only the unlocks of the policy of this name.")
    var policy: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print comma-separated values (RFC 4180).")
    var csv = false

    @Option(help: "Write one page of HTML, without scripts, to this file. It must not exist.")
    var html: String?

    func validate() throws {
        guard from.day.number <= to.day.number else { throw ValidationError("--from must not be after --to.") }
        guard [json, csv, html != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("Give one of --json, --csv and --html.")
        }
    }

    func run() async throws {
        let only = try policy.map { text in
            let label = TelemetryLabel(text)
            guard label.text == text else {
                throw ValidationError("--policy is a name of 1 to 40 letters, digits, spaces and .,_-+().")
            }
            return label
        }
        let entries = try await data.server().service.store.telemetry(from: from.day, to: to.day)
        guard entries.contains(where: { only == nil || $0.cell.context.policy == only }) else {
            throw NothingCounted(policy: only)
        }
        let report = TelemetryReport(entries, by: by, of: only)
        let arms = by == .arm ? ArmComparison.all(entries, of: only) : []
        if let html {
            let title = "Unlocks from \(UTCDay.text(from.day.number)) to \(UTCDay.text(to.day.number))"
            do {
                try Data(report.html(title: title, arms: arms).utf8)
                    .write(to: URL(fileURLWithPath: html), options: .withoutOverwriting)
            } catch CocoaError.fileWriteFileExists {
                throw SetupError.fileExists(html)
            } catch {
                throw SetupError.unwritable(html)
            }
            return print("The report is in \(html).")
        }
        guard !json else { return print(([report.json] + arms.map(\.json)).joined(separator: "\n")) }
        print(csv ? report.csv : ([report.text] + arms.map(\.text)).joined(separator: "\n"), terminator: "")
    }

    struct NothingCounted: Error, CustomStringConvertible {
        var policy: TelemetryLabel?

        var description: String {
            """
            No unlocks \(policy.map { "of the policy \($0) " } ?? "")were counted on these days. A server counts those that devices \
            send to POST /v1/telemetry, and drops those that began more than 30 days ago or a day ahead; serve --metrics tells how \
            many (thumbturn_telemetry_unlocks_total). See docs/telemetry.md.
            """
        }
    }
}

/// A day, as an operator writes it.
struct ReportDay: ExpressibleByArgument {
    var day: TelemetryDay

    init?(argument: String) {
        guard let day = TelemetryDay(argument) else { return nil }
        self.day = day
    }
}

extension TelemetryDimension: ExpressibleByArgument {}
#endif
