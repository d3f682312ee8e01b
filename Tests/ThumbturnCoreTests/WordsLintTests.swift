import Foundation
import Testing
@testable import ThumbturnCore

/// No text blames the person: not on a screen, not in a description, not at a terminal.
@Suite struct WordsLintTests {
    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    static func files(in folders: [String]) throws -> [URL] {
        try folders.flatMap { folder in
            try #require(
                FileManager.default.enumerator(at: sources.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            )
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        }
    }

    /// Every code that the sources declare.
    static let codes: [Failure.Code] = {
        let declaring = /static let (\w+) = (?:Code|Self|Failure\.Code)\("\1", recovery: \./
        let sources = (try? files(in: ["ThumbturnCore", "ThumbturnDevice"])) ?? []
        return sources.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.flatMap { text in
            text.matches(of: declaring).map { Failure.Code(String($0.1), recovery: .report) }
        }
    }()

    static let recoveries: [Recovery] =
        [.retry, .wait(.seconds(30)), .reEnrol, .openSettings, .setPasscode, .signInAgain, .report]
        + Rung.allCases.map(Recovery.fallBack)

    @Test func everyFailureHasWordsInEveryLanguage() {
        #expect(Self.codes.count >= 30)
        for code in Self.codes {
            for recovery in Self.recoveries {
                let message = Failure(code, recovery: recovery).message
                #expect(!message.key.isButton, "\(code.name), \(recovery)")
                for language in MessageLanguage.allCases {
                    let text = message.text(in: language)
                    #expect(BannedWords.found(in: text, language).isEmpty, "\(code.name): \(text)")
                }
            }
        }
    }

    @Test func noDescriptionBlamesThePerson() {
        for recovery in Self.recoveries {
            #expect(BannedWords.found(in: recovery.description, .english).isEmpty, "\(recovery)")
            for code in Self.codes {
                // A description begins with the code's name, which is for logs.
                let failure = Failure(code, recovery: recovery, status: .init(domain: "POSIX", code: 5))
                let text = failure.message.text(in: .english)
                #expect(failure.description == "\(code.name): \(text)")
                #expect(failure.debugDescription == "\(code.name): \(text) (POSIX 5)")
                #expect(!code.name.lowercased().contains("fail") && !code.name.lowercased().contains("wrong"))
            }
        }
    }

    @Test(
        "no sentence of a command blames the person",
        arguments: ["ThumbturnCLI", "ThumbturnCommands", "ThumbturnMatcherd", "../Tools/Trials/Machine"])
    func commands(_ folder: String) throws {
        var count = 0
        for file in try Self.files(in: [folder]) {
            for sentence in try Sentences(of: file).all {
                count += 1
                let found = BannedWords.found(in: sentence, .english)
                #expect(found.isEmpty, "\(file.lastPathComponent): \(sentence)")
            }
        }
        #expect(count > 0)
    }

    @Test func noSentenceOfTheDeviceLibraryBlamesThePerson() throws {
        let examination = Self.sources.appendingPathComponent("ThumbturnLinux/Device/Examination.swift")
        let rooms = ["Failures", "Flow", "Keys", "Ledgers", "Readiness"].map { "ThumbturnCore/\($0)" }
        for file in try Self.files(in: rooms + ["ThumbturnDevice"]) + [examination] {
            for sentence in try Sentences(of: file).all where !sentence.hasPrefix("a message that cannot") {
                #expect(BannedWords.found(in: sentence, .english).isEmpty, "\(file.lastPathComponent): \(sentence)")
            }
        }
    }

    @Test func theLintReadsSentencesAndNothingElse() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try #"""
        // print("a comment that failed")
        print("It failed \(name) badly.", name: "net.example.Error.failed", "And \"again\" so.")
        """#.write(to: file, atomically: true, encoding: .utf8)
        #expect(try Sentences(of: file).all == ["It failed  badly.", #"And \"again\" so."#])
        try "let text = \"\"\"\n    A block\n    that failed\n    \"\"\"\n".write(to: file, atomically: true, encoding: .utf8)
        #expect(try Sentences(of: file).all == ["A block", "that failed"])
    }

    @Test func everyTextIsShownSomewhere() throws {
        let tables = Set(MessageLanguage.allCases.map { "MessageKey+\("\($0)".capitalized).swift" } + ["MessageKey.swift"])
        let text = try Self.files(in: ["ThumbturnCore", "ThumbturnDevice", "ThumbturnUI"]).filter {
            !tables.contains($0.lastPathComponent)
        }
        .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        for key in MessageKey.allCases {
            let isShown =
                text.contains("PersonMessage(.\(key.rawValue)") || text.contains("(.\(key.rawValue), .")
                || text.contains("words(.\(key.rawValue))")
            #expect(isShown, "no screen shows \(key)")
        }
    }
}
