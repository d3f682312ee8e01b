#if Tools
import Foundation
import Testing
import TestSupport

@Suite struct ConsumerTests {
    /// An app that takes the product `Thumbturn` and nothing else downloads two packages at most.
    @Test func anAppDownloadsLittle() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/Sources/App", withIntermediateDirectories: true)
        try """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "App",
            platforms: [.macOS(.v15), .iOS(.v18)],
            dependencies: [.package(name: "thumbturn", path: "\(repository.path)")],
            targets: [.executableTarget(name: "App", dependencies: [.product(name: "Thumbturn", package: "thumbturn")])]
        )
        """.write(toFile: folder + "/Package.swift", atomically: true, encoding: .utf8)
        try """
        import Thumbturn
        let ladder: [Rung] = UnlockPolicy.unlock.ladder
        print(ladder.count)
        """.write(toFile: folder + "/Sources/App/main.swift", atomically: true, encoding: .utf8)
        let built = try await Built.run("/usr/bin/env", ["swift", "run", "--package-path", folder])
        #expect(built.status == 0, "\(built.output)\(built.errors)")
        #expect(built.output.hasSuffix("3\n"))
        let checkouts = try FileManager.default.contentsOfDirectory(atPath: folder + "/.build/checkouts").sorted()
        print("an app's checkouts:", checkouts)
        #expect(checkouts.count <= 2)
    }
}
#endif
