#if Tools
import Foundation
import Testing
import TestSupport

@Suite struct ConsumerTests {
    /// An app that takes the product `Thumbturn` downloads two packages at most, and the README's first block does what it says.
    @Test func anAppDownloadsLittleAndTheReadmeRuns() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for target in ["App", "Example"] {
            try FileManager.default.createDirectory(atPath: folder + "/Sources/\(target)", withIntermediateDirectories: true)
        }
        try """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "App",
            platforms: [.macOS(.v15), .iOS(.v18)],
            dependencies: [.package(name: "thumbturn", path: "\(repository.path)")],
            targets: [
                .executableTarget(name: "App", dependencies: [.product(name: "Thumbturn", package: "thumbturn")]),
                .executableTarget(
                    name: "Example",
                    dependencies: [
                        .product(name: "Thumbturn", package: "thumbturn"),
                        .product(name: "ThumbturnTestKit", package: "thumbturn"),
                    ]
                ),
            ]
        )
        """.write(toFile: folder + "/Package.swift", atomically: true, encoding: .utf8)
        try """
        import Thumbturn
        let ladder: [Rung] = UnlockPolicy.unlock.ladder
        print(ladder.count)
        """.write(toFile: folder + "/Sources/App/main.swift", atomically: true, encoding: .utf8)

        let port = try await Built.freePort()
        let readme = try String(contentsOf: repository.appendingPathComponent("README.md"), encoding: .utf8)
        let example = try #require(readme.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
        try example.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
            .write(toFile: folder + "/Sources/Example/main.swift", atomically: true, encoding: .utf8)

        let app = try await Built.run("/usr/bin/env", ["swift", "run", "--package-path", folder, "App"])
        #expect(app.status == 0 && app.output.hasSuffix("3\n"), "\(app.output)\(app.errors)")
        let checkouts = try FileManager.default.contentsOfDirectory(atPath: folder + "/.build/checkouts").sorted()
        print("an app's checkouts:", checkouts)
        #expect(checkouts.count <= 2)

        try await ServerProcess.addAccount(in: folder + "/data")
        let server = try await ServerProcess.start(
            "thumbturn-server", ["serve", "--data", folder + "/data", "--listen", "127.0.0.1:\(port)"], port: port
        )
        defer { server.stop() }
        let shown = try await Built.run("/usr/bin/env", ["swift", "run", "--package-path", folder, "Example"])
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(
            shown.output.hasSuffix("signed in with the biometric key, as ada\nafter a new face: invalidated\n"), "\(shown.output)"
        )
    }
}
#endif
