#if Tools
import Foundation
import Testing
import TestSupport

/// Packages that depend on this one.
@Suite struct ConsumerTests {
    /// An app that depends on the product `Thumbturn` downloads at most two packages, and the documentation's programs print what
    /// the pages show.
    @Test func anAppDownloadsLittleAndTheDocumentedProgramsRun() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.write("App", in: folder, products: ["Thumbturn"]) {
            """
            import Thumbturn
            #if os(Linux) && (canImport(LocalAuthentication) || canImport(Security) || canImport(StubSecurity))
            #error("an app sees the stand-ins of Apple's frameworks")
            #endif
            let ladder: [Rung] = UnlockPolicy.unlock.ladder
            print(ladder.count)
            """
        }
        let app = try await Consumer.run("App", in: folder)
        #expect(app.status == 0 && app.output.hasSuffix("4\n"), "\(app.output)\(app.errors)")
        // Nothing of the stand-ins is built there either.
        let built = FileManager.default.enumerator(atPath: Consumer.scratch)?.compactMap { $0 as? String } ?? []
        #expect(built.contains { $0.hasSuffix("/ThumbturnDevice.swiftmodule") })
        #expect(!built.contains { $0.split(separator: "/").last?.hasPrefix("Stub") == true })
        let checkouts = try FileManager.default.contentsOfDirectory(atPath: Consumer.scratch + "/checkouts").sorted()
        print("an app's checkouts:", checkouts)
        #expect(checkouts.count <= 2)

        let port = try await Built.freePort()
        let readme = try Self.blocks(of: "README.md")
        // The second one is for an iPhone; the tests of the adapter compile it.
        let (example, vault) = try (#require(readme.first), Self.blocks(of: "docs/vault.md").joined(separator: "\n"))
        #expect(example.split(separator: "\n").count <= 10)

        try Self.write("Vault", in: folder, products: ["Thumbturn", "ThumbturnTestKit"]) { vault }
        let opened = try await Consumer.run("Vault", in: folder)
        #expect(opened.status == 0, "\(opened.errors)")
        #expect(
            opened.output.hasSuffix("opened: a house\nusable after a new face: false\noffered: true\nthe switch is on\n"),
            "\(opened.output)")

        try Self.write("Example", in: folder, products: ["Thumbturn", "ThumbturnTestKit"]) {
            example.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
        }
        try await ServerProcess.addAccount(in: folder + "/data")
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)"], port: port
        )
        defer { server.stop() }
        let shown = try await Consumer.run("Example", in: folder)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.hasSuffix("signed in with the biometric key, as ada\n"), "\(shown.output)")

        // Another device of the account would cool off, and get no step-up: this program has a server of its own.
        let another = try await Built.freePort()
        try await ServerProcess.addAccount(in: folder + "/another")
        let second = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder + "/another", "--listen", "127.0.0.1:\(another)"], port: another
        )
        defer { second.stop() }
        // The blocks of the page form one program, whose output is at its end.
        let parts = try Self.blocks(of: "docs/app.md").joined()
        let page = try String(contentsOf: repository.appendingPathComponent("docs/app.md"), encoding: .utf8)
        let expected = try #require(page.split(separator: "prints:\n\n```\n").last?.split(separator: "```").first)
        try Self.write("Parts", in: folder, products: ["Thumbturn", "ThumbturnTestKit"]) {
            parts.replacing("127.0.0.1:8080", with: "127.0.0.1:\(another)")
        }
        let played = try await Consumer.run("Parts", in: folder)
        #expect(played.status == 0 && played.output.hasSuffix(expected), "\(played.output)\(played.errors)")
    }

    /// The Swift blocks of a documentation page, in order.
    private static func blocks(of page: String) throws -> [String] {
        let text = try String(contentsOf: repository.appendingPathComponent(page), encoding: .utf8)
        return text.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "```").first.map(String.init) }
    }

    /// Writes a package with one program that depends only on these products of ours.
    private static func write(_ name: String, in folder: String, products: [String], main: () -> String) throws {
        let sources = folder + "/Sources/\(name)"
        try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
        let list = products.map { ".product(name: \"\($0)\", package: \"thumbturn\")" }.joined(separator: ", ")
        try """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "Consumer",
            platforms: [.macOS(.v15), .iOS(.v18)],
            dependencies: [.package(name: "thumbturn", path: "\(repository.path)")],
            targets: [.executableTarget(name: "\(name)", dependencies: [\(list)])]
        )
        """.write(toFile: folder + "/Package.swift", atomically: true, encoding: .utf8)
        try main().write(toFile: sources + "/main.swift", atomically: true, encoding: .utf8)
    }
}
#endif
