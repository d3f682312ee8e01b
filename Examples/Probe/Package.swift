// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "probe",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .visionOS(.v2)],
    products: [.library(name: "Probe", targets: ["Probe"])],
    dependencies: [.package(name: "thumbturn", path: "../..")],
    targets: [
        .target(
            name: "Probe",
            dependencies: [.product(name: "Thumbturn", package: "thumbturn")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .strictMemorySafety(),
            ]
        )
    ]
)
