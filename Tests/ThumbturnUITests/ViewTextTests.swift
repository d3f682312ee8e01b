import Foundation
import Gallery
import Screens
import SwiftUI
import Testing

/// What every view shows in every state, compared with Tests/Views. `scripts/screens --record` writes the files anew.
@MainActor @Suite struct ViewTextTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Views")

    @Test(arguments: Gallery.exhibits) func aScreenShowsWhatItsFileSays(_ exhibit: Exhibit) async throws {
        let file = Self.folder.appendingPathComponent("\(exhibit.id).txt")
        let expected = try String(contentsOf: file, encoding: .utf8)
        let shown = try await Written.text(of: exhibit)
        #expect(shown == expected, "\(exhibit.id) has changed: look at it, then scripts/screens --record")
    }

    @Test func everyFileBelongsToAScreen() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".txt") }
        #expect(Set(files) == Set(Gallery.exhibits.map { "\($0.id).txt" }))
        #expect(Set(Gallery.exhibits.map(\.id)).count == Gallery.exhibits.count && Gallery.exhibits.count > 30)
    }

    @Test("no one stumbles over a screen", arguments: Gallery.exhibits)
    func findings(_ exhibit: Exhibit) async throws {
        for look in Written.Look.all {
            let findings = try await Written.drawing(of: exhibit, as: look).findings
            #expect(findings.filter { !$0.hasSuffix("(the system’s own colours)") } == [], "\(exhibit.id), \(look.name)")
        }
    }
}
