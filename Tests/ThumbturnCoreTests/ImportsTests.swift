import Foundation
import Testing

@Suite struct ImportsTests {
    @Test(
        "a module imports nothing but its own layers",
        arguments: ["ThumbturnCore": [String](), "ThumbturnMessages": ["ThumbturnCore"]])
    func imports(_ module: String, _ allowed: [String]) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(files.count > 10)
        let importing = /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(.+?)\s*$/
        for file in files {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let found = line.prefixMatch(of: importing) else { continue }
                #expect(allowed.contains(String(found.1)), "\(file.lastPathComponent): \(line)")
            }
        }
    }
}
