import Foundation
import Testing

/// `DocumentedViews.swift` compiles the code that README.md and docs/swiftui.md show.
@Suite struct PageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func blocks(of text: Substring) -> [String] {
        text.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
            .map { $0.trimmingCharacters(in: .newlines) }
    }

    @Test func theCodeInThePagesIsCompiled() throws {
        let compiled = try Self.text("Tests/ThumbturnUITests/DocumentedViews.swift")
        let readme = try Self.text("README.md")
        let start = try #require(readme.range(of: "### On an iPhone")).lowerBound
        let example = try #require(Self.blocks(of: readme[start...]).first)
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count <= 25, "a whole app in 25 lines")
        let page = try Self.text("docs/swiftui.md")
        let others = Self.blocks(of: page[...])
        #expect(others.count == 4)
        for block in [example] + others {
            let text = block.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("import ") }
                .joined(separator: "\n").trimmingCharacters(in: .newlines).replacing("@main ", with: "")
            #expect(compiled.contains(text), "\(text)")
        }
    }

    @Test func theViewsOfThePageAreThereAndItsPicturesToo() throws {
        let page = try Self.text("docs/swiftui.md")
        for picture in page.matches(of: /\(screens\/([\w-]+\.svg)\)/) {
            let file = Self.root.appendingPathComponent("docs/screens/\(picture.1)")
            #expect(FileManager.default.fileExists(atPath: file.path), "\(picture.1)")
        }
    }

    @Test func everyStateHasItsPictureOnThePage() throws {
        let page = try Self.text("docs/screens.md")
        let states = try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent("Tests/Views").path)
        #expect(states.count > 30)
        for state in states {
            let picture = "screens/\(state.replacing(".txt", with: ""))-light.svg"
            #expect(page.contains("(\(picture))"), "\(picture)")
            #expect(try Self.text("docs/\(picture)").contains("not photographed"), "\(picture)")
        }
    }
}
