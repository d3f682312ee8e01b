// swift-tools-version: 6.2

import PackageDescription

// Every state of the library's views, as previews over a simulated phone: open this folder in Xcode and look at Previews.swift.
let package = Package(
    name: "Gallery",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .visionOS(.v2)],
    products: [.library(name: "Gallery", targets: ["Gallery"])],
    dependencies: [.package(name: "thumbturn", path: "../..")],
    targets: [
        .target(
            name: "Gallery",
            dependencies: [
                .product(name: "Thumbturn", package: "thumbturn"), .product(name: "ThumbturnUI", package: "thumbturn"),
                // A simulated phone belongs in previews and tests, and in no app.
                .product(name: "ThumbturnTestKit", package: "thumbturn"),
            ]
        )
    ]
)
