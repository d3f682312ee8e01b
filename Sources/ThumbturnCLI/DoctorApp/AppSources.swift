#if Tools
import Foundation

/// The sources of an app: a folder with an Xcode project, or with an Info.plist and files of entitlements.
struct AppSources {
    private let root: String
    /// The paths of the files of interest below the root, sorted.
    private var files: [String] = []

    /// Looks for the files of interest. Built things and other packages' folders are left out.
    init(_ root: String) {
        self.root = root
        var seen = 0
        search("", depth: 0, &seen)
    }

    private mutating func search(_ folder: String, depth: Int, _ seen: inout Int) {
        let others: Set = ["Pods", "Carthage", "DerivedData", "node_modules", "build"]
        let closed: Set = ["app", "framework", "xcframework", "bundle", "xcassets", "docc", "xcarchive"]
        for name in Folder.names(in: folder.isEmpty ? root : "\(root)/\(folder)") where !name.hasPrefix(".") {
            seen += 1
            guard seen <= AppFileLimits.files else { return }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            let kind = Folder.pathExtension(of: name)
            switch Folder.type(of: "\(root)/\(path)") {
            case .typeDirectory:
                guard depth < AppFileLimits.folders, !others.contains(name), !closed.contains(kind) else { continue }
                search(path, depth: depth + 1, &seen)
            default:
                guard ["plist", "entitlements", "pbxproj", "xcprivacy"].contains(kind) else { continue }
                files.append(path)
            }
        }
    }

    /// The apps that the files describe; an empty list where there is none.
    ///
    /// - Parameter project: the path of one project below the root; nil for all.
    func subjects(of project: String? = nil) -> [AppSubject] {
        let projects = files.filter { $0.hasSuffix(".xcodeproj/project.pbxproj") && (project == nil || $0 == project) }
        let found = projects.flatMap(subjects(ofProject:))
        guard found.isEmpty, project == nil else { return Array(found.prefix(AppFileLimits.subjects)) }
        return Array(files.filter(isInfo).compactMap(subject(ofInfo:)).prefix(AppFileLimits.subjects))
    }

    private func subjects(ofProject file: String) -> [AppSubject] {
        let home = Self.parent(of: Self.parent(of: file))
        let name = Folder.name(of: Self.parent(of: file))
        func unread(_ found: String) -> [AppSubject] {
            var subject = AppSubject(name: name)
            subject.findings = [
                AppFinding("files", .trouble, found, remedy: "Open the project in Xcode, which repairs or reports it.")
            ]
            return [subject]
        }
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.read("\(root)/\(file)", atMost: AppFileLimits.project)
        } catch {
            return unread("\(file.quoted) \(error.words).")
        }
        guard let project = XcodeProject(bytes) else { return unread("\(file.quoted) is no project.") }
        return project.configurations().compactMap { subject(of: $0, at: home) }
    }

    /// The app of a configuration; nil for a watch or a television, which have no sensor and no place here.
    private func subject(of configuration: XcodeProject.Configuration, at home: String) -> AppSubject? {
        let settings = configuration.settings
        var subject = AppSubject(name: "\(configuration.target), \(configuration.name)")
        let systems = "\(settings["SUPPORTED_PLATFORMS"] ?? "") \(settings["SDKROOT"] ?? "")"
        if systems.contains("iphoneos") { subject.systems.insert(.iOS) }
        if systems.contains("macosx") || settings.isTrue("SUPPORTS_MACCATALYST") { subject.systems.insert(.macOS) }
        if systems.contains("xros") { subject.systems.insert(.visionOS) }
        if subject.systems.isEmpty, systems.contains("watchos") || systems.contains("appletvos") { return nil }

        if let path = settings["INFOPLIST_FILE"] {
            subject.info = read(path, at: home, into: &subject) ?? [:]
            if let value = subject.info[AppSubject.reasonKey] {
                subject.reasons.append(AppSubject.Reason(place: path, text: settings.resolve(value.text ?? "")))
            }
        }
        if let id = settings["PRODUCT_BUNDLE_IDENTIFIER"] { subject.info["CFBundleIdentifier"] = .text(id) }
        readReason(settings, into: &subject)
        if configuration.isBasedOnFile { subject.reasonRemedy += " The settings of .xcconfig files are not read here." }
        if let path = settings["CODE_SIGN_ENTITLEMENTS"] {
            subject.origin = .file
            subject.entitlements = read(path, at: home, into: &subject)?.mapValues { Self.resolved($0, settings) }
        }
        readPrivacyManifest(below: home, into: &subject)
        return subject
    }

    /// Reads the reason that Xcode writes into the Info.plist that it generates.
    private func readReason(_ settings: BuildSettings, into subject: inout AppSubject) {
        let name = "INFOPLIST_KEY_\(AppSubject.reasonKey)"
        let isGenerated = settings.isTrue("GENERATE_INFOPLIST_FILE")
        if isGenerated {
            subject.reasonRemedy =
                "Set the build setting \(name), with one sentence for the person: Unlock Acme with your face."
        }
        guard let text = settings[name] else { return }
        if isGenerated {
            subject.reasons.append(AppSubject.Reason(place: name, text: text))
        } else {
            subject.reasonRemedy =
                "The build setting \(name) counts only with GENERATE_INFOPLIST_FILE = YES: set that as well."
        }
    }

    /// Reads a property list that a setting names, from the project's folder on.
    private func read(_ path: String, at home: String, into subject: inout AppSubject) -> [String: PropertyList]? {
        let relative = path.replacing(/^\$[({](?:SRCROOT|PROJECT_DIR)[)}]\//, with: "")
        let folder = home.isEmpty ? root : "\(root)/\(home)"
        let full = relative.hasPrefix("/") ? relative : "\(folder)/\(relative)"
        let table = subject.table(full, shown: path)
        if table == nil, Folder.type(of: full) == nil {
            subject.findings.append(
                AppFinding(
                    "files", .trouble, "A build setting names \(path.quoted), which is missing.", remedy: "Correct the setting."
                ))
        }
        return table
    }

    private func readPrivacyManifest(below home: String, into subject: inout AppSubject) {
        for file in files where file.hasSuffix("PrivacyInfo.xcprivacy") && (home.isEmpty || file.hasPrefix(home + "/")) {
            if subject.table("\(root)/\(file)", shown: file) != nil { subject.hasPrivacyManifest = true }
        }
    }

    // MARK: - Without a project

    private func isInfo(_ file: String) -> Bool { file.hasSuffix("Info.plist") }

    /// The app of an Info.plist; nil for that of an extension, a framework or a test.
    private func subject(ofInfo file: String) -> AppSubject? {
        var subject = AppSubject(name: file)
        guard let info = subject.table("\(root)/\(file)", shown: file) else { return subject.findings.isEmpty ? nil : subject }
        let type = info["CFBundlePackageType"]?.text
        guard info["NSExtension"] == nil, type == nil || type == "APPL" || type == "$(PRODUCT_BUNDLE_PACKAGE_TYPE)" else {
            return nil
        }
        subject.info = info
        if let value = info[AppSubject.reasonKey] {
            subject.reasons.append(AppSubject.Reason(place: file, text: value.text ?? ""))
        }
        if info["LSMinimumSystemVersion"] != nil { subject.systems.insert(.macOS) }
        if info["UILaunchScreen"] != nil || info["UILaunchStoryboardName"] != nil { subject.systems.insert(.iOS) }
        // The entitlements beside it, or else the only ones.
        let all = files.filter { $0.hasSuffix(".entitlements") }
        let beside = all.filter { Self.parent(of: $0) == Self.parent(of: file) }
        if let path = beside.first ?? (all.count == 1 ? all[0] : nil) {
            subject.origin = .file
            subject.entitlements = subject.table("\(root)/\(path)", shown: path)
        }
        readPrivacyManifest(below: "", into: &subject)
        return subject
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private static func resolved(_ value: PropertyList, _ settings: BuildSettings) -> PropertyList {
        switch value {
        case .text(let text): .text(settings.resolve(text))
        case .list(let list): .list(list.map { resolved($0, settings) })
        case .flag, .number, .table, .other: value
        }
    }
}
#endif
