import Foundation
import TestSupport
import Testing

/// A12: what the workflow for Apple's SDKs covers, and what a disk that ignores case does to the names of the products.
@Suite struct WorkflowTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
    }

    /// The text of one job, from its name to the next one's.
    private static func job(_ name: String) throws -> String {
        let text = try text(".github/workflows/apple.yml")
        let start = try #require(text.range(of: "\n  \(name):\n")).upperBound
        let rest = text[start...]
        return String(rest.firstMatch(of: /\n  \w+:\n/).map { rest[..<$0.range.lowerBound] } ?? rest)
    }

    @Test("A12: the newest Xcode and the oldest one run the tests, with warnings as errors")
    func xcodes() throws {
        let tests = try Self.job("test")
        #expect(tests.contains("xcode: oldest, image: macos-15") && tests.contains("xcode: newest, image: macos-26"))
        #expect(
            try Self.text(".github/workflows/apple.yml").contains(
                "\nenv:\n  # The package's manifest reads it.\n  THUMBTURN_WARNINGS_AS_ERRORS: \"1\"\n"))
        #expect(try Self.text("Package.swift").contains(#"Context.environment["THUMBTURN_WARNINGS_AS_ERRORS"] == "1""#))
    }

    @Test("A12: every platform has a consumer, without traits and with them")
    func consumers() throws {
        let consumers = try Self.job("consumer")
        #expect(consumers.contains(#"platform: [iOS, macOS, "macOS,variant=Mac Catalyst", visionOS]"#))
        #expect(consumers.contains("traits: [without, with]") && consumers.contains("xcode: [oldest, newest]"))
        // Xcode before 26.4 knows no traits, so the oldest one has none.
        #expect(consumers.contains("- { xcode: oldest, traits: with }"))
        #expect(consumers.contains("xcodebuild build -scheme App") && consumers.contains("xcodebuild build -scheme Probe"))
    }

    @Test("A12: the simulators run the tests, and the API is compared")
    func simulatorsAndAPI() throws {
        let simulators = try Self.job("simulator")
        #expect(simulators.contains("platform: iOS, device: iPhone") && simulators.contains("platform: visionOS"))
        #expect(simulators.contains("xcodebuild test") && simulators.contains("ThumbturnAppleTests"))
        #expect(try Self.job("api").contains("diagnose-api-breaking-changes"))
    }

    @Test("A12: every action is pinned by its commit")
    func pinned() throws {
        for line in try Self.text(".github/workflows/apple.yml").split(separator: "\n") where line.contains("uses:") {
            #expect(line.contains(/uses: [\w\/-]+@[0-9a-f]{40} # v[\d.]+$/), "\(line)")
        }
    }

    /// `Thumbturn` is a library whose kind the package manager chooses, so it makes no file of that name: only its module
    /// does. The command `thumbturn` is a program, whose target has another name.
    @Test("A12: no two files of a build have names that differ by case alone")
    func namesThatDifferByCase() throws {
        let manifest = try Self.text("Package.swift")
        let libraries = manifest.matches(of: /\.library\(name: "([\w-]+)", (type: )?/)
        let ownKind = libraries.filter { $0.2 != nil }.map { String($0.1) }
        #expect(libraries.count > ownKind.count && !ownKind.contains("Thumbturn"), "its kind is the package manager's choice")
        let programs = manifest.matches(of: /\.executable\(name: "([\w-]+)", targets: \["(\w+)"\]/)
        #expect(programs.contains { $0.1 == "thumbturn" })
        let targets = manifest.matches(of: /(?:[tT]arget|library|program|tests)\(\s*(?:name: )?"(\w+)"/).map { String($0.1) }
        #expect(Set(targets).isSuperset(of: ["Thumbturn", "ThumbturnCLI"]))
        // What the package manager makes in one folder: a program, what it is linked from and its symbols; and for each
        // target a folder of objects, and a module.
        var files = Set(targets.flatMap { ["\($0).build", "\($0).swiftmodule"] })
        for program in programs { files.formUnion(["\(program.1)", "\(program.1).product", "\(program.1).dSYM"]) }
        files.formUnion(ownKind.map { "lib\($0).so" })
        files.formUnion(["thumbturnPackageTests.xctest", "thumbturnPackageTests.product"])
        #expect(Set(files.map { $0.lowercased() }).count == files.count)
    }
}
