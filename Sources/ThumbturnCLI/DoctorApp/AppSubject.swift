#if Tools
/// What is known of one app: a built one, or one configuration of a project's target.
struct AppSubject {
    /// A system of Apple's, as far as the checks tell them apart.
    enum System: String, CaseIterable {
        case iOS, macOS, visionOS
    }

    /// Where the entitlements come from.
    enum Origin: Hashable {
        /// The code signature of the built app.
        case signature
        /// The provisioning profile in the built app, because the signature has none that can be read.
        case profile
        /// The file of a project.
        case file
        /// The app's project has no file of entitlements.
        case none
    }

    /// A reason to use Face ID, as one of the app's files states it.
    struct Reason: Hashable {
        /// The file, the build setting or the language.
        var place: String
        var text: String
    }

    /// Its name, and the configuration of its project.
    var name: String
    /// Empty where the files do not tell.
    var systems: Set<System> = []
    var isBuilt = false
    /// Whether it was built for a simulator, whose programs are not signed like those of a device.
    var isForSimulator = false
    /// The contents of the Info.plist.
    var info: [String: PropertyList] = [:]
    var reasons: [Reason] = []
    /// The next step where the reason is missing.
    var reasonRemedy = "Add it to Info.plist, with one sentence for the person: Unlock Acme with your face."
    /// Nil where they are not known.
    var entitlements: [String: PropertyList]?
    var origin = Origin.none
    var hasProfile = false
    /// Whether a privacy manifest is there that can be read.
    var hasPrivacyManifest = false
    /// What was found while the files were read.
    var findings: [AppFinding] = []

    /// Whether it runs on an iPhone, an iPad or a Vision Pro. Where the files tell no system, it counts as an app for iOS.
    var isMobile: Bool { systems != [.macOS] }

    var isForMac: Bool { systems.contains(.macOS) }

    var bundleID: String? { info["CFBundleIdentifier"]?.text }

    /// Reads a property list of the app. What cannot be read is a finding.
    mutating func table(_ path: String, shown name: String) -> [String: PropertyList]? {
        do {
            if let table = PropertyList.table(of: try BoundedFile.read(path, atMost: AppFileLimits.propertyList)) {
                return table
            }
            findings.append(
                AppFinding("files", .trouble, "\(name.quoted) is no property list.", remedy: "Check it: plutil -lint FILE"))
        } catch .missing {
            return nil
        } catch {
            findings.append(
                AppFinding(
                    "files", .trouble, "\(name.quoted) \(error.words).", remedy: "Replace it by a file with its contents.")
            )
        }
        return nil
    }
}
#endif
