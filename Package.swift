// swift-tools-version: 6.2

import PackageDescription

/// One list of strict settings for every target.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
    ] + (Context.environment["THUMBTURN_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])

#if os(macOS)
let isApple = true
#else
let isApple = false
#endif
// What developers add to the package: THUMBTURN_ADD=apple-stubs,java,optimized-walks.
let added = Set((Context.environment["THUMBTURN_ADD"] ?? "").split(separator: ","))
precondition(added.isSubset(of: ["apple-stubs", "java", "optimized-walks"]), "THUMBTURN_ADD has an unknown word")
/// Apple's frameworks are on Apple systems alone. With THUMBTURN_ADD=apple-stubs Linux compiles and runs the adapter against stand-ins of
/// ours. Only the adapter and its tests see them under Apple's names: nothing else must take this machine for an Apple one.
let standsIn = !isApple && added.contains("apple-stubs")
let standIns: [Target.Dependency] =
    standsIn ? ["StubLocalAuthentication", "StubSecurity", "StubDeviceCheck", "StubAuthenticationServices", "StubOS"] : []
let aliases = [
    "LocalAuthentication=StubLocalAuthentication", "Security=StubSecurity", "DeviceCheck=StubDeviceCheck",
    "AuthenticationServices=StubAuthenticationServices", "SwiftUI=StubSwiftUI", "os=StubOS",
]
let apple = strict + (standsIn ? [.unsafeFlags(aliases.flatMap { ["-module-alias", $0] }), .define("STAND_INS")] : [])

/// The native library for Java. JNI's header is the NDK's on Android; elsewhere JAVA_HOME has it.
let isForJava = added.contains("java")

/// Optimizes what the walks of all states run, also in a debug build.
let walked = strict + (added.contains("optimized-walks") ? [.unsafeFlags(["-O"])] : [])

// MARK: - Dependencies

/// The package of each product that we use.
let packages = [
    "ArgumentParser": "swift-argument-parser", "AsyncHTTPClient": "async-http-client", "CoreMetrics": "swift-metrics",
    "Crypto": "swift-crypto", "CryptoExtras": "swift-crypto", "GRDB": "GRDB.swift", "HTTPTypes": "swift-http-types",
    "Histogram": "hdrhistogram-swift", "Hummingbird": "hummingbird", "HummingbirdCore": "hummingbird", "Logging": "swift-log",
    "NIOCore": "swift-nio", "NIOEmbedded": "swift-nio", "NIOHTTP1": "swift-nio", "NIOPosix": "swift-nio",
    "NIOSSL": "swift-nio-ssl", "ServiceLifecycle": "swift-service-lifecycle", "SwiftASN1": "swift-asn1",
    "UnixSignals": "swift-service-lifecycle",
]

func products(_ names: [String], _ condition: TargetDependencyCondition? = nil) -> [Target.Dependency] {
    names.map { .product(name: $0, package: packages[$0]!, condition: condition) }
}

/// Products for the server, and for the commands.
func server(_ names: String...) -> [Target.Dependency] { products(names, .when(traits: ["Server"])) }
func tools(_ names: String...) -> [Target.Dependency] { products(names, .when(traits: ["Tools"])) }

/// CryptoKit is on every Apple system, so only the others download and link swift-crypto. PBKDF2 for PINs is in the same package; on
/// Apple systems CommonCrypto has it.
let crypto = products(["Crypto"], .when(platforms: [.linux, .android]))
let cryptoExtras = products(["CryptoExtras"], .when(platforms: [.linux, .android]))

/// Certificates: DER and PEM. swift-crypto brings the package, so nothing more is downloaded.
let certificates = products(["Crypto", "CryptoExtras", "SwiftASN1"])

/// The Linux device: its libraries, and the HTTP of its transport, only there and only where they are asked for.
let onLinux = TargetDependencyCondition.when(platforms: [.linux], traits: ["LinuxDevice"])
let tss = Target.Dependency.target(name: "CTss", condition: onLinux)
let systemd = Target.Dependency.target(name: "CSystemd", condition: onLinux)
let transport = products(["NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL"], onLinux)

/// What nearly every target of a device looks at.
let device: [Target.Dependency] = ["ThumbturnCore", "ThumbturnDevice", "ThumbturnMessages"]

/// What the commands and the trials depend on as well, where they are built.
let serverForTools = Target.Dependency.target(name: "ThumbturnServer", condition: .when(traits: ["Tools"]))
let onLinuxTools = TargetDependencyCondition.when(platforms: [.linux], traits: ["Tools"])

// MARK: - Targets

/// Libraries and programs are below Sources, unless a path is given.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, _ settings: [SwiftSetting] = strict
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, _ settings: [SwiftSetting] = strict
) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], _ settings: [SwiftSetting] = strict
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// What a user links or installs.
let sources: [Target] = [
    library("ThumbturnCore", [], walked),
    library("ThumbturnMessages", ["ThumbturnCore"]),
    // Private files and the clock since the start of the machine, for the device and the matcher.
    library("ThumbturnHost", ["ThumbturnCore"]),
    library("ThumbturnDevice", ["ThumbturnCore", "ThumbturnHost", "ThumbturnMessages"] + crypto + cryptoExtras),
    // Apart from ThumbturnDevice, so that Android's library has no networking of its own.
    library("ThumbturnURLSession", ["ThumbturnCore", "ThumbturnDevice"]),
    library(
        "Thumbturn",
        [
            "ThumbturnCore", "ThumbturnDevice", "ThumbturnURLSession", .target(name: "ThumbturnLinux", condition: onLinux),
            .target(name: "ThumbturnApple", condition: .when(platforms: [.macOS, .iOS, .macCatalyst, .visionOS])),
        ]),
    .target(
        name: "ThumbturnApple",
        dependencies: device + ["ThumbturnHost", "ThumbturnURLSession"] + crypto + standIns,
        // A resource makes Foundation's `Bundle` part of every program that links the module, which only Apple's systems are to have.
        exclude: isApple ? [] : ["PrivacyInfo.xcprivacy"],
        resources: isApple ? [.copy("PrivacyInfo.xcprivacy")] : [],
        swiftSettings: apple
    ),
    // SwiftUI views; empty where there is no SwiftUI.
    .target(
        name: "ThumbturnUI", dependencies: ["ThumbturnCore", "ThumbturnDevice"] + (standsIn ? ["StubSwiftUI"] : []),
        swiftSettings: apple
    ),
    // The rules, which decide what the Java below `android` reports. THUMBTURN_ADD=java adds the library that Java loads.
    library("ThumbturnAndroid", device + ["ThumbturnHost"] + crypto + (isForJava ? ["CJNI"] : [])),
    // Apart from ThumbturnLinux, so that the matcher's program links nothing of the device library.
    library("ThumbturnMatcher", ["ThumbturnCore", "ThumbturnHost", "ThumbturnMessages", tss, systemd] + crypto),
    library("ThumbturnLinux", device + ["ThumbturnHost", "ThumbturnMatcher"] + crypto + transport),
    program("ThumbturnMatcherd", ["ThumbturnCore", "ThumbturnMatcher"] + tools("ArgumentParser")),
    library("ThumbturnVerifier", ["ThumbturnCore", "ThumbturnMessages"] + certificates),
    library(
        "ThumbturnServer",
        [
            "ThumbturnCore", "ThumbturnMessages", "ThumbturnTelemetry", "ThumbturnVerifier",
            .target(name: "CPQ", condition: .when(traits: ["PostgreSQL"])),
            .target(name: "CSodium", condition: .when(traits: ["Server"])),
        ]
            + server(
                "AsyncHTTPClient", "CoreMetrics", "Crypto", "CryptoExtras", "GRDB", "HTTPTypes", "Hummingbird", "HummingbirdCore",
                "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "ServiceLifecycle", "UnixSignals")
    ),
    library("ThumbturnTelemetry", ["ThumbturnCore", "ThumbturnMessages"] + server("Histogram")),
    library("ThumbturnSimulator", ["ThumbturnCore", "ThumbturnTelemetry"]),
    library("ThumbturnTestKit", device + ["ThumbturnURLSession"] + certificates),
    // Apart from ThumbturnTestKit, which needs nothing of a server.
    library(
        "ThumbturnTestServer",
        device + ["ThumbturnServer", "ThumbturnTestKit"]
            + server("Crypto", "HTTPTypes", "Hummingbird", "Logging", "NIOCore")),
    // What the commands share.
    library("ThumbturnCommands", ["ThumbturnCore"] + tools("ArgumentParser")),
    program(
        "ThumbturnServerCLI",
        ["ThumbturnCommands", "ThumbturnCore", "ThumbturnMessages", "ThumbturnServer", "ThumbturnTelemetry", "ThumbturnVerifier"]
            + tools("ArgumentParser", "CoreMetrics", "Hummingbird", "Logging", "NIOCore", "NIOPosix", "ServiceLifecycle")),
    program(
        "ThumbturnCLI",
        ["Thumbturn", "ThumbturnCommands", "ThumbturnSimulator", "ThumbturnTelemetry", "ThumbturnTestKit", "ThumbturnVerifier"]
            + device + [.target(name: "ThumbturnLinux", condition: onLinuxTools)] + crypto + tools("ArgumentParser")),
    .systemLibrary(name: "CTss", pkgConfig: "tss2-esys", providers: [.apt(["libtss2-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
]

/// What walks, attacks and measures: in no product but their own, and no other product reaches it.
let trials: [Target] = [
    library("ThumbturnFlowWalk", ["ThumbturnCore"], path: "Tools/FlowWalk", walked),
    library(
        "ThumbturnWalk",
        device + ["ThumbturnVerifier", serverForTools] + tools("Crypto", "HTTPTypes", "Hummingbird", "Logging", "NIOCore"),
        path: "Tools/Walk"),
    library("ThumbturnLoad", device + [serverForTools] + crypto + tools("NIOCore", "NIOHTTP1", "NIOPosix"), path: "Tools/Load"),
    // A program of its own, so that the memory and the start that a benchmark measures are those of a server.
    program(
        "TrialServer", ["ThumbturnServer"] + tools("ArgumentParser", "Hummingbird", "Logging"),
        path: "Tools/TrialServer"),
    library("ThumbturnParsers", device + ["ThumbturnTestKit", "ThumbturnVerifier"] + crypto, path: "Tools/Parsers"),
    library("ThumbturnLinuxLab", path: "Tools/LinuxLab"),
    program(
        "ThumbturnTrials",
        ["Thumbturn", "ThumbturnCommands", "ThumbturnFlowWalk", "ThumbturnLoad", "ThumbturnParsers", "ThumbturnSimulator"]
            + device
            + ["ThumbturnTelemetry", "ThumbturnTestKit", "ThumbturnVerifier", "ThumbturnWalk", serverForTools] + crypto
            + ["ThumbturnLinux", "ThumbturnLinuxLab"].map { .target(name: $0, condition: onLinuxTools) }
            + tools("ArgumentParser", "GRDB", "Hummingbird", "Logging", "NIOCore", "NIOPosix"), path: "Tools/Trials"),
]

let ofTests: [Target] = [
    tests("ThumbturnCoreTests", ["ThumbturnCore", "ThumbturnTestKit"]),
    tests("ThumbturnMessagesTests", ["TestSupport", "ThumbturnCore", "ThumbturnMessages", "ThumbturnTestKit"]),
    tests(
        "ThumbturnDeviceTests",
        ["TestSupport", "ThumbturnFlowWalk", "ThumbturnHost", "ThumbturnTestKit", "ThumbturnURLSession", "ThumbturnVerifier"]
            + device),
    tests(
        "ThumbturnVerifierTests",
        ["TestSupport", "ThumbturnCore", "ThumbturnMessages", "ThumbturnParsers", "ThumbturnTestKit", "ThumbturnVerifier"]
            + certificates),
    tests(
        "ThumbturnServerTests",
        ["TestSupport", "ThumbturnLoad", "ThumbturnServer", "ThumbturnTelemetry", "ThumbturnTestKit", "ThumbturnURLSession"]
            + device + ["ThumbturnVerifier", "ThumbturnWalk"] + products(["Crypto", "CryptoExtras"])
            + server(
                "CoreMetrics", "GRDB", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging", "NIOCore", "NIOEmbedded",
                "NIOHTTP1", "NIOPosix", "ServiceLifecycle")),
    tests("ThumbturnTelemetryTests", ["ThumbturnCore", "ThumbturnMessages", "ThumbturnTelemetry"]),
    tests("ThumbturnSimulatorTests", ["ThumbturnCore", "ThumbturnSimulator"] + products(["Crypto"])),
    tests(
        "ThumbturnTestServerTests",
        ["TestSupport", "ThumbturnServer", "ThumbturnTestKit", "ThumbturnTestServer"] + device + server("Hummingbird", "Logging")),
    tests(
        "ThumbturnSystemTests",
        ["KilledDevice", "TestSupport", "ThumbturnCLI", "ThumbturnLoad", "ThumbturnMatcherd", "ThumbturnServer"]
            + device + ["ThumbturnServerCLI", "ThumbturnTestKit", "ThumbturnTrials", "ThumbturnURLSession", "TrialServer"]
            + products(["Crypto"])
            + tools("NIOCore", "NIOPosix"),
        exclude: ["Judges", "Shim"]),
    tests(
        "ThumbturnLinuxTests",
        ["TestSupport", "ThumbturnCLI", "ThumbturnLinux", "ThumbturnLinuxLab", "ThumbturnMatcher"]
            + device + ["ThumbturnMatcherd", "ThumbturnTestKit", "ThumbturnVerifier"] + crypto
            + products(["NIOEmbedded"], onLinux) + transport),
    tests(
        "ThumbturnAppleTests",
        ["ScenarioScript", "TestSupport", "Thumbturn", "ThumbturnApple", "ThumbturnTestKit", "ThumbturnURLSession"] + device
            + ["ThumbturnVerifier"] + crypto + standIns, apple),
    tests(
        "ThumbturnAndroidTests",
        ["AndroidScenarios", "ScenarioScript", "TestSupport", "ThumbturnAndroid", "ThumbturnTestKit", "ThumbturnVerifier"]
            + device + crypto),
    // Scenario files as phones play them, for the tests of the adapters; and as Androids do, over a fake system in Swift and over Java's.
    library("ScenarioScript", ["TestSupport", "ThumbturnTestKit"] + device, path: "Tests/ScenarioScript"),
    library("AndroidScenarios", ["ScenarioScript", "TestSupport", "ThumbturnTestKit"] + device, path: "Tests/AndroidScenarios"),
    library("TestSupport", ["ThumbturnVerifier"] + device, path: "Tests/Support"),
    program("KilledDevice", ["ThumbturnURLSession"] + device, path: "Tests/KilledDevice"),
]

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
        .executable(name: "thumbturn-trials", targets: ["ThumbturnTrials"]),
    ],
    traits: [
        .trait(name: "Server", description: "The server library: Hummingbird, SQLite through GRDB, libsodium."),
        .trait(name: "LinuxDevice", description: "Linux devices: TPM 2.0 by libtss2, fprintd by libsystemd, HTTP by swift-nio."),
        .trait(name: "PostgreSQL", description: "The server's store in PostgreSQL, by libpq.", enabledTraits: ["Server"]),
        .trait(name: "Tools", description: "The commands.", enabledTraits: ["Server", "LinuxDevice", "PostgreSQL"]),
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
    targets: sources + trials + ofTests
)

if standsIn {
    // An app's sources see `Thumbturn` as it is on Apple's systems, where it re-exports the adapter.
    let flags = ["-module-alias", "CryptoKit=Crypto", "-Xfrontend", "-import-module", "-Xfrontend", "ThumbturnApple"]
    let example = apple + [.unsafeFlags(flags)]
    package.targets += [
        library("StubSecurity", crypto, path: "Stubs/StubSecurity", []),
        library("StubLocalAuthentication", ["StubSecurity"], path: "Stubs/StubLocalAuthentication", []),
        library("StubDeviceCheck", ["StubSecurity"], path: "Stubs/StubDeviceCheck", []),
        library("StubAuthenticationServices", path: "Stubs/StubAuthenticationServices", []),
        library("StubOS", path: "Stubs/StubOS", []),
        library("StubSwiftUI", path: "Stubs/StubSwiftUI", []),
        // Views, their states, and the examples, as far as they can be evaluated without SwiftUI.
        library(
            "Gallery", ["StubSwiftUI", "Thumbturn", "ThumbturnTestKit", "ThumbturnUI"], path: "Examples/Gallery/Sources/Gallery",
            apple),
        library(
            "Screens", ["Gallery", "StubSwiftUI", "ThumbturnCore", "ThumbturnDevice", "ThumbturnTestKit", "ThumbturnUI"],
            path: "Tests/Screens", apple),
        program("ScreensCommand", ["Gallery", "Screens", "StubSwiftUI", "ThumbturnCore"], path: "Tests/ScreensCommand", apple),
        program(
            "VaultExample", ["StubSwiftUI", "Thumbturn", "ThumbturnApple", "ThumbturnUI"] + crypto, path: "Examples/Vault/Vault",
            example),
        program(
            "BankExample", ["StubAuthenticationServices", "StubSwiftUI", "Thumbturn", "ThumbturnApple", "ThumbturnUI"],
            path: "Examples/Bank/Bank", example),
        library(
            "ProbeExample", ["StubSwiftUI", "Thumbturn", "ThumbturnApple"] + standIns, path: "Examples/Probe/Sources/Probe",
            example),
        tests(
            "ExampleTests",
            ["BankExample", "StubSwiftUI", "TestSupport", "Thumbturn"] + device
                + ["ThumbturnServer", "ThumbturnTestKit", "ThumbturnTestServer", "ThumbturnUI", "VaultExample"], apple),
        tests(
            "ThumbturnUITests",
            ["Gallery", "Screens", "StubAuthenticationServices", "StubSwiftUI", "Thumbturn", "ThumbturnApple"] + device
                + ["ThumbturnTestKit", "ThumbturnUI"], apple),
    ]
}

if isForJava {
    let jdk = Context.environment["JAVA_HOME"] ?? ""
    let header: [CSetting] = [.unsafeFlags(["-I\(jdk)/include", "-I\(jdk)/include/linux"], .when(platforms: [.linux]))]
    // Of the library only what Java looks for is visible.
    let exports = "-Xlinker --version-script=\(Context.packageDirectory)/Sources/CJNI/exports.map".split(separator: " ").map(
        String.init)
    package.products += [
        .library(name: "ThumbturnJNI", type: .dynamic, targets: ["ThumbturnAndroid"]),
        .library(name: "AndroidJVM", type: .dynamic, targets: ["AndroidJVM"]),
    ]
    package.targets += [
        .target(
            name: "CJNI", exclude: ["exports.map"], cSettings: header,
            linkerSettings: [.unsafeFlags(exports, .when(platforms: [.linux, .android]))]),
        // The library of Java's tests: it plays scenarios on Java's fake phone.
        library(
            "AndroidJVM",
            ["AndroidScenarios", "CJNI", "CJVMPhone", "ScenarioScript", "TestSupport", "ThumbturnAndroid", "ThumbturnTestKit"]
                + device,
            path: "Tests/AndroidJVM"),
        .target(name: "CJVMPhone", dependencies: ["CJNI"], path: "Tests/CJVMPhone", cSettings: header),
    ]
}
