#if Tools
import Foundation
import TestSupport
import Testing

/// `thumbturn doctor app` on apps that are made here: whole ones, ones that lack something, and damaged ones.
@Suite struct DoctorAppTests {
    // MARK: The page

    /// docs/commands.md shows what the command prints for this app.
    @Test func thePageShowsWhatIsPrinted() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.info["NSFaceIDUsageDescription"] = "TODO"
        app.info["NSAppTransportSecurity"] = ["NSAllowsArbitraryLoads": true]
        app.entitlements["com.apple.developer.devicecheck.appattest-environment"] = "development"
        app.entitlements["com.apple.developer.associated-domains"] = ["applinks:id.example.com"]
        try app.write()
        let run = try await app.doctor(["--redirect", "https://id.example.com/signed-in"])
        let page = try String(contentsOf: repository.appendingPathComponent("docs/commands.md"), encoding: .utf8)
        let section = page.components(separatedBy: "### An app for Apple's systems\n").last ?? ""
        let shown = section.components(separatedBy: "```text\n").dropFirst().first?.components(separatedBy: "```").first
        #expect(run.output == shown, "\(run.output)\(run.errors)")
        #expect(run.status == 1)
    }

    // MARK: Built apps

    @Test(arguments: [true, false]) func aWholeAppHasNoTrouble(isForMac: Bool) async throws {
        let app = try MintedApp(isForMac: isForMac)
        defer { app.remove() }
        try app.write()
        let run = try await app.doctor(["--redirect", "com.example.bank:/signed-in"])
        #expect(run.status == 0 && !run.output.contains("FIX"), "\(run.output)\(run.errors)")
        #expect(run.output.hasPrefix("ok    app: Examined “Bank”.\n"))
        #expect(run.output.contains(isForMac ? "“TEAM123456.com.example.bank”" : "“Unlock Bank with your face.”"))
    }

    @Test func theInfoMayBeBinary() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        try app.write(as: .binary)
        #expect(try await app.troubles().isEmpty)
        #expect(try await app.doctor().output.contains("“Unlock Bank with your face.”"))
    }

    @Test(arguments: [
        nil, "", "  \n", "…", "TODO: say why", "Lorem ipsum", "Placeholder", "$(PRODUCT_NAME) needs it", "Face ID",
        "<#reason#>",
    ]) func aReasonThatSaysNothingIsNamed(_ reason: String?) async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.info["NSFaceIDUsageDescription"] = reason
        try app.write()
        #expect(try await app.troubles() == ["Face ID"])
    }

    @Test(arguments: ["Usa Face ID para todo.", "顔で口座を開きます。", "Unlock your account."])
    func aReasonForAPersonIsAccepted(_ reason: String) async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.info["NSFaceIDUsageDescription"] = reason
        try app.write()
        #expect(try await app.troubles().isEmpty)
    }

    /// A language's text replaces that of the Info.plist.
    @Test func aLanguageWithoutAReasonIsNamed() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        try app.write()
        try app.add("de.lproj/InfoPlist.strings", Data(#""NSFaceIDUsageDescription" = " ";"#.utf8))
        try app.add("fr.lproj/InfoPlist.strings", Data(#""NSFaceIDUsageDescription" = "Ouvrez avec le visage.";"#.utf8))
        let run = try await app.doctor()
        #expect(run.output.contains("“de.lproj/InfoPlist.strings” is blank"), "\(run.output)")
        #expect(run.status == 1)
    }

    @Test func aMacsAppNeedsAGroupAndNoReason() async throws {
        let app = try MintedApp(isForMac: true)
        defer { app.remove() }
        app.info["NSFaceIDUsageDescription"] = nil
        app.entitlements = [:]
        try app.write()
        #expect(try await app.troubles() == ["keychain"])
    }

    @Test func whatOtherAppsMayReadIsNamed() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.entitlements["keychain-access-groups"] = ["TEAM123456.com.example.shared", "TEAM123456.com.example.bank"]
        try app.write()
        let run = try await app.doctor()
        #expect(run.status == 0)
        #expect(run.output.contains("note  keychain groups: Other apps of the team may read what is kept in"), "\(run.output)")
        #expect(run.output.contains("What is kept without a group goes to “TEAM123456.com.example.shared”."))
        app.entitlements["keychain-access-groups"] = ["TEAM123456.com.example.bank", "com.apple.token"]
        try app.write()
        #expect(try await !app.doctor().output.contains("keychain groups"))
    }

    @Test(arguments: [
        ("production", "good"), ("development", "note"), ("sandbox", "trouble"), (nil, "note"),
    ]) func theEnvironmentOfAppAttestIsJudged(_ value: String?, _ state: String) async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.entitlements["com.apple.developer.devicecheck.appattest-environment"] = value
        try app.write()
        #expect(try await app.rows().first { $0.part == "App Attest" }?.state == state)
    }

    @Test(arguments: [
        ("com.example.bank:/signed-in", "good"), ("COM.example.bank:/signed-in", "good"), ("com.example.other:/in", "note"),
        ("bank:/signed-in", "trouble"), ("http://127.0.0.1/in", "trouble"), ("https://id.example.com/in", "good"),
        ("https://a.example.net/in", "good"), ("https://example.net/in", "trouble"),
        ("https://links.example.com/in", "trouble"),
        ("https://beta.example.com/in", "good"),
    ]) func theRedirectHasItsEntry(_ redirect: String, _ state: String) async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.entitlements["com.apple.developer.associated-domains"] = [
            "webcredentials:id.example.com", "applinks:links.example.com", "webcredentials:*.example.net",
            "webcredentials:beta.example.com?mode=developer",
        ]
        try app.write()
        let row = try await app.rows(["--redirect", redirect]).first { $0.part == "redirect" }
        #expect(row?.state == state, "\(String(describing: row))")
    }

    @Test func exceptionsForTheNetworkAreJudged() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        func state(_ settings: [String: Any]) async throws -> String? {
            app.info["NSAppTransportSecurity"] = settings
            try app.write()
            return try await app.rows().first { $0.part == "App Transport Security" }?.state
        }
        #expect(try await state(["NSAllowsArbitraryLoads": true]) == "trouble")
        #expect(try await state(["NSAllowsArbitraryLoads": false]) == nil)
        // The narrower exception takes the place of the general one.
        #expect(try await state(["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true]) == nil)
        let domain = ["NSExceptionDomains": ["a.example": ["NSExceptionAllowsInsecureHTTPLoads": true]]]
        #expect(try await state(domain) == "note")
    }

    @Test func theProfileIsReadWhereTheProgramIsNotSigned() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.isSigned = false
        try app.write()
        try app.add("embedded.mobileprovision", MintedApp.profile(allowing: app.entitlements))
        let run = try await app.doctor()
        #expect(try await app.troubles() == ["signature"])
        #expect(run.output.contains("The provisioning profile allows “TEAM123456.com.example.bank”"), "\(run.output)")
        try app.add("embedded.mobileprovision", Data("no profile".utf8))
        #expect(try await app.troubles() == ["profile", "signature"])
    }

    @Test func aProgramForSeveralProcessorsIsReadForArm64() async throws {
        let app = try MintedApp(isForMac: true)
        defer { app.remove() }
        app.isFat = true
        try app.write()
        #expect(try await app.troubles().isEmpty)
    }

    @Test func aPrivacyManifestIsReadToo() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        try app.write()
        #expect(try await app.rows().first { $0.part == "privacy manifest" }?.state == "good")
        try app.add("PrivacyInfo.xcprivacy", Data("<plist><dict>".utf8))
        #expect(try await app.troubles() == ["files"])
    }

    @Test func anArchivesAppsAreExamined() async throws {
        let app = try MintedApp(in: "Bank.xcarchive/Products/Applications")
        defer { app.remove() }
        app.info["NSFaceIDUsageDescription"] = nil
        try app.write()
        let run = try await Built.run(Built.path("thumbturn"), ["doctor", "app", app.root + "/Bank.xcarchive"])
        #expect(run.status == 1 && run.output.contains("FIX   Face ID"), "\(run.output)\(run.errors)")
    }

    // MARK: Sources

    @Test func aProjectsSettingsAreRead() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        try project.write()
        let run = try await project.doctor()
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.hasPrefix("ok    app: Examined “Bank, Debug”, “Bank, Release”.\n"), "\(run.output)")
        #expect(run.output.contains("ok    Face ID: The reason is “Unlock Bank with your face.”."))
        #expect(
            run.output.contains("note  App Attest (Bank, Debug):") && run.output.contains("ok    App Attest (Bank, Release):"))
    }

    @Test func anAppForAWatchIsLeftOut() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        for name in ["Debug", "Release"] { project.settings[name]?["SDKROOT"] = "watchos" }
        try project.write()
        let run = try await project.doctor()
        #expect(run.status == 1 && run.output.contains("There is no app in"), "\(run.output)")
    }

    @Test func aConfigurationWithoutAReasonIsNamed() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        project.settings["Release"]?["INFOPLIST_KEY_NSFaceIDUsageDescription"] = nil
        try project.write()
        #expect(try await project.troubles() == ["Face ID (Bank, Release)"])
    }

    /// The settings of an Info.plist count only where Xcode generates it.
    @Test func aReasonThatDoesNotCountIsExplained() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        for name in ["Debug", "Release"] { project.settings[name]?["GENERATE_INFOPLIST_FILE"] = "NO" }
        try project.write()
        let run = try await project.doctor()
        #expect(run.status == 1 && run.output.contains("counts only with GENERATE_INFOPLIST_FILE = YES"), "\(run.output)")
    }

    @Test func aMacsProjectNeedsAGroup() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        for name in ["Debug", "Release"] {
            project.settings[name]?["SUPPORTED_PLATFORMS"] = "iphoneos iphonesimulator macosx"
            project.settings[name]?["CODE_SIGN_ENTITLEMENTS"] = nil
        }
        try project.write()
        #expect(try await project.troubles() == ["keychain"])
    }

    @Test func aFolderWithAnInfoIsEnough() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        let info: [String: Any] = ["CFBundlePackageType": "APPL", "UILaunchScreen": [String: Any]()]
        try project.add("App/Info.plist", PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0))
        // That of an extension, and what a build left, are no apps of their own.
        let other = ["NSExtension": ["NSExtensionPointIdentifier": "com.apple.widgetkit-extension"]]
        try project.add("Widget/Info.plist", PropertyListSerialization.data(fromPropertyList: other, format: .xml, options: 0))
        try project.add(".build/Info.plist", Data("nonsense".utf8))
        #expect(try await project.troubles() == ["Face ID"])
    }

    @Test func whatIsNoAppIsSaidSo() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        try project.add("README.md", Data())
        try project.add("Bank.ipa", Data("PK".utf8))
        for (path, words) in [
            (project.root, "There is no app in"), (project.root + "/absent.app", "There is no folder at"),
            (project.root + "/Bank.ipa", "is packed"), (project.root + "/README.md", "There is no folder at"),
        ] {
            let run = try await Built.run(Built.path("thumbturn"), ["doctor", "app", path])
            #expect(run.status == 1 && run.output.contains(words) && run.output.contains("→"), "\(run.output)\(run.errors)")
        }
        // A link that the person names is followed.
        let link = project.root + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: project.root)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let linked = try await Built.run(Built.path("thumbturn"), ["doctor", "app", link])
        #expect(linked.output.contains("There is no app in"), "\(linked.output)")
        let usage = try await Built.run(Built.path("thumbturn"), ["doctor", "app", project.root, "--redirect", "nonsense"])
        #expect(usage.status == 64)
    }

    // MARK: Damaged files

    /// Whatever is changed, the command ends by itself. The places are those of the tables: of the processors, the load
    /// commands and the signature's blocks.
    @Test func aDamagedProgramNeverEndsTheCommand() async throws {
        let app = try MintedApp(isForMac: true)
        defer { app.remove() }
        app.isFat = true
        try app.write()
        let whole = try Data(contentsOf: URL(fileURLWithPath: app.program))
        let start = Int(whole[36..<40].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        var damaged = [0, 1, 4, 8, 40, start, start + 20, start + 40, start + 50, start + 90].map { whole.prefix($0) }
        for place in [3, 7, 36, 39, start, start + 16, start + 19, start + 20, start + 23, start + 36, start + 40, start + 44] {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[place] = value
                damaged.append(bytes)
            }
        }
        for place in stride(from: start + 48, to: start + 104, by: 4) {
            var bytes = whole
            bytes.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
            damaged.append(bytes)
        }
        for bytes in damaged {
            try bytes.write(to: URL(fileURLWithPath: app.program))
            let run = try await app.doctor()
            #expect([0, 1].contains(run.status) && !run.output.isEmpty, "\(Array(bytes.prefix(64))) \(run.errors)")
        }
    }

    @Test func hostilePropertyListsAreRefused() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        try app.write()
        let deep = "<?xml version=\"1.0\"?><plist>" + String(repeating: "<array>", count: 100_000)
        let nested = String(repeating: "(", count: 200_000)
        for data in [
            Data(), Data("bplist00".utf8), Data("bplist00".utf8) + Data(repeating: 0xFF, count: 64), Data(deep.utf8),
            Data("{a = \(nested)".utf8), HostilePlist.shared(depth: 40), HostilePlist.itself,
            HostilePlist.nested(depth: 100_000),
            Data(repeating: UInt8(ascii: " "), count: 2 << 20), Data("just text".utf8),
        ] {
            try app.add("Info.plist", data)
            let start = ContinuousClock.now
            let run = try await app.doctor()
            #expect(run.status == 1 && run.output.contains("FIX   files: “Info.plist”"), "\(run.output)\(run.errors)")
            #expect(start.duration(to: .now) < .seconds(60))
        }
        // A link is not followed, and a pipe is not opened.
        try FileManager.default.removeItem(atPath: app.path + "/Info.plist")
        try FileManager.default.createSymbolicLink(atPath: app.path + "/Info.plist", withDestinationPath: "/dev/zero")
        #expect(try await app.doctor().output.contains("is no regular file"))
    }

    @Test func aDamagedProjectIsAFinding() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        try project.write()
        let whole = try Data(contentsOf: URL(fileURLWithPath: project.root + "/Bank.xcodeproj/project.pbxproj"))
        for data in [
            whole.prefix(whole.count / 2), Data("{ objects = { }; }".utf8), Data(String(repeating: "{a=", count: 9).utf8),
        ] {
            try project.add("Bank.xcodeproj/project.pbxproj", Data(data))
            let run = try await project.doctor()
            #expect(run.status == 1 && run.output.contains("FIX"), "\(run.output)\(run.errors)")
        }
    }

    /// References between build settings come to an end.
    @Test func settingsThatReferToThemselvesEnd() async throws {
        let project = try MintedProject()
        defer { project.remove() }
        project.settings["Debug"]?["A"] = String(repeating: "$(A)", count: 500)
        project.settings["Debug"]?["INFOPLIST_KEY_NSFaceIDUsageDescription"] = "$(A)"
        try project.write()
        #expect(try await project.troubles() == ["Face ID (Bank, Debug)"])
    }

    /// What a file says cannot forge a line on the screen.
    @Test func valuesAreShownWithoutControlCharacters() async throws {
        let app = try MintedApp()
        defer { app.remove() }
        app.info["NSFaceIDUsageDescription"] = "Unlock\nok    keychain: forged\u{1b}[31m\u{202e}"
        try app.write(as: .binary)
        let run = try await app.doctor()
        #expect(run.output.contains(#"“Unlock\u{a}ok    keychain: forged\u{1b}[31m\u{202e}”"#), "\(run.output)")
    }
}

/// A row of `--json`.
private struct Row: Decodable {
    var part: String
    var state: String
    var found: String
    var remedy: String?

    /// The rows of a run, whose status has to fit them. Each in trouble has a next step.
    static func rows(of run: Finished) throws -> [Row] {
        let rows = try JSONDecoder().decode([Row].self, from: Data(run.output.utf8))
        let troubles = rows.filter { $0.state == "trouble" }
        #expect(troubles.allSatisfy { $0.remedy?.isEmpty == false }, "\(run.output)")
        #expect(run.status == (troubles.isEmpty ? 0 : 1), "\(run.errors)")
        return rows
    }
}

/// What is examined, in a temporary folder.
private protocol Minted {
    var root: String { get }
    /// The path that the command is given.
    var path: String { get }
}

extension Minted {
    func doctor(_ more: [String] = []) async throws -> Finished {
        try await Built.run(Built.path("thumbturn"), ["doctor", "app", path] + more)
    }

    func rows(_ more: [String] = []) async throws -> [Row] { try Row.rows(of: try await doctor(more + ["--json"])) }

    func troubles() async throws -> [String] { try await rows().filter { $0.state == "trouble" }.map(\.part) }

    func add(_ name: String, _ data: Data) throws {
        let url = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}

/// A built app with a signed program.
private final class MintedApp: Minted {
    let root = Built.temporaryFolder()
    let path: String
    private let isForMac: Bool
    var isSigned = true
    var isFat = false
    var info: [String: Any]
    var entitlements: [String: Any]

    init(isForMac: Bool = false, in folder: String = ".") throws {
        self.isForMac = isForMac
        path = "\(root)/\(folder)/Bank.app"
        info = [
            "CFBundleIdentifier": "com.example.bank", "CFBundleExecutable": "Bank",
            "CFBundleSupportedPlatforms": [isForMac ? "MacOSX" : "iPhoneOS"],
            "NSFaceIDUsageDescription": "Unlock Bank with your face.",
            "CFBundleURLTypes": [["CFBundleURLSchemes": ["com.example.bank"]]],
        ]
        let id = "TEAM123456.com.example.bank"
        entitlements = [
            isForMac ? "com.apple.application-identifier" : "application-identifier": id,
            "com.apple.developer.devicecheck.appattest-environment": "production",
        ]
    }

    private var contents: String { isForMac ? "Contents/" : "" }
    var program: String { "\(path)/\(contents)\(isForMac ? "MacOS/" : "")Bank" }

    func write(as format: PropertyListSerialization.PropertyListFormat = .xml) throws {
        try add(contents + "Info.plist", PropertyListSerialization.data(fromPropertyList: info, format: format, options: 0))
        let manifest = try PropertyListSerialization.data(
            fromPropertyList: ["NSPrivacyTracking": false], format: .xml, options: 0)
        try add(contents + (isForMac ? "Resources/" : "") + "PrivacyInfo.xcprivacy", manifest)
        if isForMac { try add(contents + "embedded.provisionprofile", try Self.profile(allowing: entitlements)) }
        let thin = try Self.program(signing: isSigned ? entitlements : nil)
        try add(contents + (isForMac ? "MacOS/" : "") + "Bank", isFat ? Self.fat(try Self.program(signing: [:]), thin) : thin)
    }

    /// A profile: bytes of a signed message around a property list.
    static func profile(allowing entitlements: [String: Any]) throws -> Data {
        let list = ["Entitlements": entitlements, "TeamName": "Example"] as [String: Any]
        return Data([0x30, 0x82, 0x10, 0x00, 0x06, 0x09])
            + (try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)) + Data([0x31, 0x82, 0x00])
    }

    /// A program of one load command, and its signature of a code directory and entitlements.
    static func program(signing entitlements: [String: Any]?) throws -> Data {
        let header = little([0xFEED_FACF, 0x0100_000C, 0, 2, 1, entitlements == nil ? 8 : 16, 0, 0])
        guard let entitlements else { return header + little([0x19, 8]) }
        let list = try PropertyListSerialization.data(fromPropertyList: entitlements, format: .xml, options: 0)
        let block = big([0xFADE_7171, UInt32(8 + list.count)]) + list
        let directory = big([0xFADE_0C02, 12, 0])
        let index = big([0, 28, 5, UInt32(28 + directory.count)])
        let signature =
            big([0xFADE_0CC0, UInt32(12 + index.count + directory.count + block.count), 2]) + index + directory + block
        return header + little([0x1D, 16, 48, UInt32(signature.count)]) + signature
    }

    /// A program for two processors, of which the second one is arm64.
    static func fat(_ first: Data, _ second: Data) -> Data {
        let starts = [UInt32(48), UInt32(48 + first.count)]
        return big([0xCAFE_BABE, 2, 0x0100_0007, 3, starts[0], UInt32(first.count), 0, 0x0100_000C, 0, starts[1]])
            + big([UInt32(second.count), 0]) + first + second
    }

    private static func little(_ words: [UInt32]) -> Data {
        Data(words.flatMap { word in (0..<4).map { UInt8(word >> ($0 * 8) & 0xFF) } })
    }
    private static func big(_ words: [UInt32]) -> Data {
        Data(words.flatMap { word in (0..<4).map { UInt8(word >> (24 - $0 * 8) & 0xFF) } })
    }
}

/// A folder with an Xcode project.
private final class MintedProject: Minted {
    let root = Built.temporaryFolder()
    var path: String { root }
    var settings: [String: [String: String]]

    init() throws {
        let common = [
            "GENERATE_INFOPLIST_FILE": "YES",
            "INFOPLIST_KEY_NSFaceIDUsageDescription": "Unlock $(PRODUCT_NAME) with your face.",
            "PRODUCT_NAME": "$(TARGET_NAME)", "PRODUCT_BUNDLE_IDENTIFIER": "com.example.bank", "SDKROOT": "iphoneos",
            "CODE_SIGN_ENTITLEMENTS": "Bank/Bank.entitlements",
        ]
        settings = [
            "Debug": common.merging(["ENVIRONMENT": "development"]) { $1 },
            "Release": common.merging(["ENVIRONMENT": "production"]) { $1 },
        ]
    }

    func write() throws {
        let entitlements = [
            "com.apple.developer.devicecheck.appattest-environment": "$(ENVIRONMENT)",
            "keychain-access-groups": "$(AppIdentifierPrefix)com.example.bank",
        ]
        try add(
            "Bank/Bank.entitlements", PropertyListSerialization.data(fromPropertyList: entitlements, format: .xml, options: 0))
        try add(
            "Bank/PrivacyInfo.xcprivacy",
            PropertyListSerialization.data(fromPropertyList: ["NSPrivacyTracking": false], format: .xml, options: 0))
        func text(_ settings: [String: String]) -> String {
            settings.sorted { $0.key < $1.key }.map { "\"\($0)\" = \"\($1)\";" }.joined(separator: "\n\t\t\t\t")
        }
        // The text format of Xcode, with its comments.
        try add(
            "Bank.xcodeproj/project.pbxproj",
            Data(
                """
                // !$*UTF8*$!
                {
                	archiveVersion = 1;
                	objectVersion = 77;
                	objects = {
                		A1 /* Project object */ = {isa = PBXProject; buildConfigurationList = A2; targets = (A3 /* Bank */, A8, ); };
                		A2 = {isa = XCConfigurationList; buildConfigurations = (A4, A5, ); };
                		A4 /* Debug */ = {isa = XCBuildConfiguration; name = Debug; buildSettings = { SWIFT_VERSION = 6.0; }; };
                		A5 = {isa = XCBuildConfiguration; name = Release; buildSettings = { }; };
                		A3 = {
                			isa = PBXNativeTarget;
                			buildConfigurationList = A6 /* Build configuration list for PBXNativeTarget "Bank" */;
                			name = Bank;
                			productType = "com.apple.product-type.application";
                		};
                		A6 = {isa = XCConfigurationList; buildConfigurations = (A7, A9, ); };
                		A7 = {isa = XCBuildConfiguration; name = Debug; buildSettings = {
                				\(text(settings["Debug"] ?? [:]))
                			}; };
                		A8 /* Tests */ = {
                			isa = PBXNativeTarget;
                			name = Tests;
                			productType = "com.apple.product-type.bundle.unit-test";
                		};
                		A9 = {isa = XCBuildConfiguration; name = Release; buildSettings = {
                				\(text(settings["Release"] ?? [:]))
                			}; };
                	};
                	rootObject = A1 /* Project object */;
                }
                """.utf8))
    }
}

/// Binary property lists that would cost a careless reader its stack or its time.
private enum HostilePlist {
    /// Lists of two references to the next one each: 2 to the power of the depth objects for a reader that unfolds them.
    static func shared(depth: Int) -> Data { lists(depth) { [$0 + 1, $0 + 1] } }

    /// A list that has itself inside.
    static let itself = lists(1) { [$0] }

    /// A list in a list in a list.
    static func nested(depth: Int) -> Data { lists(depth) { [$0 + 1] } }

    private static func lists(_ count: Int, of references: (Int) -> [Int]) -> Data {
        func bytes(_ number: Int, _ size: Int) -> [UInt8] { (0..<size).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }
        var data = Array("bplist00".utf8), offsets: [Int] = []
        for index in 0..<count {
            offsets.append(data.count)
            let inside = index == count - 1 && count > 1 ? [] : references(index)
            data += [0xA0 | UInt8(inside.count)] + inside.flatMap { bytes($0, 3) }
        }
        let table = data.count
        data += offsets.flatMap { bytes($0, 3) } + [0, 0, 0, 0, 0, 0, 3, 3] + bytes(count, 8) + bytes(0, 8) + bytes(table, 8)
        return Data(data)
    }
}
#endif
