import Foundation
import Testing
import TestSupport

/// Rules for the adapter's source. Most runs of these tests have no SDK of Apple's, so the rules refuse what the SDK
/// would refuse.
@Suite struct AppleSourceLint {
    /// Names that are deprecated on the oldest supported systems, that only one system has, or that mislead.
    private static let forbidden: [(pattern: String, why: String)] = [
        (#"\b(as\??!?|is) (LAError|DCError|NSError\?|CFError)\b"#, "errors are told apart by domain and code"),
        (#"as\? NSError"#, "nil for native errors elsewhere: write `as NSError`"),
        (#"catch [^{]*\b(LAError|DCError)\b"#, "matches nothing on the stand-ins"),
        (#"LAError\.[a-zC]"#, "some cases do not exist on iOS: compare raw numbers"),
        (#"kSecUseOperationPrompt"#, "deprecated since iOS 14"),
        (#"kSecUseAuthenticationUI(Allow|Fail)\b"#, "deprecated since iOS 14"),
        (#"kSecAttrAccessibleAlways"#, "deprecated since iOS 12"),
        (#"kSecAttrAccessible(WhenUnlocked|AfterFirstUnlock)\b"#, "travels to another device with a backup"),
        (#"kSecAttrSynchronizable as String: *(true|kCFBooleanTrue|kSecAttrSynchronizableAny)"#, "leaves the device"),
        (#"touchID(Any|CurrentSet|NotAvailable|NotEnrolled|Lockout)\b"#, "deprecated names"),
        (#"LABiometryNone"#, "deprecated"),
        (#"evaluatedPolicyDomainState"#, "deprecated since iOS 18: `domainState`"),
        (#"maxBiometryFailures"#, "has no effect"),
        (#"deviceOwnerAuthenticationWith(Watch|BiometricsOrWatch|WristDetection)\b"#, "not on iOS, or deprecated"),
        (#"\b(watchNotAvailable|biometryNotPaired|biometryDisconnected|invalidDimensions)\b"#, "not on iOS"),
        (#"SecAccessControlCreateFlags\.watch\b"#, "deprecated: `companion`"),
        (#"SecKeyCreateAttestation|SecKeychain|SecTrustedApplication"#, "private, or for the old keychain of macOS"),
        (#"DispatchSerialQueue"#, "not available everywhere"),
        (#"\bas NSDictionary\b|\bas CFString\b|\bas CFData\?"#, "queries are [String: Any], cast once `as CFDictionary`"),
        (#"\bDispatchQueue\.main\b|\.sync \{"#, "a call that waits for a prompt would block the main thread"),
        (#"#if .*\bos\("#, "`AppleSystem` injects what differs between systems, so that every branch runs here"),
        (#"@unchecked Sendable|nonisolated\(unsafe\)"#, "values that are not Sendable stay in their actor"),
        (#"\bimport Stub|\bStandIn"#, "the adapter uses only Apple's names"),
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

    /// Each of these lines breaks a rule.
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

    /// A file that imports a framework of Apple's is compiled only where the framework exists.
    @Test func filesThatImportAFrameworkAreConditional() throws {
        for (file, text) in try Self.sources()
        where text.contains(/import (LocalAuthentication|Security|DeviceCheck|AuthenticationServices|os)\n/) {
            #expect(text.hasPrefix("#if canImport("), "\(file)")
        }
    }

    /// A test on the stand-ins is compiled only where the stand-ins exist.
    @Test func testsOnStandInsAreConditional() throws {
        for (file, text) in try Self.files(in: "Tests/ThumbturnAppleTests")
        where !["AppleSourceLint.swift", "FieldReportTests.swift"].contains(file) {
            guard text.contains(/StandIn|AppleWorld/) else { continue }
            #expect(text.hasPrefix("#if STAND_INS"), "\(file)")
        }
    }

    /// Mac Catalyst is iOS to the compiler and a platform of its own to the package manager. So the package has to link
    /// the adapter wherever `Thumbturn` re-exports it.
    @Test func theAdapterIsLinkedWhereverItIsReExported() throws {
        let manifest = try String(contentsOf: repository.appendingPathComponent("Package.swift"), encoding: .utf8)
        let condition = /name: "ThumbturnApple", condition: \.when\(platforms: \[([^\]]*)\]/
        let linked = try #require(manifest.firstMatch(of: condition)?.1)
        #expect(linked == ".macOS, .iOS, .macCatalyst, .visionOS")
        let text = try #require(try Self.files(in: "Sources/Thumbturn").first { $0.file == "Thumbturn.swift" }).text
        #expect(text.contains("#if os(iOS) || os(macOS) || os(visionOS)\n@_exported public import ThumbturnApple"))
    }

    /// docs/apple.md lists every symbol of Apple's that the adapter uses, with its source, and no other.
    @Test func theTableOfSymbolsIsComplete() throws {
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

    /// The oldest supported systems are iOS 18, macOS 15 and visionOS 2, and no symbol is newer.
    @Test func noSymbolIsNewerThanTheOldestSystems() throws {
        let floor = ["iOS": 18, "macOS": 15, "visionOS": 2]
        for row in try Self.table() {
            #expect(!row.source.isEmpty, "\(row.name)")
            for match in row.availability.matches(of: /(iOS|macOS|visionOS) (\d+)/) {
                #expect(try #require(Int(match.2)) <= #require(floor[String(match.1)]), "\(row.name)")
            }
        }
    }

    /// `DocumentedCode.swift` compiles the code that the pages show.
    @Test func theCodeInThePagesIsCompiled() throws {
        let compiled = try String(
            contentsOf: repository.appendingPathComponent("Tests/ThumbturnAppleTests/Pages/DocumentedCode.swift"), encoding: .utf8
        )
        let others = try Self.blocks(of: "docs/migrating.md") + Self.blocks(of: "docs/providers.md")
        #expect(others.count == 4)
        let articles = try ["FailuresAndWhatToDo.md", "ModelsForYourScreens.md"].flatMap {
            try Self.blocks(of: "Sources/Thumbturn/Thumbturn.docc/\($0)")
        }
        #expect(articles.count >= 7)
        for block in others + articles {
            let text = block.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("import ") }
                .joined(separator: "\n").trimmingCharacters(in: .newlines)
            #expect(compiled.contains(text), "\(text)")
        }
    }

    // MARK: - Reading

    /// The Swift blocks of a page after a heading.
    private static func blocks(of page: String, from heading: String = "# ") throws -> [String] {
        let text = try String(contentsOf: repository.appendingPathComponent(page), encoding: .utf8)
        let section = try #require(text.range(of: heading)).lowerBound
        return text[section...].components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first?.trimmingCharacters(in: .newlines) }
    }

    /// A regular expression with simple word boundaries, so that a word also ends before a dot.
    private static func regex(_ pattern: String) throws -> Regex<AnyRegexOutput> { try Regex(pattern).wordBoundaryKind(.simple) }

    /// The symbols of Apple's that the adapter uses. It can use only what the stand-ins declare under Apple's names, so
    /// those names are searched for in its text: global names as whole words, members after a dot.
    private static func symbolsUsed() throws -> Set<String> {
        var globals: Set<String> = []
        var members: Set<String> = []
        let declaration = try Regex<(Substring, Substring, Substring)>(
            #"^( *)(?:@\w+(?:\([^)]*\))? |nonisolated\(\w+\) )*(?:public|open) "#
                + #"(?:(?:static|class|final|private\(set\)|nonisolated\(\w+\)) )*(?:let|var|func|class|struct|enum|typealias) (\w+)"#
        )
        let enumCase = /^ +case ([^:]+)$/
        for folder in ["StubLocalAuthentication", "StubSecurity", "StubDeviceCheck", "StubAuthenticationServices", "StubOS"] {
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
        // Names with Apple's prefixes, which the stand-ins may not declare.
        let ours = Set(text.matches(of: /(?:struct|enum|class|actor|protocol|typealias) (\w+)/).map { String($0.1) })
        let prefixed = words.filter {
            $0.wholeMatch(of: /(LA|Sec|DC|AS)[A-Z]\w+|kSec\w+|errSec\w+|(UI|NS)[A-Z]\w+(Notification|UsageDescription)/) != nil
        }.subtracting(ours)
        return globals.intersection(words).union(prefixed).union(members.intersection(behindDots)).subtracting(everyday)
    }

    /// Members of Apple's types with names that other types have as well.
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
