#if Tools
import Foundation
import TestSupport
import Testing

/// What may look at what: folders of a target and of its rooms, targets of the package, and programs.
@Suite struct RoomsTests {
    private static let script = repository.appendingPathComponent("scripts/rooms").path

    private static func write(_ files: [String: String]) throws -> String {
        let folder = Built.temporaryFolder()
        for (name, text) in files {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        return folder
    }

    @Test func everyTargetHasAnOrder() async throws {
        let run = try await Built.run(Self.script, [])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test func roomsAreInOrder() async throws {
        let folder = try Self.write([
            "Low/Amount.swift": "struct Amount { struct Line {} }",
            // What only comments, texts and a file's own types name is nothing to look at.
            "Low/Line.swift": "// Payment\nlet text = \"Payment\"\nprivate struct Payment {}",
            "High/Payment.swift": "struct Payment { var amount: Amount }\nstruct Line {}",
        ])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try await Built.run(Self.script, [folder])
        #expect(run.status == 0 && run.output.contains(": Low < High\n"), "\(run.output)\(run.errors)")
    }

    /// Two rooms that look at each other, and three that do so around a corner.
    @Test(arguments: [
        ["A/One.swift": "struct One { var two: Two }", "B/Two.swift": "struct Two { var one: One }"],
        [
            "A/One.swift": "struct One { var two: Two }", "B/Two.swift": "extension Int { var three: Three }\nstruct Two {}",
            "C/Three.swift": "enum Three { case one(One) }",
        ],
    ])
    func aPlantedKnotIsFound(_ files: [String: String]) async throws {
        let folder = try Self.write(files)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try await Built.run(Self.script, [folder])
        #expect(run.status == 1 && run.errors.contains("Knot in "), "\(run.output)\(run.errors)")
        #expect(run.output.contains("    A looks at B: Two"))
    }

    /// The folders inside a room, and the files beside them, are in an order as well.
    @Test func foldersInsideARoomAreInOrder() async throws {
        let folder = try Self.write([
            "Store/Low/Row.swift": "struct Row {}", "Store/Store.swift": "struct Store { var row: Row }",
            "Store/High/Restore.swift": "func restore(_ store: Store, from page: Page) {}",
            // A room below looks at none of them, and one above at all of them.
            "Pages/Page.swift": "struct Page {}", "Server/Server.swift": "struct Server { var store: Store; var row: Row }",
        ])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try await Built.run(Self.script, [folder])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains(": Pages < Store < Server\n  Store: Low < . < High\n"), "\(run.output)")
    }

    /// Two folders of a room that look at each other, a folder and a file beside it, and two folders one room deeper.
    @Test(arguments: [
        (
            "Room/A", "Room/B",
            ["Room/A/One.swift": "struct One { var two: Two }", "Room/B/Two.swift": "struct Two { var one: One }"]
        ),
        (
            "Room/.", "Room/B",
            ["Room/One.swift": "struct One { var two: Two }", "Room/B/Two.swift": "struct Two { var one: One }"]
        ),
        (
            "Room/In/A", "Room/In/B",
            ["Room/In/A/One.swift": "struct One { var two: Two }", "Room/In/B/C/Two.swift": "struct Two { var one: One }"]
        ),
    ])
    func aKnotInsideARoomIsFound(_ room: String, _ other: String, _ files: [String: String]) async throws {
        let folder = try Self.write(files)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try await Built.run(Self.script, [folder])
        #expect(run.status == 1 && run.errors.contains(": \(room), \(other)\n"), "\(run.output)\(run.errors)")
        let why = try await Built.run(Self.script, ["--why", room, other, folder])
        #expect(why.output == "Two: One.swift\n")
    }

    // MARK: - Targets and programs

    private struct Package: Decodable {
        struct Target: Decodable {
            var name: String
            var path: String?
            var dependencies: [Dependency]
        }

        struct Dependency: Decodable {
            /// The name of the target or of the product, and things beside it that do not matter here.
            var name: String?

            init(from decoder: any Decoder) throws {
                let kinds = try decoder.singleValueContainer().decode([String: [Part]].self)
                name = kinds.values.first?.first?.text
            }
        }

        struct Part: Decodable {
            var text: String?

            init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
        }

        struct Product: Decodable {
            var name: String
            var targets: [String]
        }

        var targets: [Target]
        var products: [Product]

        /// Every target of this package that these reach.
        func reached(from names: [String]) -> [Target] {
            var found: [String: Target] = [:]
            var open = names
            while let name = open.popLast() {
                guard found[name] == nil, let target = targets.first(where: { $0.name == name }) else { continue }
                found[name] = target
                open += target.dependencies.compactMap(\.name)
            }
            return Array(found.values)
        }
    }

    /// No product reaches what measures, walks and attacks, the server and the device do not see each other, and the
    /// matcher sees nothing of the device.
    @Test func noProductReachesATool() async throws {
        let scratch = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let dump = try await Built.run(
            "/usr/bin/env",
            ["swift", "package", "--package-path", repository.path, "--scratch-path", scratch, "dump-package"])
        let package = try JSONDecoder().decode(Package.self, from: Data(dump.output.utf8))
        #expect(package.products.count >= 9)
        for product in package.products where product.name != "thumbturn-trials" {
            let reached = package.reached(from: product.targets)
            let tools = reached.filter { $0.path?.hasPrefix("Tools/") == true || $0.path?.hasPrefix("Tests/") == true }
            #expect(tools.isEmpty, "\(product.name) reaches \(tools.map(\.name))")
        }
        let trials = package.reached(from: ["ThumbturnTrials"])
        #expect(trials.contains { $0.name == "ThumbturnWalk" }, "the test finds what is reached")
        for (one, other) in [
            ("ThumbturnServerCLI", "ThumbturnDevice"), ("ThumbturnServer", "ThumbturnDevice"),
            ("ThumbturnCLI", "ThumbturnServer"), ("ThumbturnVerifier", "ThumbturnDevice"),
            ("ThumbturnMatcherd", "ThumbturnDevice"), ("ThumbturnMatcherd", "ThumbturnLinux"),
        ] {
            #expect(!package.reached(from: [one]).contains { $0.name == other }, "\(one) reaches \(other)")
        }
    }

    /// The programs as they were linked.
    @Test(arguments: [
        ("thumbturn-server", ["ThumbturnDevice", "ThumbturnTestKit", "ThumbturnWalk", "ThumbturnLoad", "ThumbturnTrials"]),
        // The benchmarks measure its memory and its start in place of thumbturn-server's.
        ("TrialServer", ["ThumbturnDevice", "ThumbturnTestKit", "ThumbturnWalk", "ThumbturnLoad", "ThumbturnTrials"]),
        ("thumbturn", ["ThumbturnServer", "ThumbturnWalk", "ThumbturnLoad", "ThumbturnParsers", "ThumbturnTrials"]),
        ("thumbturn-matcherd", ["ThumbturnDevice", "ThumbturnLinux", "ThumbturnServer"]),
        ("thumbturn", ["ThumbturnLinuxLab"]),
        ("thumbturn-matcherd", ["ThumbturnTestKit", "ThumbturnURLSession"]),
    ])
    func aProgramHasNothingOf(_ program: String, _ modules: [String]) async throws {
        // A symbol of a module begins with the module's name and its length.
        let symbols = "nm \(Built.path(program)) | grep -oE '\\$s[0-9]+Thumbturn[A-Za-z]+' | sort -u"
        let run = try await Built.run("/bin/sh", ["-c", symbols])
        let found = run.output.split(separator: "\n").map(String.init)
        #expect(found.contains { $0.hasPrefix("$s13ThumbturnCore") }, "the test finds symbols")
        for module in modules {
            #expect(!found.contains { $0.hasPrefix("$s\(module.count)\(module)") }, "\(program) links \(module)")
        }
    }

    /// What an operator's program offers.
    @Test func theServersCommandHasNoBenchmark() async throws {
        let help = try await Built.run(Built.path("thumbturn-server"), ["--help"]).output
        #expect(help.contains("  serve") && !help.contains("  bench") && !help.contains("  walk"))
        let serve = try await Built.run(Built.path("thumbturn-server"), ["serve", "--help-hidden"]).output
        #expect(serve.contains("--trusted-proxies") && !serve.contains("measure") && !serve.contains("--without-"))
    }
}
#endif
