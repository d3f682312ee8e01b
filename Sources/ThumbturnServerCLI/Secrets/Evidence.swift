#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnServer
import ThumbturnVerifier

struct Evidence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages evidence of where keys live: what devices showed, and what it is judged by.",
        discussion: "What each kind of evidence proves, and the format of the policy file: docs/evidence.md.",
        subcommands: [Show.self, Judge.self, Roots.self, Status.self]
    )

    // MARK: What devices showed

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the evidence of an account's devices, with what it proves of each key.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let found = try await data.server().evidence(ofAccountNamed: name)
            if found.isEmpty { print("The devices of \(name) have shown nothing, so their keys count as software.") }
            for evidence in found {
                print("device \(evidence.device.text)")
                print("  format \(evidence.format)")
                print("  sha256 \(evidence.hash)")
                print("  received \(Time.Show.text(evidence.receivedAt)), judged \(Time.Show.text(evidence.judgedAt))")
                print("  policy \(evidence.verdict.policy.isEmpty ? "of a program" : evidence.verdict.policy)")
                if let refusal = evidence.verdict.refusal { print("  refused now: \(refusal)") }
                let live = evidence.verdict.keys.filter { !evidence.retired.contains($0.key) }
                for (kid, proven) in live.sorted(by: { $0.key < $1.key }) {
                    print("  key \(kid)\(evidence.kind(of: kid).map { " (\($0))" } ?? ""): \(proven)")
                }
            }
        }
    }

    struct Judge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Judges all stored evidence anew, and gives each key what it proves now.",
            discussion: """
                Dates of certificates count as of the day on which the evidence arrived; the list of revoked certificates \
                counts as it is now. Where evidence proves less than before, the sessions of its device end and its owner \
                gets a notice. A running server does the same by itself within a minute of a new policy or list.
                """
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        @Option(help: "The evidence policy, as for `serve --evidence`.")
        var evidence: String

        func run() async throws {
            let policy = try EvidencePolicy(file: evidence)
            let server = try await data.server()
            try confirmation.ask("Keys whose evidence \(evidence) does not accept count as software from now on.")
            let outcome = try await server.judgeEvidence(by: policy)
            print("Judged \(outcome.judged) pieces of evidence; \(outcome.lowered) prove less than before.")
        }
    }

    // MARK: What it is judged by

    struct Roots: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Manages the roots that certificates of Android keys may lead to.",
            discussion: """
                A root is trusted by its public key. Google's two and Apple's are built in. A new one is accepted by the \
                SHA-256 of its public key, which Google publishes, and not because a list has it.
                """,
            subcommands: [List.self, Update.self, Remove.self], defaultSubcommand: List.self
        )

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Prints the SHA-256 of the public key of each root, and where it comes from.")

            @OptionGroup var data: DataOptions

            func run() async throws {
                for root in [TrustAnchor.appleAppAttest] { print(Hex.text(root.spkiSHA256), "Apple, built in", separator: "\t") }
                for root in TrustAnchor.googleHardware { print(Hex.text(root.spkiSHA256), "Google, built in", separator: "\t") }
                for root in try await data.server().service.evidenceLists().androidRoots {
                    print(Hex.text(root.spkiSHA256), "Google, accepted", separator: "\t")
                }
            }
        }

        struct Update: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Accepts roots from Google's list, each by the SHA-256 of its public key.",
                discussion: """
                    The list is JSON, an array of texts in PEM. The roots that were accepted before are replaced, however old \
                    the list is. Running servers use the new ones within a minute.
                    """
            )

            @OptionGroup var data: DataOptions
            @OptionGroup var source: Source

            @Option(help: "The SHA-256 of a public key (SubjectPublicKeyInfo), in 64 hexadecimal digits. Repeat it for more.")
            var accept: [String]

            func run() async throws {
                let pins = try accept.map { try Hex.pin($0) }
                guard !pins.isEmpty else { throw ValidationError("Name the roots to accept with --accept.") }
                let list = try await source.read(EvidenceDownload.googleRoots)
                let server = try await data.server()
                do {
                    for root in try await server.acceptRoots(from: list.text, pinnedBy: Set(pins)) {
                        print("accepted", Hex.text(root.spkiSHA256), separator: "\t")
                    }
                } catch let refusal as EvidenceRefusal {
                    throw DamagedList(
                        place: list.place, refusal: refusal,
                        form: "It has to be Google's list of roots: a JSON array of texts in PEM.")
                }
            }
        }

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Takes roots out that were accepted before.",
                discussion: """
                    Running servers judge all evidence without them within a minute: keys whose certificates lead to them have \
                    less assurance then. Built-in roots cannot be removed; a policy that names its own roots does not use them.
                    """
            )

            @OptionGroup var data: DataOptions
            @OptionGroup var confirmation: Confirmation

            @Argument(help: "The SHA-256 of the public key of each, as `thumbturn-server evidence roots` prints it.")
            var roots: [String]

            func run() async throws {
                let pins = Set(try roots.map { try Hex.pin($0) })
                let server = try await data.server()
                let accepted = Set(try await server.service.evidenceLists().androidRoots.map(\.spkiSHA256))
                for pin in pins where !accepted.contains(pin) { throw SetupError.rootNotAccepted(pin) }
                try confirmation.ask(
                    "Evidence that leads to these roots is no longer accepted, and their devices' keys count as software.")
                for root in try await server.removeRoots(pins) {
                    print("removed", Hex.text(root.spkiSHA256), separator: "\t")
                }
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Manages the list of Android certificates that are revoked or suspended.",
            subcommands: [Show.self, Update.self], defaultSubcommand: Show.self
        )

        struct Show: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Prints the list's age and length.")

            @OptionGroup var data: DataOptions

            func run() async throws {
                guard let list = try await data.server().statusList() else {
                    print("There is no list. Fetch it with: thumbturn-server evidence status update")
                    return
                }
                print("\(list.count) certificates, fetched \(Time.Show.text(list.fetchedAt))")
            }
        }

        struct Update: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Takes a newer list.",
                discussion: """
                    Running servers judge all evidence by it within a minute: devices whose certificates it names have less \
                    assurance then, and their owners get a notice. A list that is empty, or less than half as long as the one \
                    before, is refused, because it may be damaged.
                    """
            )

            @OptionGroup var data: DataOptions
            @OptionGroup var source: Source

            @Option(help: "When the list of --file was fetched, for example 2026-01-31T08:00:00Z. Default: the file's time.")
            var fetchedAt: AuditMoment?

            @Flag(help: "Take the list even if it is empty, or less than half as long as the one before.")
            var allowShorter = false

            func validate() throws {
                guard fetchedAt == nil || source.file != nil else { throw ValidationError("--fetched-at is for --file alone.") }
            }

            func run() async throws {
                let list = try await source.read(EvidenceDownload.googleStatus)
                let server = try await data.server()
                let kept: Int?
                do {
                    kept = try await server.service.keep(
                        statusList: list.text, fetchedAt: fetchedAt?.time ?? list.time, allowsShorter: allowShorter)
                } catch let refusal as EvidenceRefusal {
                    throw DamagedList(
                        place: list.place, refusal: refusal,
                        form: "It has to be Google's list of revoked certificates: a JSON object with \"entries\".")
                }
                guard let count = kept else {
                    print("The server has a list that is as new. Nothing was changed.")
                    return
                }
                print("The list names \(count) certificates. Running servers judge by it within a minute.")
            }
        }
    }

    /// Where a list comes from.
    struct Source: ParsableArguments {
        @Option(
            help: """
                A file that was fetched elsewhere, in place of Google's server. A status list is as old as its file, and a \
                copied file as young as its copy.
                """
        )
        var file: String?

        @Option(help: "Another address than Google's, https or of this machine itself.")
        var url: String?

        func validate() throws {
            guard file == nil || url == nil else { throw ValidationError("Give --file or --url, not both.") }
        }

        /// The list, where it came from, and when it was fetched.
        func read(_ google: String) async throws -> (text: [UInt8], place: String, time: UnixTime) {
            let now = UnixTime(seconds: Int64(Date().timeIntervalSince1970))
            guard let file else {
                let address = url ?? google
                return (try await EvidenceDownload(address).fetch(), address, now)
            }
            guard let text = FileManager.default.contents(atPath: file) else { throw SetupError.unreadable(file) }
            let changed = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
            return (Array(text), file, min(changed.map { UnixTime(seconds: Int64($0.timeIntervalSince1970)) } ?? now, now))
        }
    }

    /// A list is not what its command takes.
    struct DamagedList: Error, CustomStringConvertible {
        /// The file or the address that it came from.
        var place: String
        var refusal: EvidenceRefusal
        /// What was expected.
        var form: String

        var description: String { "\(place): \(refusal.explanation). \(form) Nothing was changed." }
    }
}

extension Hex {
    /// The SHA-256 of a public key, as an operator writes it.
    fileprivate static func pin(_ text: String) throws -> [UInt8] {
        guard let pin = sha256(text) else {
            throw ValidationError("A root is named by the SHA-256 of its public key, in 64 hexadecimal digits.")
        }
        return pin
    }
}
#endif
