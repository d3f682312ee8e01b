import Foundation
import TestSupport
import Testing

/// A13: the privacy manifest names what the sources of an app's library use.
@Suite struct PrivacyManifestTests {
    private struct Manifest: Decodable {
        var NSPrivacyTracking: Bool
        var NSPrivacyTrackingDomains: [String]
        var NSPrivacyCollectedDataTypes: [Collected]
        var NSPrivacyAccessedAPITypes: [Accessed]

        struct Collected: Decodable {
            var NSPrivacyCollectedDataType: String
            var NSPrivacyCollectedDataTypeTracking: Bool
            var NSPrivacyCollectedDataTypePurposes: [String]
        }

        struct Accessed: Decodable {
            var NSPrivacyAccessedAPIType: String
            var NSPrivacyAccessedAPITypeReasons: [String]
        }
    }

    private static func manifest() throws -> Manifest {
        let file = repository.appendingPathComponent("Sources/ThumbturnApple/PrivacyInfo.xcprivacy")
        return try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
    }

    /// The categories of Apple's list of APIs that need a reason, with the names of the APIs in them. Clocks that count from
    /// the start of the device are listed beside Apple's two names, because they tell the same.
    private static let categories: [(name: String, apis: String)] = [
        ("SystemBootTime", #"systemUptime|mach_absolute_time|CLOCK_MONOTONIC|CLOCK_UPTIME|kern\.boottime"#),
        (
            "FileTimestamp",
            #"attributesOfItem|\b[fl]?stat\(|fstatat|getattrlist|creationDate|[mM]odificationDate|fileSizeKey|fileSize\b"#
        ),
        ("DiskSpace", #"volumeAvailableCapacity|volumeTotalCapacity|systemFreeSize|systemSize\b|statv?fs"#),
        ("ActiveKeyboards", "activeInputModes"), ("UserDefaults", "UserDefaults|AppStorage"),
    ]

    /// The targets that an app on Apple's systems links.
    private static let targets = [
        "ThumbturnCore", "ThumbturnMessages", "ThumbturnHost", "ThumbturnDevice", "ThumbturnApple", "Thumbturn", "ThumbturnUI",
    ]

    @Test("A13: the manifest has each category that the sources use, with a reason, and no other")
    func categoriesOfAPIs() throws {
        let declared = try Self.manifest().NSPrivacyAccessedAPITypes
        #expect(declared.allSatisfy { !$0.NSPrivacyAccessedAPITypeReasons.isEmpty })
        let text = try Self.sources()
        for (name, apis) in Self.categories {
            let isUsed = text.contains(try Regex(apis))
            let isDeclared = declared.contains { $0.NSPrivacyAccessedAPIType == "NSPrivacyAccessedAPICategory\(name)" }
            #expect(isUsed == isDeclared, "\(name)")
        }
        #expect(declared.count == 2)
    }

    @Test("A13: nothing is for tracking, and what a server gets is for the function of the app")
    func collectedData() throws {
        let manifest = try Self.manifest()
        #expect(!manifest.NSPrivacyTracking && manifest.NSPrivacyTrackingDomains.isEmpty)
        for data in manifest.NSPrivacyCollectedDataTypes {
            #expect(!data.NSPrivacyCollectedDataTypeTracking, "\(data.NSPrivacyCollectedDataType)")
            #expect(data.NSPrivacyCollectedDataTypePurposes == ["NSPrivacyCollectedDataTypePurposeAppFunctionality"])
        }
    }

    private static func sources() throws -> String {
        var text = ""
        for target in targets {
            let folder = repository.appendingPathComponent("Sources/\(target)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                text += try String(contentsOf: file, encoding: .utf8).replacing(/\/\/[^\n]*/, with: "")
            }
        }
        return text
    }
}
