#if Tools
import Foundation
import TestSupport
import Testing

/// The code of the tutorial “From a boolean to a signature”.
@Suite struct TutorialTests {
    private static let folder = repository.appendingPathComponent("Sources/Thumbturn/Thumbturn.docc/Tutorials")
    private static let modules = Built.folder.appendingPathComponent("Modules")
    private static let files =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("Code").path).sorted()) ?? []

    /// The tutorial shows each file, in order, and each of its sections ends with a step that has code.
    @Test func everyFileIsShown() throws {
        let text = try String(
            contentsOf: Self.folder.appendingPathComponent("FromABooleanToASignature.tutorial"), encoding: .utf8)
        #expect(text.matches(of: /, file: "([^"]+)"/).map { String($0.1) } == Self.files)
        let sections = text.components(separatedBy: "@Section(").dropFirst()
        #expect(sections.count == 6)
        for section in sections {
            #expect(section.components(separatedBy: "@Step {").last?.contains("@Code(") == true, "\(section.prefix(60))")
        }
    }

    #if os(Linux)
    /// The adapter is built with the stand-ins.
    private static let areHere = Requirement.apple.isMet(
        ["ThumbturnApple", "StubLocalAuthentication"].allSatisfy {
            FileManager.default.fileExists(atPath: modules.appendingPathComponent("\($0).swiftmodule").path)
        }, needs: "THUMBTURN_ADD=apple-stubs")

    /// Each file is a whole one that an app, its back end or its tests could have.
    @Test(.enabled(if: areHere), arguments: files) func theCodeOfEachStepCompiles(_ file: String) async throws {
        let scratch = Built.temporaryFolder()
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        // On Apple's systems `Thumbturn` re-exports this module.
        let exports = scratch + "/Exports.swift"
        try "@_exported import ThumbturnApple\n".write(toFile: exports, atomically: true, encoding: .utf8)
        let code = Self.folder.appendingPathComponent("Code/\(file)").path
        let options = [
            "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-module-name", "Step",
            "-I", Self.modules.path, "-module-alias", "LocalAuthentication=StubLocalAuthentication",
        ]
        let run = try await Built.run("/usr/bin/env", options + Self.maps + [code, exports])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    /// Where the C modules are that the modules of a debug build ask for, as in `scripts/docs`.
    private static let maps: [String] = {
        let libraries = ["CTss", "CSystemd"].flatMap { ["-I", repository.appendingPathComponent("Sources/\($0)").path] }
        func folders(in folder: URL) -> [URL] {
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        }
        let targets = folders(in: repository.appendingPathComponent(".build/checkouts"))
            .flatMap { folders(in: $0.appendingPathComponent("Sources")) }.map { $0.appendingPathComponent("include") }
        let included = targets.filter {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("module.modulemap").path)
        }
        let built = folders(in: Built.folder).filter { $0.pathExtension == "build" }
            .map { $0.appendingPathComponent("module.modulemap").path }.filter(FileManager.default.fileExists)
        return libraries + included.flatMap { ["-I", $0.path] } + built.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }()
    #endif
}
#endif
