// swift-tools-version: 6.2

import PackageDescription

// The core of a bank's app, as an app's own package would have it; scripts/example runs its tests. An app writes the address of
// the repository instead of the path. The trait is for the server in the tests, and links nothing into the app.
let package = Package(
    name: "AppCore",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .visionOS(.v2)],
    products: [.library(name: "AppCore", targets: ["AppCore"])],
    dependencies: [.package(name: "thumbturn", path: "../..", traits: ["Server"])],
    targets: [
        .target(name: "AppCore", dependencies: [.product(name: "Thumbturn", package: "thumbturn")]),
        .testTarget(
            name: "AppCoreTests",
            dependencies: [
                "AppCore",
                .product(name: "ThumbturnTestKit", package: "thumbturn"),
                .product(name: "ThumbturnTestServer", package: "thumbturn"),
            ]
        ),
    ]
)
