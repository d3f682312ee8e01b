#if Tools
import Foundation

/// What an app needs from its Info.plist, its entitlements and its other files, one check after the other.
struct AppChecks {
    let subject: AppSubject
    /// The address to which the app's provider sends the browser back; nil for an app without one.
    var redirect: URL?

    func findings() -> [AppFinding] {
        // Where the files of the app cannot be read, nothing can be said of their contents.
        guard !subject.info.isEmpty || !subject.reasons.isEmpty || subject.entitlements != nil || subject.findings.isEmpty
        else {
            return subject.findings
        }
        return subject.findings + [reason()].compactMap(\.self) + keychain() + sharing() + appAttest() + redirects()
            + transport()
            + [privacyManifest()] + debugging()
    }

    private var entitlements: [String: PropertyList] { subject.entitlements ?? [:] }

    private func texts(_ entitlement: String) -> [String] { entitlements[entitlement]?.texts ?? [] }

    // MARK: - The reason to use Face ID

    private func reason() -> AppFinding? {
        let part = "Face ID"
        guard subject.isMobile else { return nil }
        guard !subject.reasons.isEmpty else {
            return AppFinding(
                part, .trouble,
                "\(AppSubject.reasonKey) is missing, so the sensor cannot be used: the system would end an app that asks.",
                remedy: subject.reasonRemedy)
        }
        for reason in subject.reasons {
            guard let problem = Self.problem(of: reason.text) else { continue }
            return AppFinding(
                part, .trouble, "\(AppSubject.reasonKey) in \(reason.place.quoted) \(problem).",
                remedy: "Write one sentence for the person that says what the face is for: Unlock Acme with your face.")
        }
        let languages = subject.reasons.count > 1 ? ", and \(subject.reasons.count - 1) more" : ""
        return AppFinding(part, .good, "The reason is \(subject.reasons[0].text.quoted)\(languages).")
    }

    /// What is wrong with a reason; nil for one that a person can read.
    static func problem(of reason: String) -> String? {
        let text = reason.trimmingCharacters(in: .whitespacesAndNewlines), lower = text.lowercased()
        guard text.contains(where: \.isLetter) else { return text.isEmpty ? "is blank" : "has no word" }
        if text.contains("$(") || text.contains("${") { return "has a reference to a build setting that was not replaced" }
        // "todo" is a word in Spanish and Portuguese: the mark of programmers is in capitals.
        let marks = ["TODO", "FIXME", "XXX", "<#"]
        let phrases = [
            "lorem ipsum", "placeholder", "usage description", "usagedescription", "change me", "changeme", "your reason",
        ]
        let words = ["face id", "faceid", "test", "reason", "description", "string", "biometrics", "authenticate"]
        guard marks.contains(where: text.contains) || phrases.contains(where: lower.contains) || words.contains(lower) else {
            return nil
        }
        return "is a placeholder: \(text.quoted)"
    }

    // MARK: - The keychain

    private func keychain() -> [AppFinding] {
        let part = "keychain"
        if subject.isForSimulator {
            return [
                AppFinding(
                    part, .note, "Built for the simulator, whose entitlements are not checked: check a build for a device.")
            ]
        }
        guard subject.isBuilt else { return [keychainOfSources(part)] }
        // The finding on the signature says why.
        guard subject.entitlements != nil else { return [] }
        guard let id = appIdentifier ?? texts(Key.groups).first else {
            return [
                AppFinding(
                    part, .trouble,
                    "The app has no keychain: its signature names neither an application identifier nor a group (-34018).",
                    remedy: "Sign it with a provisioning profile; on a Mac, add the capability Keychain Sharing.")
            ]
        }
        var findings = [AppFinding(part, .good, "Its items belong to \(id.quoted).")]
        if subject.origin == .profile {
            findings = [
                AppFinding(part, .note, "The provisioning profile allows \(id.quoted); what is signed could not be read.")
            ]
        }
        if subject.isForMac, !subject.hasProfile {
            findings.append(
                AppFinding(
                    "profile", .note,
                    "No embedded.provisionprofile: outside the App Store the system ends an app with these entitlements.",
                    remedy: "Export it from Xcode with a profile, or copy the profile to Contents."))
        }
        return findings
    }

    private func keychainOfSources(_ part: String) -> AppFinding {
        guard subject.isForMac else { return AppFinding(part, .good, "An app for \(systems) has a keychain group of its own.") }
        // Any capability that Apple grants brings a profile, and with it an application identifier.
        let isGranted = !texts(Key.groups).isEmpty || entitlements.keys.contains { $0.hasPrefix("com.apple.developer.") }
        guard !isGranted else { return AppFinding(part, .good, "The entitlements bring a provisioning profile on a Mac, too.") }
        return AppFinding(
            part, .trouble, "No entitlement of a keychain group: on a Mac every call of the keychain answers -34018.",
            remedy: "Add the capability Keychain Sharing to the target, or \(Key.groups) to its file of entitlements.")
    }

    private var systems: String {
        subject.systems.isEmpty
            ? "iOS" : AppSubject.System.allCases.filter(subject.systems.contains).map(\.rawValue).joined(separator: " and ")
    }

    private var appIdentifier: String? {
        texts("application-identifier").first ?? texts("com.apple.application-identifier").first
    }

    /// The groups whose items other apps may read, and where items without a group go.
    private func sharing() -> [AppFinding] {
        let groups = texts(Key.groups), part = "keychain groups"
        // What a profile allows is not what is signed. The group of tokens is the system's, for smart cards.
        let shared = (groups + texts("com.apple.security.application-groups")).filter { !isOwn($0) && $0 != "com.apple.token" }
        guard subject.origin != .profile, !shared.isEmpty else { return [] }
        let names = shared.prefix(8).map(\.quoted).joined(separator: ", ")
        var found = "Other apps of the team may read what is kept in \(names)."
        if let first = groups.first, !isOwn(first) { found += " What is kept without a group goes to \(first.quoted)." }
        return [
            AppFinding(
                part, .note, found,
                remedy: "Keep a group only where apps share keys on purpose: KeychainPlace(accessGroup:). Else remove it.")
        ]
    }

    /// Whether a group is the app's own: the name is its identifier with the prefix of the team.
    private func isOwn(_ group: String) -> Bool {
        if group == appIdentifier { return true }
        guard let id = subject.bundleID else { return false }
        return ["$(AppIdentifierPrefix)", "${AppIdentifierPrefix}"].contains { prefix in
            group == prefix + id || group == prefix + "$(CFBundleIdentifier)"
                || group == prefix + "$(PRODUCT_BUNDLE_IDENTIFIER)"
        }
    }

    // MARK: - App Attest

    private func appAttest() -> [AppFinding] {
        let part = "App Attest"
        guard subject.isMobile, !subject.isForSimulator, subject.entitlements != nil || !subject.isBuilt else { return [] }
        switch entitlements[Key.appAttest].map({ $0.texts }) {
        case nil:
            return [
                AppFinding(
                    part, .note,
                    "No entitlement: a build for development makes its evidence in Apple's environment for development.",
                    remedy: "Add the capability App Attest where the server demands evidence of the keys.")
            ]
        case ["production"]: return [AppFinding(part, .good, "Its evidence is for production.")]
        case ["development"]:
            return [
                AppFinding(
                    part, .note, "Its evidence is for development, which a server for production refuses.",
                    remedy: "Set \(Key.appAttest) to production, as TestFlight and the App Store do.")
            ]
        case .some(let values) where values.contains(where: { $0.contains("$(") }):
            return [AppFinding(part, .note, "Its environment is the build setting \(values.joined(separator: ", ").quoted).")]
        case .some(let values):
            // A profile lists what it allows.
            if subject.origin == .profile {
                return [AppFinding(part, .note, "The provisioning profile allows \(values.joined(separator: ", ").quoted).")]
            }
            return [
                AppFinding(
                    part, .trouble, "\(Key.appAttest) is \(values.joined(separator: ", ").quoted).",
                    remedy: "Set it to production or development.")
            ]
        }
    }

    // MARK: - The provider's redirect

    private func redirects() -> [AppFinding] {
        let part = "redirect"
        guard let redirect, let scheme = redirect.scheme?.lowercased() else { return [] }
        switch scheme {
        case "https": return [domain(of: redirect.host()?.lowercased() ?? "", part)]
        case "http":
            guard subject.isMobile else {
                return [AppFinding(part, .good, "A redirect to this machine itself needs no entry.")]
            }
            return [
                AppFinding(
                    part, .trouble, "AppleSignInBrowser takes no redirect to http.",
                    remedy:
                        "Register an https address of yours, or one with a scheme of the app: com.example.app:/signed-in."
                )
            ]
        default: return [self.scheme(scheme, part)]
        }
    }

    private func scheme(_ scheme: String, _ part: String) -> AppFinding {
        guard scheme.contains(".") else {
            return AppFinding(
                part, .trouble, "The scheme \(scheme.quoted) has no dot, so any app may have it (RFC 8252 section 7.1).",
                remedy: "Use the reverse name of a domain of yours: com.example.app")
        }
        let schemes = (subject.info["CFBundleURLTypes"]?.list ?? []).flatMap { $0.table?["CFBundleURLSchemes"]?.texts ?? [] }
        guard schemes.contains(where: { $0.lowercased() == scheme || $0.contains("$(") }) else {
            return AppFinding(
                part, .note,
                "CFBundleURLTypes has no \(scheme.quoted). AppleSignInBrowser needs no entry; another browser needs one.",
                remedy: "Add the scheme to CFBundleURLTypes if the app opens the provider's page by other means.")
        }
        return AppFinding(part, .good, "CFBundleURLTypes has the scheme.")
    }

    private func domain(of host: String, _ part: String) -> AppFinding {
        let entitlement = "com.apple.developer.associated-domains"
        let entries = texts(entitlement).map { $0.lowercased() }
        /// The hosts that are named for a service, without the mode that follows a question mark.
        func hosts(of service: String) -> [String] {
            entries.filter { $0.hasPrefix(service + ":") }
                .map { String($0.dropFirst(service.count + 1).prefix { $0 != "?" }) }
        }
        let isNamed = hosts(of: "webcredentials").contains {
            $0 == host || $0.hasPrefix("*.") && host.hasSuffix($0.dropFirst())
        }
        guard isNamed else {
            let other = hosts(of: "applinks").contains(host) ? "; applinks is for links in other apps" : ""
            return AppFinding(
                part, .trouble, "The associated domains lack \("webcredentials:\(host)".quoted)\(other).",
                remedy: "Add it to \(entitlement), and name the app in the site's apple-app-site-association.")
        }
        return AppFinding(part, .good, "The app is associated with \(host.quoted).")
    }

    // MARK: - The network, the privacy manifest, the debugger

    private func transport() -> [AppFinding] {
        let part = "App Transport Security"
        guard let settings = subject.info["NSAppTransportSecurity"]?.table else { return [] }
        // With one of these the general exception is ignored.
        let narrower = ["NSAllowsArbitraryLoadsInWebContent", "NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking"]
        if settings["NSAllowsArbitraryLoads"]?.isTrue == true, !narrower.contains(where: { settings[$0] != nil }) {
            return [
                AppFinding(
                    part, .trouble,
                    "NSAllowsArbitraryLoads switches it off for every server, that of sign-ins too.",
                    remedy: "Remove it, and name the servers that need an exception in NSExceptionDomains.")
            ]
        }
        let open = (settings["NSExceptionDomains"]?.table ?? [:]).filter { _, exception in
            ["NSExceptionAllowsInsecureHTTPLoads", "NSTemporaryExceptionAllowsInsecureHTTPLoads"]
                .contains { exception.table?[$0]?.isTrue == true }
        }.keys.sorted()
        guard !open.isEmpty else { return [] }
        return [
            AppFinding(
                part, .note, "Plain http is allowed to \(open.prefix(8).map(\.quoted).joined(separator: ", ")).",
                remedy: "The server of sign-ins must not be among them.")
        ]
    }

    private func privacyManifest() -> AppFinding {
        let part = "privacy manifest"
        guard !subject.hasPrivacyManifest else { return AppFinding(part, .good, "The app has one.") }
        return AppFinding(
            part, .note,
            "The app has none. The App Store asks for one where the app itself uses stored preferences, file dates or the like.",
            remedy: "Add the file PrivacyInfo.xcprivacy to the target.")
    }

    private func debugging() -> [AppFinding] {
        guard subject.isBuilt,
            ["get-task-allow", "com.apple.security.get-task-allow"].contains(where: { entitlements[$0]?.isTrue == true })
        else { return [] }
        return [
            AppFinding("debugger", .note, "A build for development: a debugger may attach to it, and read what is unlocked.")
        ]
    }

    private enum Key {
        static let groups = "keychain-access-groups"
        static let appAttest = "com.apple.developer.devicecheck.appattest-environment"
    }
}
#endif
