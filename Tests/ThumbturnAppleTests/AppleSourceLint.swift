import Foundation
import Testing
import TestSupport

/// Rules for the adapter's text: no machine that runs these tests has Apple's SDK, so what it would refuse is refused here.
@Suite struct AppleSourceLint {
    /// Names that are deprecated on the floor, that only one system has, or that do not do what they seem to.
    private static let forbidden: [(pattern: String, why: String)] = [
        (#"\b(as\??!?|is) (LAError|DCError|NSError\?|CFError)\b"#, "errors are told apart by domain and code"),
        (#"as\? NSError"#, "nil for native errors elsewhere: write `as NSError`"),
        (#"catch [^{]*\b(LAError|DCError)\b"#, "matches nothing on the stand-ins"),
        (#"LAError\.[a-zC]"#, "some cases are not there on iOS: compare raw numbers"),
        (#"kSecUseOperationPrompt"#, "deprecated since iOS 14"),
        (#"kSecUseAuthenticationUI(Allow|Fail)\b"#, "deprecated since iOS 14"),
        (#"kSecAttrAccessibleAlways"#, "deprecated since iOS 12"),
        (#"kSecAttrAccessible(WhenUnlocked|AfterFirstUnlock)\b"#, "travels to another device with a backup"),
        (#"kSecAttrSynchronizable as String: *(true|kCFBooleanTrue|kSecAttrSynchronizableAny)"#, "leaves the device"),
        (#"touchID(Any|CurrentSet|NotAvailable|NotEnrolled|Lockout)\b"#, "the old names"),
        (#"LABiometryNone"#, "deprecated"),
        (#"evaluatedPolicyDomainState"#, "deprecated since iOS 18: `domainState`"),
        (#"maxBiometryFailures"#, "has no effect"),
        (#"deviceOwnerAuthenticationWith(Watch|BiometricsOrWatch|WristDetection)\b"#, "not on iOS, or deprecated"),
        (#"\b(watchNotAvailable|biometryNotPaired|biometryDisconnected|invalidDimensions)\b"#, "not on iOS"),
        (#"SecAccessControlCreateFlags\.watch\b"#, "deprecated: `companion`"),
        (#"SecKeyCreateAttestation|SecKeychain|SecTrustedApplication"#, "private, or of the old keychain of macOS"),
        (#"DispatchSerialQueue"#, "not everywhere"),
        (#"\bas NSDictionary\b|\bas CFString\b|\bas CFData\?"#, "queries are [String: Any], cast once `as CFDictionary`"),
        (#"\bDispatchQueue\.main\b|\.sync \{"#, "a prompt would block the screen it is on"),
        (#"#if .*\bos\("#, "what differs between systems is given, so that every branch runs here: `AppleSystem`"),
        (#"@unchecked Sendable|nonisolated\(unsafe\)"#, "nothing that is not Sendable leaves its actor"),
        (#"\bimport Stub|\bStandIn"#, "the adapter knows Apple's names alone"),
        (#"\b(print|NSLog|os_log|debugPrint)\("#, "a library throws what its caller can handle"),
    ]

    @Test func noForbiddenNameIsUsed() throws {
        for (pattern, why) in Self.forbidden {
            let regex = try Self.regex(pattern)
            for (file, text) in try Self.sources() {
                for line in text.split(separator: "\n") where line.contains(regex) {
                    Issue.record("\(file): \(line.trimmingCharacters(in: .whitespaces)) — \(why)")
                }
            }
        }
    }

    /// The rules find what they are for: each is shown one line that it has to refuse.
    @Test(arguments: [
        "if let e = error as? LAError {", "let e = error as? NSError", "} catch LAError.userCancel {",
        "case LAError.biometryLockout:", "kSecUseOperationPrompt as String: reason", "kSecUseAuthenticationUIFail",
        "kSecAttrAccessibleAlways", "kSecAttrAccessibleWhenUnlocked as CFTypeRef", "kSecAttrSynchronizable as String: true",
        ".touchIDAny", "LABiometryNone", "context.evaluatedPolicyDomainState", "maxBiometryFailures",
        ".deviceOwnerAuthenticationWithWatch", ".biometryNotPaired", "SecAccessControlCreateFlags.watch",
        "SecKeyCreateAttestation", "DispatchSerialQueue", "query as NSDictionary", "DispatchQueue.main.async",
        "#if os(visionOS)", "extension LAContext: @unchecked Sendable", "import StubSecurity", "print(error)",
    ]) func aForbiddenNameWouldBeFound(_ line: String) throws {
        #expect(try Self.forbidden.contains { line.contains(try Self.regex($0.pattern)) })
    }

    /// Every file that names an Apple framework is there only where the framework is.
    @Test func whatImportsAFrameworkAsksWhetherItIsThere() throws {
        for (file, text) in try Self.sources() where text.contains(/import (LocalAuthentication|Security|DeviceCheck)\n/) {
            #expect(text.hasPrefix("#if canImport("), "\(file)")
        }
    }

    /// Tests on the stand-ins are compiled where those are.
    @Test func testsOnStandInsAreOnlyWhereTheyAre() throws {
        for (file, text) in try Self.files(in: "Tests/ThumbturnAppleTests") where file != "AppleSourceLint.swift" {
            guard text.contains(/StandIn|AppleWorld/) else { continue }
            #expect(text.hasPrefix("#if STAND_INS"), "\(file)")
        }
    }

    /// Mac Catalyst is iOS to the compiler and a platform of its own to the package, so what the one re-exports the other has to link.
    @Test func theAdapterIsLinkedWhereverItIsReExported() throws {
        let manifest = try String(contentsOf: repository.appendingPathComponent("Package.swift"), encoding: .utf8)
        let condition = /name: "ThumbturnApple", condition: \.when\(platforms: \[([^\]]*)\]/
        let linked = try #require(manifest.firstMatch(of: condition)?.1)
        #expect(linked == ".macOS, .iOS, .macCatalyst, .visionOS")
        let text = try #require(try Self.files(in: "Sources/Thumbturn").first { $0.file == "Thumbturn.swift" }).text
        #expect(text.contains("#if os(iOS) || os(macOS) || os(visionOS)\n@_exported public import ThumbturnApple"))
    }

    /// Every symbol of Apple's that the adapter uses stands in docs/apple.md, with its source, and none that it does not use.
    @Test func theTableOfSymbolsIsWhole() throws {
        let rows = try Self.table()
        #expect(rows.count > 40)
        let used = try Self.symbolsUsed()
        let known = Set(rows.map(\.name))
        for name in used.subtracting(known).sorted() { Issue.record("docs/apple.md has no row for \(name)") }
        let text = try Self.sources().map(\.text).joined()
        for name in known.sorted() where !text.contains(try Self.regex(#"\b\#(name)\b"#)) {
            Issue.record("docs/apple.md has a row for \(name), which the adapter does not use")
        }
    }

    /// The floor is iOS 18, macOS 15 and visionOS 2: nothing newer is used.
    @Test func nothingIsNewerThanTheFloor() throws {
        let floor = ["iOS": 18, "macOS": 15, "visionOS": 2]
        for row in try Self.table() {
            #expect(!row.source.isEmpty, "\(row.name)")
            for match in row.availability.matches(of: /(iOS|macOS|visionOS) (\d+)/) {
                #expect(try #require(Int(match.2)) <= #require(floor[String(match.1)]), "\(row.name)")
            }
        }
    }

    /// What the pages show is what `DocumentedCode.swift` compiles.
    @Test func whatThePagesShowIsCompiled() throws {
        let compiled = try String(
            contentsOf: repository.appendingPathComponent("Tests/ThumbturnAppleTests/DocumentedCode.swift"), encoding: .utf8)
        let example = try #require(try Self.blocks(of: "README.md", from: "## On an iPhone").first)
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count <= 15)
        let others = try Self.blocks(of: "docs/migrating.md")
        #expect(others.count == 2)
        for block in [example] + others {
            let text = block.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("import ") }
                .joined(separator: "\n").trimmingCharacters(in: .newlines)
            #expect(compiled.contains(text), "\(text)")
        }
    }

    // MARK: - Reading

    /// The Swift blocks of a page, from a heading on.
    private static func blocks(of page: String, from heading: String = "# ") throws -> [String] {
        let text = try String(contentsOf: repository.appendingPathComponent(page), encoding: .utf8)
        let section = try #require(text.range(of: heading)).lowerBound
        return text[section...].components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first?.trimmingCharacters(in: .newlines) }
    }

    /// With the ends of words where a program has them: before a dot, too.
    private static func regex(_ pattern: String) throws -> Regex<AnyRegexOutput> { try Regex(pattern).wordBoundaryKind(.simple) }

    /// What the stand-ins declare under Apple's names is all that the adapter can use of Apple's, so that is what is looked for in it: whole names
    /// where they stand alone, members behind a dot.
    private static func symbolsUsed() throws -> Set<String> {
        var globals: Set<String> = []
        var members: Set<String> = []
        let declaration = try Regex<(Substring, Substring, Substring)>(
            #"^( *)(?:@\w+(?:\([^)]*\))? |nonisolated\(\w+\) )*(?:public|open) "#
                + #"(?:(?:static|class|final|private\(set\)|nonisolated\(\w+\)) )*(?:let|var|func|class|struct|enum|typealias) (\w+)"#
        )
        let enumCase = /^ +case ([^:]+)$/
        for folder in ["StubLocalAuthentication", "StubSecurity", "StubDeviceCheck"] {
            for (file, text) in try files(in: "Stubs/\(folder)") where !file.hasPrefix("StandIn") {
                for line in text.split(separator: "\n") {
                    if let match = line.firstMatch(of: declaration) {
                        let name = String(match.output.2)
                        guard !name.hasPrefix("standIn"), !name.hasPrefix("StandIn") else { continue }
                        if match.output.1.isEmpty { globals.insert(name) } else { members.insert(name) }
                    } else if let match = line.firstMatch(of: enumCase) {
                        for part in match.1.split(separator: ",") {
                            members.insert(String(part.split(separator: "=")[0]).trimmingCharacters(in: .whitespaces))
                        }
                    }
                }
            }
        }
        let text = try sources().map(\.text).joined(separator: "\n")
        let words = Set(text.matches(of: /\w+/).map { String($0.0) })
        let behindDots = Set(text.matches(of: /\.(\w+)/).map { String($0.1) })
        // Apple's own prefixes, for what the stand-ins do not have.
        let ours = Set(text.matches(of: /(?:struct|enum|class|actor|protocol|typealias) (\w+)/).map { String($0.1) })
        let prefixed = words.filter {
            $0.wholeMatch(of: /(LA|Sec|DC)[A-Z]\w+|kSec\w+|errSec\w+|(UI|NS)[A-Z]\w+(Notification|UsageDescription)/) != nil
        }.subtracting(ours)
        return globals.intersection(words).union(prefixed).union(members.intersection(behindDots)).subtracting(everyday)
    }

    /// Members of Apple's types whose names others have, too.
    private static let everyday: Set<String> = [
        "rawValue", "or", "and", "none", "state", "hash", "mac", "Code", "State", "biometryNotEnrolled", "passcodeNotSet",
    ]

    /// The rows of the table: symbol, availability, source.
    private static func table() throws -> [(name: String, availability: String, source: String)] {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/apple.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let symbol = cells[0].wholeMatch(of: /`([^`]+)`/)?.1 else { return nil }
            let name = symbol.split(separator: "(")[0].split(separator: ".").last.map(String.init) ?? ""
            return (name, cells[1], cells[2])
        }
    }

    /// The adapter's files without their comments.
    private static func sources() throws -> [(file: String, text: String)] {
        try files(in: "Sources/ThumbturnApple").map { ($0.file, $0.text.replacing(/\/\/[^\n]*/, with: "")) }
    }

    private static func files(in folder: String) throws -> [(file: String, text: String)] {
        let folder = repository.appendingPathComponent(folder)
        let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return try all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
    }
}
