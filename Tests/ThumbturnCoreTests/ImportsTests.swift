import Foundation
import Testing

@Suite struct ImportsTests {
    @Test func theCoreImportsNothing() throws {
        let core = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/ThumbturnCore")
        let files = try #require(FileManager.default.enumerator(at: core, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > 10)
        let importing = /^\s*(@\w+(\([^)]*\))?\s+)*((public|package|internal|fileprivate|private)\s+)?import\s/
        for file in files {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                #expect(line.prefixMatch(of: importing) == nil, "\(file.lastPathComponent): \(line)")
            }
        }
    }
}
