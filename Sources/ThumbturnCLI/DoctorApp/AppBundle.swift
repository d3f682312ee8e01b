#if Tools
import Foundation

/// A built app: a folder with the extension `app`, flat as on iOS or with `Contents` as on macOS.
struct AppBundle {
    private let path: String
    private let contents: String
    private let isForMac: Bool

    init(_ path: String) {
        self.path = path
        isForMac = Folder.exists(path + "/Contents")
        contents = isForMac ? path + "/Contents" : path
    }

    private var resources: String { isForMac ? contents + "/Resources" : contents }

    func subject() -> AppSubject {
        var subject = AppSubject(name: Folder.name(of: path), isBuilt: true)
        subject.reasonRemedy += " Then build the app again."
        guard let info = subject.table(contents + "/Info.plist", shown: "Info.plist") else {
            if subject.findings.isEmpty {
                subject.findings.append(
                    AppFinding("files", .trouble, "The app has no Info.plist.", remedy: "Build it again; this is no whole app.")
                )
            }
            return subject
        }
        subject.info = info
        let names = info["CFBundleSupportedPlatforms"]?.texts ?? []
        let known: [String: AppSubject.System] = ["iPhoneOS": .iOS, "MacOSX": .macOS, "XROS": .visionOS]
        subject.systems = Set(names.compactMap { known[$0.replacing("Simulator", with: "OS")] })
        if subject.systems.isEmpty { subject.systems = [isForMac ? .macOS : .iOS] }
        subject.isForSimulator = names.contains { $0.hasSuffix("Simulator") }
        readReasons(&subject)
        readEntitlements(&subject)
        subject.hasPrivacyManifest = subject.table(resources + "/PrivacyInfo.xcprivacy", shown: "PrivacyInfo.xcprivacy") != nil
        return subject
    }

    /// The reason of the Info.plist, and those of the languages, which replace it for people who use them.
    private func readReasons(_ subject: inout AppSubject) {
        if let value = subject.info[AppSubject.reasonKey] {
            subject.reasons.append(AppSubject.Reason(place: "Info.plist", text: value.text ?? ""))
        }
        for folder in Folder.names(in: resources).filter({ $0.hasSuffix(".lproj") }).prefix(AppFileLimits.subjects) {
            let name = "\(folder)/InfoPlist.strings"
            guard let value = subject.table("\(resources)/\(name)", shown: name)?[AppSubject.reasonKey] else { continue }
            subject.reasons.append(AppSubject.Reason(place: name, text: value.text ?? ""))
        }
    }

    private func readEntitlements(_ subject: inout AppSubject) {
        let name = isForMac ? "embedded.provisionprofile" : "embedded.mobileprovision"
        var allowed: [String: PropertyList]?
        do {
            allowed = ProvisioningProfile.entitlements(
                of: try BoundedFile.read("\(contents)/\(name)", atMost: AppFileLimits.propertyList))
            subject.hasProfile = true
            if allowed == nil {
                subject.findings.append(
                    AppFinding("profile", .trouble, "\(name) has no entitlements inside.", remedy: "Sign the app again."))
            }
        } catch .missing {
        } catch {
            subject.findings.append(AppFinding("profile", .trouble, "\(name) \(error.words).", remedy: "Sign the app again."))
        }
        switch signature(of: subject) {
        case .found(let entitlements): (subject.entitlements, subject.origin) = (entitlements, .signature)
        case .none: (subject.entitlements, subject.origin) = ([:], .signature)
        case .unsigned, .damaged:
            // A simulator's programs carry their entitlements elsewhere.
            if !subject.isForSimulator {
                subject.findings.append(
                    AppFinding(
                        "signature", .trouble, "The program has no code signature that can be read.",
                        remedy: "Sign the app. To see what is signed, on a Mac: codesign -d --entitlements - --xml APP"))
            }
            if let allowed { (subject.entitlements, subject.origin) = (allowed, .profile) }
        }
    }

    private func signature(of subject: AppSubject) -> SignedEntitlements {
        // The name is a file's name: another one would lead out of the app.
        guard let name = subject.info["CFBundleExecutable"]?.text, !name.isEmpty, !name.contains("/"), name != "..",
            let file = try? BoundedFile(isForMac ? "\(contents)/MacOS/\(name)" : "\(contents)/\(name)")
        else { return .damaged }
        return SignedEntitlements.read(file)
    }
}

extension AppSubject {
    static let reasonKey = "NSFaceIDUsageDescription"
}

/// Looks at folders without following links.
enum Folder {
    static func exists(_ path: String) -> Bool { type(of: path) == .typeDirectory }

    static func type(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    /// The names in a folder, sorted.
    static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// The last part of a path, without its extension.
    static func name(of path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    static func pathExtension(of path: String) -> String { URL(fileURLWithPath: path).pathExtension.lowercased() }
}
#endif
