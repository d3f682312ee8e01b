// swift-tools-version: 6.2

import PackageDescription

// The fuzzers of the parsers; scripts/fuzz builds and runs them.
//
// The sources are symbolic links to those of the package above: one build then has the parsers with `package` access, so
// nothing becomes public for the fuzzers, and the instrumentation of libFuzzer is in our code alone. The parsers of what
// the server receives are among them; the server's dependencies are not.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
let fuzzed = settings + [.unsafeFlags(["-sanitize=fuzzer"])]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux]))
let cryptoExtras = Target.Dependency.product(
    name: "CryptoExtras", package: "swift-crypto", condition: .when(platforms: [.linux]))

/// What reads and writes certificates.
let evidence: [Target.Dependency] = [
    .product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto"),
    .product(name: "SwiftASN1", package: "swift-asn1"),
]

/// The toolchain's libFuzzer without its `main`, which scripts/fuzz finds.
let runtime = Context.environment["THUMBTURN_FUZZER_RUNTIME"] ?? "libclang_rt.fuzzer_no_main.a"

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.1"),
    ],
    targets: [
        .target(name: "ThumbturnCore", swiftSettings: fuzzed),
        .target(name: "ThumbturnMessages", dependencies: ["ThumbturnCore"], swiftSettings: fuzzed),
        .target(name: "ThumbturnHost", dependencies: ["ThumbturnCore"], swiftSettings: fuzzed),
        .target(
            name: "ThumbturnDevice",
            dependencies: ["ThumbturnCore", "ThumbturnHost", "ThumbturnMessages", crypto, cryptoExtras],
            swiftSettings: fuzzed),
        .target(
            name: "ThumbturnVerifier",
            dependencies: ["ThumbturnCore", "ThumbturnMessages"] + evidence,
            swiftSettings: fuzzed),
        .target(
            name: "ThumbturnTestKit", dependencies: ["ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages"] + evidence,
            swiftSettings: fuzzed),
        .target(
            name: "ThumbturnParsers",
            dependencies: [
                "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnTestKit", "ThumbturnVerifier", crypto,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "Fuzz", dependencies: ["ThumbturnParsers"], swiftSettings: settings,
            linkerSettings: [.unsafeFlags([runtime, "-lstdc++", "-lm"])]),
    ]
)
