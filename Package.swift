// swift-tools-version: 6.2

import PackageDescription

/// One list of strict settings for every target.
var strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
]
if Context.environment["THUMBTURN_WARNINGS_AS_ERRORS"] == "1" {
    strict.append(.treatAllWarnings(as: .error))
}

/// CryptoKit is on every Apple system, so only the others download and link swift-crypto.
let crypto = Target.Dependency.product(
    name: "Crypto",
    package: "swift-crypto",
    condition: .when(platforms: [.linux, .android])
)

/// PBKDF2 for PINs, from the same package; on Apple systems CommonCrypto has it.
let cryptoExtras = Target.Dependency.product(
    name: "CryptoExtras",
    package: "swift-crypto",
    condition: .when(platforms: [.linux, .android])
)

/// DER and PEM for certificates. swift-crypto brings it, so nothing more is downloaded.
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")

/// The Linux device's libraries: only there, and only where they are asked for.
let tss = Target.Dependency.target(name: "CTss", condition: .when(platforms: [.linux], traits: ["LinuxDevice"]))
let systemd = Target.Dependency.target(name: "CSystemd", condition: .when(platforms: [.linux], traits: ["LinuxDevice"]))

/// What the Linux device's transport speaks HTTP with, and its tests.
let transport: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio", condition: .when(platforms: [.linux], traits: ["LinuxDevice"])),
    .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(platforms: [.linux], traits: ["LinuxDevice"])),
    .product(name: "NIOPosix", package: "swift-nio", condition: .when(platforms: [.linux], traits: ["LinuxDevice"])),
    .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(platforms: [.linux], traits: ["LinuxDevice"])),
]

/// Apple's frameworks are on Apple systems alone. With THUMBTURN_APPLE_STUBS=1 Linux compiles and runs the adapter against stand-ins of
/// ours. Only the adapter and its tests see them under Apple's names: nothing else must take this machine for an Apple one.
#if os(Linux)
let standsIn = Context.environment["THUMBTURN_APPLE_STUBS"] == "1"
#else
let standsIn = false
#endif

/// A resource makes Foundation's `Bundle` part of every program that links the module, which only Apple's systems are to have.
#if os(macOS)
let isApple = true
#else
let isApple = false
#endif
let standIns: [Target.Dependency] =
    standsIn ? ["StubLocalAuthentication", "StubSecurity", "StubDeviceCheck", "StubAuthenticationServices", "StubOS"] : []
let apple: [SwiftSetting] =
    strict
    + (standsIn
        ? [
            .unsafeFlags([
                "-module-alias", "LocalAuthentication=StubLocalAuthentication", "-module-alias", "Security=StubSecurity",
                "-module-alias", "DeviceCheck=StubDeviceCheck",
                "-module-alias", "AuthenticationServices=StubAuthenticationServices",
                "-module-alias", "SwiftUI=StubSwiftUI", "-module-alias", "os=StubOS",
            ]),
            // Tests with the stand-ins are compiled where they are, and not on Apple systems.
            .define("STAND_INS"),
        ] : [])

/// The native library for Java, where THUMBTURN_JNI=1 asks for it. JNI's header is the NDK's on Android; elsewhere JAVA_HOME has it.
let isForJava = Context.environment["THUMBTURN_JNI"] == "1"

let package = Package(
    name: "thumbturn",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .visionOS(.v2)],
    products: [
        .library(name: "Thumbturn", targets: ["Thumbturn"]),
        .library(name: "ThumbturnUI", targets: ["ThumbturnUI"]),
        .library(name: "ThumbturnVerifier", targets: ["ThumbturnVerifier"]),
        .library(name: "ThumbturnTestKit", targets: ["ThumbturnTestKit"]),
        .library(name: "ThumbturnServer", targets: ["ThumbturnServer"]),
        .library(name: "ThumbturnTestServer", targets: ["ThumbturnTestServer"]),
        .executable(name: "thumbturn", targets: ["ThumbturnCLI"]),
        .executable(name: "thumbturn-server", targets: ["ThumbturnServerCLI"]),
        .executable(name: "thumbturn-matcherd", targets: ["ThumbturnMatcherd"]),
    ],
    traits: [
        .trait(name: "Server", description: "The server library: Hummingbird, SQLite through GRDB, libsodium."),
        .trait(
            name: "LinuxDevice",
            description: "Linux devices: TPM 2.0 through libtss2, fprintd through libsystemd, HTTP through swift-nio."
        ),
        .trait(
            name: "PostgreSQL",
            description: "The server's store in PostgreSQL, through libpq.",
            enabledTraits: ["Server"]
        ),
        .trait(
            name: "Tools",
            description: "The commands thumbturn, thumbturn-server and thumbturn-matcherd.",
            enabledTraits: ["Server", "LinuxDevice", "PostgreSQL"]
        ),
        .default(enabledTraits: []),
    ],
    dependencies: [
        // Never below 4.5.1: CVE-2026-43823.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "ThumbturnCore", swiftSettings: strict),
        .target(name: "ThumbturnMessages", dependencies: ["ThumbturnCore"], swiftSettings: strict),
        .target(
            name: "ThumbturnDevice",
            dependencies: ["ThumbturnCore", "ThumbturnMessages", crypto, cryptoExtras],
            swiftSettings: strict
        ),
        // Apart from ThumbturnDevice, so that Android's library has no networking of its own.
        .target(name: "ThumbturnURLSession", dependencies: ["ThumbturnCore", "ThumbturnDevice"], swiftSettings: strict),
        .target(
            name: "Thumbturn",
            dependencies: [
                "ThumbturnCore", "ThumbturnDevice", "ThumbturnURLSession",
                .target(name: "ThumbturnLinux", condition: .when(platforms: [.linux], traits: ["LinuxDevice"])),
                .target(name: "ThumbturnLinuxTransport", condition: .when(platforms: [.linux], traits: ["LinuxDevice"])),
                .target(name: "ThumbturnApple", condition: .when(platforms: [.macOS, .iOS, .macCatalyst, .visionOS])),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnApple",
            dependencies: ["ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnURLSession", crypto] + standIns,
            exclude: isApple ? [] : ["PrivacyInfo.xcprivacy"],
            resources: isApple ? [.copy("PrivacyInfo.xcprivacy")] : [],
            swiftSettings: apple
        ),
        // SwiftUI views; empty where there is no SwiftUI.
        .target(
            name: "ThumbturnUI",
            dependencies: ["ThumbturnCore", "ThumbturnDevice"] + (standsIn ? ["StubSwiftUI"] : []),
            swiftSettings: apple
        ),
        .target(
            name: "ThumbturnLinux",
            dependencies: ["ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", crypto, tss, systemd],
            swiftSettings: strict
        ),
        // Apart from ThumbturnLinux, so that the matcher has no network.
        .target(
            name: "ThumbturnLinuxTransport",
            dependencies: ["ThumbturnCore", "ThumbturnDevice"] + transport,
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnVerifier",
            dependencies: [
                "ThumbturnCore", "ThumbturnMessages", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"), asn1,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnTestKit",
            dependencies: [
                "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnURLSession",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto"), asn1,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnServer",
            dependencies: [
                "ThumbturnCore",
                "ThumbturnMessages",
                "ThumbturnTelemetry",
                "ThumbturnVerifier",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Server"])),
                .target(name: "CPQ", condition: .when(traits: ["PostgreSQL"])),
                .target(name: "CSodium", condition: .when(traits: ["Server"])),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["Server"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Server"])),
                .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Server"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Server"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Server"])
                ),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: strict
        ),
        // What is counted of unlocks, and the reports and charts of it: for the server and for the simulator.
        .target(
            name: "ThumbturnTelemetry",
            dependencies: [
                "ThumbturnCore", "ThumbturnMessages",
                .product(name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: strict
        ),
        .target(name: "ThumbturnSimulator", dependencies: ["ThumbturnCore", "ThumbturnTelemetry"], swiftSettings: strict),
        // Apart from ThumbturnTestKit, which needs nothing of a server.
        .target(
            name: "ThumbturnTestServer",
            dependencies: [
                "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnServer", "ThumbturnTestKit",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Server"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ThumbturnServerCLI",
            dependencies: [
                "ThumbturnCommands",
                "ThumbturnCore",
                "ThumbturnMessages",
                "ThumbturnServer",
                "ThumbturnTelemetry",
                "ThumbturnWalk",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Tools"])),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Tools"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Tools"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Tools"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Tools"])),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ThumbturnCLI",
            dependencies: [
                "Thumbturn",
                .target(name: "ThumbturnLinux", condition: .when(platforms: [.linux], traits: ["Tools"])),
                .target(name: "ThumbturnLinuxLab", condition: .when(platforms: [.linux], traits: ["Tools"])),
                "ThumbturnMessages",
                "ThumbturnVerifier",
                "ThumbturnTestKit",
                "ThumbturnCommands",
                "ThumbturnLoad",
                "ThumbturnParsers",
                "ThumbturnSimulator",
                "ThumbturnTelemetry",
                .target(name: "ThumbturnServer", condition: .when(traits: ["Tools"])),
                crypto,
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Tools"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"])),
            ],
            swiftSettings: strict
        ),
        .target(name: "ThumbturnLinuxLab", swiftSettings: strict),
        .executableTarget(
            name: "ThumbturnMatcherd",
            dependencies: [
                "ThumbturnCore",
                "ThumbturnLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"])),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnCommands",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"]))
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnLoad",
            dependencies: [
                "ThumbturnCore",
                "ThumbturnDevice",
                "ThumbturnMessages",
                crypto,
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Tools"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Tools"])),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnWalk",
            dependencies: [
                "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnVerifier",
                .target(name: "ThumbturnServer", condition: .when(traits: ["Tools"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Tools"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Tools"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Tools"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Tools"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"])),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ThumbturnParsers",
            dependencies: [
                "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnTestKit", "ThumbturnVerifier", crypto,
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "ThumbturnCoreTests", dependencies: ["ThumbturnCore", "ThumbturnTestKit"], swiftSettings: strict),
        .testTarget(
            name: "ThumbturnMessagesTests",
            dependencies: ["TestSupport", "ThumbturnCore", "ThumbturnMessages", "ThumbturnTestKit"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnDeviceTests",
            dependencies: [
                "TestSupport", "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnTestKit", "ThumbturnURLSession",
                "ThumbturnVerifier",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnVerifierTests",
            dependencies: [
                "TestSupport", "ThumbturnCore", "ThumbturnMessages", "ThumbturnParsers", "ThumbturnTestKit",
                "ThumbturnVerifier",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                asn1,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnServerTests",
            dependencies: [
                "TestSupport", "ThumbturnCore", "ThumbturnDevice", "ThumbturnLoad", "ThumbturnMessages", "ThumbturnServer",
                "ThumbturnTelemetry", "ThumbturnTestKit", "ThumbturnURLSession", "ThumbturnVerifier", "ThumbturnWalk",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Server"])),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Server"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Server"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Server"])
                ),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnTelemetryTests", dependencies: ["ThumbturnCore", "ThumbturnMessages", "ThumbturnTelemetry"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnSimulatorTests",
            dependencies: ["ThumbturnCore", "ThumbturnSimulator", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnTestServerTests",
            dependencies: [
                "TestSupport", "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnServer", "ThumbturnTestKit",
                "ThumbturnTestServer",
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnSystemTests",
            dependencies: [
                "KilledDevice", "StalledServer", "TestSupport", "ThumbturnCLI", "ThumbturnCore", "ThumbturnDevice",
                "ThumbturnLoad", "ThumbturnMessages", "ThumbturnServer", "ThumbturnServerCLI", "ThumbturnTestKit",
                "ThumbturnURLSession", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Tools"])),
            ],
            exclude: ["Judges", "Shim"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnLinuxTests",
            dependencies: [
                "TestSupport", "ThumbturnCLI", "ThumbturnCore", "ThumbturnDevice", "ThumbturnLinux", "ThumbturnLinuxLab",
                "ThumbturnLinuxTransport", "ThumbturnMatcherd", "ThumbturnMessages", "ThumbturnTestKit", "ThumbturnVerifier",
                crypto,
                .product(
                    name: "NIOEmbedded", package: "swift-nio",
                    condition: .when(platforms: [.linux], traits: ["LinuxDevice"])
                ),
            ] + transport,
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThumbturnAppleTests",
            dependencies: [
                "ScenarioScript", "TestSupport", "Thumbturn", "ThumbturnApple", "ThumbturnCore", "ThumbturnDevice",
                "ThumbturnMessages", "ThumbturnTestKit", "ThumbturnURLSession", "ThumbturnVerifier", crypto,
            ] + standIns,
            swiftSettings: apple
        ),
        // Scenario files as phones play them, for the tests of the adapters.
        .target(
            name: "ScenarioScript",
            dependencies: ["TestSupport", "ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnTestKit"],
            path: "Tests/ScenarioScript",
            swiftSettings: strict
        ),
        .target(
            name: "TestSupport",
            dependencies: ["ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", "ThumbturnVerifier"],
            path: "Tests/Support",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "KilledDevice",
            dependencies: ["ThumbturnCore", "ThumbturnDevice", "ThumbturnURLSession"],
            path: "Tests/KilledDevice",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "StalledServer",
            dependencies: [
                "ThumbturnServer",
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Tools"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Tools"])),
            ],
            path: "Tests/StalledServer",
            swiftSettings: strict
        ),
        .systemLibrary(name: "CTss", pkgConfig: "tss2-esys", providers: [.apt(["libtss2-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    ]
)

if standsIn {
    // An app's sources see `Thumbturn` as it is on Apple's systems, where it re-exports the adapter.
    let example =
        apple + [
            .unsafeFlags([
                "-module-alias", "CryptoKit=Crypto", "-Xfrontend", "-import-module", "-Xfrontend", "ThumbturnApple",
            ])
        ]
    package.targets += [
        .target(name: "StubSecurity", dependencies: [crypto], path: "Stubs/StubSecurity"),
        .target(name: "StubLocalAuthentication", dependencies: ["StubSecurity"], path: "Stubs/StubLocalAuthentication"),
        .target(name: "StubDeviceCheck", dependencies: ["StubSecurity"], path: "Stubs/StubDeviceCheck"),
        .target(name: "StubAuthenticationServices", path: "Stubs/StubAuthenticationServices"),
        .target(name: "StubOS", path: "Stubs/StubOS"),
        .target(name: "StubSwiftUI", path: "Stubs/StubSwiftUI"),
        // Views, their states, and the examples, as far as they can be evaluated without SwiftUI.
        .target(
            name: "Gallery",
            dependencies: ["StubSwiftUI", "Thumbturn", "ThumbturnTestKit", "ThumbturnUI"],
            path: "Examples/Gallery/Sources/Gallery",
            swiftSettings: apple
        ),
        .target(
            name: "Screens",
            dependencies: ["Gallery", "StubSwiftUI", "ThumbturnCore", "ThumbturnDevice", "ThumbturnTestKit", "ThumbturnUI"],
            path: "Tests/Screens",
            swiftSettings: apple
        ),
        .executableTarget(
            name: "ScreensCommand",
            dependencies: ["Gallery", "Screens", "StubSwiftUI", "ThumbturnCore"],
            path: "Tests/ScreensCommand",
            swiftSettings: apple
        ),
        .executableTarget(
            name: "VaultExample",
            dependencies: ["StubSwiftUI", "Thumbturn", "ThumbturnApple", "ThumbturnUI", crypto],
            path: "Examples/Vault/Vault",
            swiftSettings: example
        ),
        .executableTarget(
            name: "BankExample",
            dependencies: ["StubAuthenticationServices", "StubSwiftUI", "Thumbturn", "ThumbturnApple", "ThumbturnUI"],
            path: "Examples/Bank/Bank",
            swiftSettings: example
        ),
        .target(
            name: "ProbeExample",
            dependencies: ["StubSwiftUI", "Thumbturn", "ThumbturnApple"] + standIns,
            path: "Examples/Probe/Sources/Probe",
            swiftSettings: example
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "BankExample", "StubSwiftUI", "TestSupport", "Thumbturn", "ThumbturnCore", "ThumbturnDevice", "ThumbturnServer",
                "ThumbturnTestKit", "ThumbturnTestServer", "ThumbturnUI", "VaultExample",
            ],
            swiftSettings: apple
        ),
        .testTarget(
            name: "ThumbturnUITests",
            dependencies: [
                "StubAuthenticationServices", "Thumbturn", "ThumbturnApple",
                "Gallery", "Screens", "StubSwiftUI", "ThumbturnCore", "ThumbturnDevice", "ThumbturnTestKit", "ThumbturnUI",
            ],
            swiftSettings: apple
        ),
    ]
}

// MARK: - Android

// Its rules and their tests are built on every system; THUMBTURN_JNI=1 adds the library that Java loads.
package.targets += [
    // The rules, which decide what the Java below `android` reports.
    .target(
        name: "ThumbturnAndroid",
        dependencies: ["ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages", crypto] + (isForJava ? ["CJNI"] : []),
        swiftSettings: strict
    ),
    .testTarget(
        name: "ThumbturnAndroidTests",
        dependencies: [
            "AndroidScenarios", "ScenarioScript", "TestSupport", "ThumbturnAndroid", "ThumbturnCore", "ThumbturnDevice",
            "ThumbturnMessages", "ThumbturnTestKit", "ThumbturnVerifier", crypto,
        ],
        swiftSettings: strict
    ),
    // Scenario files as Androids play them: over a fake system in Swift, and over Java's.
    .target(
        name: "AndroidScenarios",
        dependencies: ["ScenarioScript", "TestSupport", "ThumbturnCore", "ThumbturnDevice", "ThumbturnTestKit"],
        path: "Tests/AndroidScenarios",
        swiftSettings: strict
    ),
]

if isForJava {
    let jdk = Context.environment["JAVA_HOME"] ?? ""
    let header: [CSetting] = [.unsafeFlags(["-I\(jdk)/include", "-I\(jdk)/include/linux"], .when(platforms: [.linux]))]
    package.products += [
        .library(name: "ThumbturnJNI", type: .dynamic, targets: ["ThumbturnAndroid"]),
        .library(name: "AndroidJVM", type: .dynamic, targets: ["AndroidJVM"]),
    ]
    package.targets += [
        .target(
            name: "CJNI",
            exclude: ["exports.map"],
            cSettings: header,
            // Of the library only what Java looks for is visible.
            linkerSettings: [
                .unsafeFlags(
                    ["-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/CJNI/exports.map"],
                    .when(platforms: [.linux, .android]))
            ]
        ),
        // The library of Java's tests: it plays scenarios on Java's fake phone.
        .target(
            name: "AndroidJVM",
            dependencies: [
                "AndroidScenarios", "CJNI", "CJVMPhone", "ScenarioScript", "TestSupport", "ThumbturnAndroid", "ThumbturnCore",
                "ThumbturnDevice", "ThumbturnTestKit",
            ],
            path: "Tests/AndroidJVM",
            swiftSettings: strict
        ),
        .target(name: "CJVMPhone", dependencies: ["CJNI"], path: "Tests/CJVMPhone", cSettings: header),
    ]
}
