import Foundation
import Testing

/// The Xcode projects of the examples: what they name is there. Whether Xcode builds them, only a Mac can tell.
@Suite struct ProjectTests {
    @Test("every object is there and is used", arguments: Example.all)
    func objects(_ example: Example) throws {
        let project = try example.project()
        #expect(project["objectVersion"]?.text == "77")
        let (root, objects) = try (#require(project["rootObject"]?.text), #require(project["objects"]))
        guard case .dictionary(let all) = objects else { return #expect(Bool(false), "objects is no dictionary") }
        #expect(all.values.allSatisfy { $0["isa"]?.text != nil })
        var (reached, waiting) = (Set<String>(), [root])
        while let id = waiting.popLast() {
            guard reached.insert(id).inserted else { continue }
            let object = try #require(all[id], "nothing has the id \(id)")
            waiting += Self.texts(in: object).filter { $0.wholeMatch(of: /7B[0-9A-F]{22}/) != nil }
        }
        #expect(reached == Set(all.keys))
    }

    private static func texts(in value: PropertyList) -> [String] {
        switch value {
        case .text(let text): [text]
        case .list(let list): list.flatMap(texts)
        case .dictionary(let members): members.values.flatMap(texts)
        }
    }

    @Test("the folder, the package and its products are there", arguments: Example.all)
    func parts(_ example: Example) throws {
        let folders = try example.objects(of: "PBXFileSystemSynchronizedRootGroup").map { $0["path"]?.text }
        #expect(folders == [example.name])
        #expect(try example.sources().contains { $0.contains("@main struct \(example.name)App: App") })

        let packages = try example.objects(of: "XCLocalSwiftPackageReference").compactMap { $0["relativePath"]?.text }
        let package = example.folder.appending(path: try #require(packages.first)).appending(path: "Package.swift")
        let manifest = try String(contentsOf: package, encoding: .utf8)
        let products = try example.objects(of: "XCSwiftPackageProductDependency").compactMap { $0["productName"]?.text }
        #expect(packages.count == 1 && Set(products) == ["Thumbturn", "ThumbturnUI"])
        for product in products { #expect(manifest.contains(".library(name: \"\(product)\"")) }
        let imported = try example.sources().joined().matches(of: /import (Thumbturn\w*)/).map { String($0.output.1) }
        #expect(Set(imported) == Set(products))
    }

    @Test("the settings name files that are there, and say what Face ID is for", arguments: Example.all)
    func settings(_ example: Example) throws {
        let settings = try example.objects(of: "XCBuildConfiguration").compactMap { $0["buildSettings"] }
            .filter { $0["PRODUCT_BUNDLE_IDENTIFIER"] != nil }
        #expect(settings.count == 2 && settings[0] == settings[1], "Debug and Release differ only for the whole project")
        let target = try #require(settings.first)
        #expect(target["PRODUCT_BUNDLE_IDENTIFIER"]?.text == "net.thumbturn.example.\(example.name.lowercased())")
        #expect(target["INFOPLIST_KEY_NSFaceIDUsageDescription"]?.text?.isEmpty == false)
        #expect(target["SWIFT_VERSION"]?.text == "6.0" && target["IPHONEOS_DEPLOYMENT_TARGET"]?.text == "18.0")
        #expect(target["DEVELOPMENT_TEAM"] == nil)
        let keys = ["CODE_SIGN_ENTITLEMENTS", "CODE_SIGN_ENTITLEMENTS[sdk=macosx*]", "INFOPLIST_FILE"]
        var files = keys.compactMap { target[$0]?.text }
        let paths = try example.objects(of: "PBXFileReference").compactMap { $0["path"]?.text }
        let listed = paths.filter { !$0.hasSuffix(".app") }
        #expect(!files.isEmpty && Set(files) == Set(listed))
        files.append("README.md")
        for file in files {
            #expect(FileManager.default.fileExists(atPath: example.folder.appending(path: file).path), "\(file)")
        }
    }

    @Test("an example is read in one sitting: fewer than 400 lines, and five steps", arguments: Example.all)
    func size(_ example: Example) throws {
        let lines = try example.sources().reduce(0) { $0 + $1.count(where: \.isNewline) }
        #expect(lines < 400)
        let page = try String(contentsOf: example.folder.appending(path: "README.md"), encoding: .utf8)
        #expect(page.matches(of: #/\n(\d)\. /#).compactMap { Int($0.output.1) } == [1, 2, 3, 4, 5])
    }
}

/// One of the examples that are apps.
struct Example: CustomTestStringConvertible {
    static let all = [Example(name: "Vault"), Example(name: "Bank")]

    let name: String
    var testDescription: String { name }

    var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Examples/\(name)").standardizedFileURL
    }

    func project() throws -> PropertyList {
        let file = folder.appending(path: "\(name).xcodeproj/project.pbxproj")
        return try PropertyList(parsing: String(contentsOf: file, encoding: .utf8))
    }

    func objects(of isa: String) throws -> [PropertyList] {
        guard case .dictionary(let all)? = try project()["objects"] else { return [] }
        return all.values.filter { $0["isa"]?.text == isa }
    }

    func sources() throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name), includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
