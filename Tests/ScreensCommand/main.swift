import Foundation
import Gallery
import Screens

// Writes every state of every view into a folder: NAME.txt, and NAME-LOOK.svg for each look. See scripts/screens.

let arguments = CommandLine.arguments.dropFirst()
guard let folder = arguments.first.map({ URL(fileURLWithPath: $0, isDirectory: true) }) else {
    FileHandle.standardError.write(Data("Where to? screens FOLDER [PATTERN]\n".utf8))
    exit(2)
}
let wanted = arguments.dropFirst().first ?? ""
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
for exhibit in Gallery.exhibits where wanted.isEmpty || exhibit.id.contains(wanted) {
    let text = folder.appendingPathComponent("\(exhibit.id).txt")
    try await Data(Written.text(of: exhibit).utf8).write(to: text)
    for look in Written.Look.all {
        let (svg, findings) = try await Written.drawing(of: exhibit, as: look)
        try Data(svg.utf8).write(to: folder.appendingPathComponent("\(exhibit.id)-\(look.name).svg"))
        for finding in findings { print("\(exhibit.id), \(look.name): \(finding)") }
    }
}
print("\(Gallery.exhibits.count) states are in \(folder.path).")
