#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnCore
import ThumbturnVerifier

/// What the commands that judge evidence have in common.
struct EvidenceOptions: ParsableArguments {
    @Argument(help: "The JSON file: an array of cases, one case, or the evidence of an enrolment as a device sent it.")
    var file: String

    @Flag(help: "Print a line of JSON for each case and one for the whole file, instead of sentences.")
    var json = false

    static let exitStatus = """
        With --json a case is {"name", "verdict": "accept" or "refuse", "reason", "level", "refusals"}: "reason" is the stable \
        code of the first refusal, null for an accepted case, and "level" what is proved of the key: software (nothing), \
        attestedApp or attestedHardware. The last line has the numbers of the file.

        Exit status: 0 each case was judged, however many were refused, 1 a file cannot be read or has no \
        case, 64 usage.
        """

    /// Reads the file for a command. A file of another kind, or without a case, ends the command.
    func read(for kind: EvidenceKind) throws -> EvidenceFile {
        guard let read = EvidenceFile(json: try Self.contents(file)) else {
            throw Self.unreadable(file, "it is neither a JSON array of cases nor one case")
        }
        guard !read.cases.isEmpty else { throw Self.unreadable(file, "it has no case") }
        if let other = read.kinds.first, !read.kinds.contains(kind) {
            throw Self.unreadable(file, "this looks like a file for `thumbturn verify \(other.command)`")
        }
        return read
    }

    /// Judges all cases of the file and prints what was found, each case when it is judged.
    func judge(_ read: EvidenceFile, _ judge: (EvidenceCase) -> [EvidenceFinding]) throws {
        var output = OutputOptions()
        output.json = json
        var summary = EvidenceSummary(file: file)
        for one in read.cases {
            for finding in judge(one) {
                try output.report(finding.sentences, finding)
                summary.add(finding)
            }
        }
        try output.report(summary.sentence, summary)
    }

    static func contents(_ path: String) throws -> Data {
        guard FileManager.default.fileExists(atPath: path) else { throw unreadable(path, "it is not there") }
        // Only a folder has an entry with this name.
        guard !FileManager.default.fileExists(atPath: path + "/.") else { throw unreadable(path, "it is a folder") }
        // Unlike `contents(atPath:)`, a handle reads pipes and devices as well.
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? read(handle) else {
            throw unreadable(path, "the system does not let this user read it")
        }
        guard data.count <= most else { throw unreadable(path, "it is longer than 64 MiB") }
        guard !data.isEmpty else { throw unreadable(path, "it is empty") }
        return data
    }

    /// The most bytes of a file: 64 MiB.
    private static let most = 64 << 20

    /// The bytes up to the end, or one more than is read of any file.
    private static func read(_ handle: FileHandle) throws -> Data {
        var data = Data()
        while data.count <= most, let more = try handle.read(upToCount: most + 1 - data.count), !more.isEmpty { data += more }
        return data
    }

    static func unreadable(_ path: String, _ why: String) -> ExitCode { failure("\(path) cannot be read: \(why)") }

    static func failure(_ text: String) -> ExitCode {
        FileHandle.standardError.write(Data("thumbturn: \(text.printable).\n".utf8))
        return ExitCode(1)
    }
}

/// Which roots are trusted, where it is not those of the platform's maker.
struct EvidenceRootOptions: ParsableArguments {
    @Option(help: "Trust the roots in this file instead of the built-in ones: certificates in PEM, or Google's JSON list.")
    var roots: String?

    /// The roots of the file, or the built-in ones.
    func anchors(or builtIn: [TrustAnchor]) throws -> [TrustAnchor] {
        guard let roots else { return builtIn }
        let data = try EvidenceOptions.contents(roots)
        do throws(EvidenceRefusal) {
            if data.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") {
                return try TrustAnchor.read(json: Array(data))
            }
            return try TrustAnchor.read(pem: String(decoding: data, as: UTF8.self))
        } catch {
            throw EvidenceOptions.unreadable(roots, error.explanation)
        }
    }
}

/// The time at which certificates have to be valid.
struct EvidenceTimeOption: ParsableArguments {
    @Option(help: "Judge at this time (ISO 8601, for example 2026-07-01T12:00:00Z).")
    var at: String?

    func validate() throws {
        if let at, UnixTime(iso8601: at) == nil { throw ValidationError("--at must be a time such as 2026-07-01T12:00:00Z.") }
    }

    /// The time of the option, or nil without one.
    var time: UnixTime? { at.flatMap(UnixTime.init(iso8601:)) }
}

extension UnixTime {
    /// The time of this machine's clock.
    static var ofThisMachine: UnixTime { UnixTime(seconds: Int64(Date().timeIntervalSince1970)) }

    /// Reads a time of ISO 8601: a date alone, or with a time, whose fraction of a second is dropped, and with `Z`, an offset or
    /// nothing, which means UTC. Returns nil for every other text.
    init?(iso8601 text: String) {
        let form = #/(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?/#
        guard let match = text.wholeMatch(of: form.asciiOnlyDigits()) else { return nil }
        let whole = "\(match.1)T\(match.2 ?? "00:00"):\(match.3 ?? "00")Z"
        // Written again, a date that no calendar has differs from what was read.
        guard let date = try? Date(whole, strategy: .iso8601), date.formatted(.iso8601) == whole else { return nil }
        var offset: Int64 = 0
        if let sign = match.4, let hours = match.5.flatMap({ Int64($0) }), let minutes = match.6.flatMap({ Int64($0) }) {
            guard hours < 24, minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (sign == "-" ? -60 : 60)
        }
        self.init(seconds: Int64(date.timeIntervalSince1970) - offset)
    }
}
#endif
