#if STAND_INS
import Foundation
import SwiftUI
import Testing

/// Views are for three systems, and a name that one of them lacks has to stand in an `#if`.
struct PlatformLintTests {
    private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The library's views and the examples' apps, but for the bank, which is an app for iPhones alone.
    static let sources: [URL] = ["Sources/ThumbturnUI", "Examples"].flatMap { folder in
        let files = FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { file in
            file.pathExtension == "swift" && !["/.build/", "/Examples/Bank/"].contains { file.path.contains($0) }
        }
    }
    .sorted { $0.path < $1.path }

    @Test("No view uses what one of its systems lacks") func views() throws {
        #expect(Self.sources.count > 10)
        for file in Self.sources {
            let source = try String(contentsOf: file, encoding: .utf8)
            guard source.contains("import SwiftUI") else { continue }
            #expect(PlatformLint.findings(in: source) == [], "\(file.lastPathComponent)")
        }
    }

    @Test("A use outside of any condition is found, with the systems that lack it") func unguarded() {
        let found = PlatformLint.findings(in: "#if canImport(SwiftUI)\nview.keyboardType(.numberPad)\n#endif")
        #expect(found == [.init(line: 2, name: "keyboardType", missing: ["macOS"])])
        #expect(PlatformLint.findings(in: "view.keyboardTypes()\n// view.keyboardType(x)\nkeyboardType()") == [])
    }

    @Test(
        "Conditions are understood",
        arguments: [
            ("os(iOS) || os(visionOS)", [], ["macOS"]), ("!os(macOS)", [], ["macOS"]), ("os(macOS)", ["macOS"], []),
            ("canImport(SwiftUI) && os(iOS)", [], ["macOS"]), ("os(iOS) || STAND_INS", [], ["macOS"]),
            ("canImport(UIKit)", [], ["macOS"]), ("STAND_INS", [], ["macOS"]),
        ] as [(String, Set<String>, Set<String>)])
    func conditions(_ condition: String, inside: Set<String>, outside: Set<String>) {
        let source = "#if \(condition)\na.keyboardType(x)\n#else\na.keyboardType(x)\n#endif"
        let missing = { (line: Int) in Set(PlatformLint.findings(in: source).filter { $0.line == line }.flatMap(\.missing)) }
        #expect(missing(2) == inside && missing(4) == outside)
    }

    @Test("An inner condition counts with the outer one, and a later branch without the earlier ones") func nesting() {
        let source = """
            #if !os(macOS)
            #if os(visionOS)
            a.sensoryFeedback(x)
            #else
            a.sensoryFeedback(x)
            #endif
            #elseif canImport(AppKit)
            a.onExitCommand {}
            Settings {}
            #endif
            """
        #expect(PlatformLint.findings(in: source) == [.init(line: 3, name: "sensoryFeedback", missing: ["visionOS"])])
    }

    @Test("Every name of the table is declared by the stand-in, and every system is known") func table() throws {
        let declarations = try String(
            contentsOf: Self.root.appendingPathComponent("Stubs/StubSwiftUI/PlatformSpecific.swift"), encoding: .utf8)
        for (name, systems) in platformSpecific {
            let word = name.split { !$0.isLetter }.last.map(String.init) ?? name
            #expect(declarations.contains(try Regex("(func|var|struct) \(word)\\b")), "\(name)")
            #expect(!systems.isEmpty && systems.isStrictSubset(of: PlatformLint.systems), "\(name)")
        }
    }
}
#endif
