#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension EvidencePolicy {
    /// The value of the member `format`.
    static let format = "thumbturn-evidence/1"

    /// The most bytes of a policy file: 64 KiB.
    static let largestFile = 64 * 1024

    /// Reads a policy file: JSON; see `docs/evidence.md`. Files of roots are read relative to its folder.
    public init(file: String) throws(PolicyFileError) {
        guard let data = FileManager.default.contents(atPath: file) else { throw PolicyFileError("\(file): cannot be read") }
        try self.init(json: Array(data), named: file) { name in
            let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
            let path = URL(fileURLWithPath: name, relativeTo: folder).path
            return FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Reads a policy.
    ///
    /// - Parameter read: the text of a file that the policy names; nil if it cannot be read.
    package init(json: [UInt8], named file: String, read: (String) -> String?) throws(PolicyFileError) {
        guard json.count <= Self.largestFile else { throw PolicyFileError("\(file): is longer than 64 KiB") }
        let text: PolicyText
        do throws(JSONError) {
            text = try StrictJSON.decode(PolicyText.self, from: json)
        } catch {
            throw PolicyFileError("\(file): \(error.description)")
        }
        guard text.format == Self.format else { throw PolicyFileError("\(file): format: is not \"\(Self.format)\"") }
        self.init(withoutEvidence: text.withoutEvidence.value)
        try PolicyFileError.check(version: text.version, of: file)
        version = text.version
        for (name, group) in text.groups ?? [:] {
            guard name.isEmpty || StepUpAction.isName(name) else {
                throw PolicyFileError("\(file): groups.\(name): a name is 1 to 64 of a to z, 0 to 9 and -")
            }
            let minimum = Assurance(protection: group.protection.value, verification: group.verification.value)
            guard minimum.protection > .none || minimum.verification == .none else {
                throw PolicyFileError(
                    "\(file): groups.\(name): with the protection none there is no key, so the verification is none too")
            }
            minimums[name] = minimum
        }
        // Of this file and of each file of roots, in the order in which it names them.
        var hashes = [Array(SHA256.hash(data: json))]
        func anchors(_ names: [String]?, _ place: String) throws(PolicyFileError) -> [TrustAnchor]? {
            guard let names else { return nil }
            guard !names.isEmpty else {
                throw PolicyFileError("\(file): \(place): is empty; leave it out to trust the built-in roots")
            }
            var anchors: [TrustAnchor] = []
            for name in names {
                guard let pem = read(name) else { throw PolicyFileError("\(file): \(place): \(name) cannot be read") }
                hashes.append(Array(SHA256.hash(data: Array(pem.utf8))))
                do throws(EvidenceRefusal) {
                    anchors += try TrustAnchor.read(pem: pem)
                } catch {
                    throw PolicyFileError("\(file): \(place): \(name): \(error.explanation)")
                }
            }
            return anchors
        }
        if let apple = text.apple {
            guard !apple.appIDs.isEmpty else {
                throw PolicyFileError("\(file): apple.app_ids: is empty, so no app would be accepted")
            }
            if let id = apple.appIDs.first(where: { !Self.isAppID($0) }) {
                throw PolicyFileError(
                    "\(file): apple.app_ids: \"\(id)\" is not a team id (10 of A to Z and 0 to 9), a period and a bundle id")
            }
            guard apple.categories?.isEmpty != true else {
                throw PolicyFileError("\(file): apple.categories: is empty; leave it out to accept any")
            }
            appAttest = AppAttestPolicy(
                appIDs: Set(apple.appIDs), environment: apple.environment.value, device: apple.device.value,
                launch: apple.launch, roots: try anchors(apple.roots, "apple.roots") ?? [.appleAppAttest])
        }
        if let android = text.android {
            try self.read(android, file, roots: try anchors(android.roots, "android.roots"))
        }
        if let text = text.tpm {
            tpm = try Self.tpm(text, file) { (root) throws(PolicyFileError) in
                let kind = root.kind.value.kind
                return (try anchors([root.file], "tpm.roots") ?? []).map { TPMRoot($0, kind: kind) }
            }
        }
        digest = Base64URL.encode(hashes.count == 1 ? hashes[0] : Array(SHA256.hash(data: Array(hashes.joined()))))
    }

    private static func tpm(
        _ text: TPMText, _ file: String, roots: (TPMText.Root) throws(PolicyFileError) -> [TPMRoot]
    ) throws(PolicyFileError) -> TPMPolicy {
        guard !text.roots.isEmpty else { throw PolicyFileError("\(file): tpm.roots: is empty, so no TPM would be accepted") }
        guard text.matchers.allSatisfy({ Base64URL.decode($0)?.count == 32 }) else {
            throw PolicyFileError("\(file): tpm.matchers: a matcher is named by the thumbprint of its key, 43 characters")
        }
        var trusted: [TPMRoot] = []
        for root in text.roots { trusted += try roots(root) }
        var policy = TPMPolicy(roots: trusted, matchers: Set(text.matchers))
        if let minimum = text.minimum { policy.minimum = minimum.value.protection }
        let revoked = (text.revoked ?? []).compactMap(Hex.sha256)
        guard revoked.count == text.revoked?.count ?? 0 else {
            throw PolicyFileError("\(file): tpm.revoked: a key is named by its SHA-256 in 64 hexadecimal digits")
        }
        policy.revoked = Set(revoked)
        return policy
    }

    private mutating func read(_ text: Android, _ file: String, roots: [TrustAnchor]?) throws(PolicyFileError) {
        guard !text.apps.isEmpty else { throw PolicyFileError("\(file): android.apps: is empty, so no app would be accepted") }
        var apps: [AndroidPolicy.App] = []
        for app in text.apps {
            guard !app.signingDigests.isEmpty else {
                throw PolicyFileError(
                    "\(file): android.apps: signing_digests of \(app.package) is empty, so no app would be accepted")
            }
            let digests = app.signingDigests.compactMap(Hex.sha256)
            guard digests.count == app.signingDigests.count else {
                throw PolicyFileError("\(file): android.apps: a signing digest is a SHA-256 in 64 hexadecimal digits")
            }
            apps.append(AndroidPolicy.App(package: app.package, signingDigests: Set(digests)))
        }
        var least: AndroidPatchLevel?
        if let patch = text.minimumPatchLevel {
            let parts = patch.split(separator: "-").compactMap { Int($0) }
            guard parts.count == 2, let level = AndroidPatchLevel(year: parts[0], month: parts[1]) else {
                throw PolicyFileError("\(file): android.minimum_patch_level: is written as 2026-07")
            }
            least = level
        }
        guard (1...366).contains(text.status.longestDays) else {
            throw PolicyFileError("\(file): android.status.longest_days: is 1 to 366")
        }
        var policy = AndroidPolicy(
            apps: apps, verification: .none, minimumPatchLevel: least,
            status: AndroidStatusPolicy(
                maximumAge: .seconds(text.status.longestDays * 24 * 3600), whenUnknown: text.status.whenUnknown.value))
        if let roots { policy.roots = roots }
        android = policy
    }

    /// Whether a text is a team id, a period and a bundle id.
    private static func isAppID(_ text: String) -> Bool {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 10, !parts[1].isEmpty else { return false }
        return parts[0].allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
            && parts[1].allSatisfy { $0.isASCII && ($0.isNumber || $0.isLetter || $0 == "." || $0 == "-") }
    }

    /// One of the words that a member takes: the raw values of a type. Any other one is refused with the list of them.
    private struct Word<Value: RawRepresentable & CaseIterable & Sendable>: Codable, Sendable where Value.RawValue == String {
        var value: Value

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let value = Value(rawValue: text) else {
                let words = Value.allCases.map(\.rawValue)
                let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "is \"\(text)\"; takes \(list)"))
            }
            self.value = value
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value.rawValue)
        }
    }

    /// The file as it is written.
    private struct PolicyText: Message {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case format, version
            case withoutEvidence = "without_evidence"
            case groups, apple, android, tpm
        }

        var format: String
        var version: Int64?
        var withoutEvidence: Word<WithoutEvidence>
        var groups: [String: Group]?
        var apple: Apple?
        var android: Android?
        var tpm: TPMText?
    }

    private struct TPMText: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case roots, matchers, minimum, revoked }

        var roots: [Root]
        /// The thumbprints of the matchers whose matches count.
        var matchers: [String]
        /// `attestedHardware` unless it is given.
        var minimum: Word<Minimum>?
        /// Keys that are no longer trusted: the SHA-256 of each SubjectPublicKeyInfo.
        var revoked: [String]?

        struct Root: Message {
            enum CodingKeys: String, CodingKey, CaseIterable { case file, kind }

            var file: String
            var kind: Word<Kind>
        }

        enum Minimum: String, CaseIterable {
            case software, attestedHardware

            var protection: KeyProtection {
                switch self {
                case .software: .software
                case .attestedHardware: .attestedHardware
                }
            }
        }

        enum Kind: String, CaseIterable {
            case chips, programs
            case testHardware = "test-hardware"

            var kind: TPMRoot.Kind {
                switch self {
                case .chips: .chips
                case .programs: .programs
                case .testHardware: .testHardware
                }
            }
        }
    }

    private struct Android: Message {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case apps, roots, status
            case minimumPatchLevel = "minimum_patch_level"
        }

        var apps: [App]
        var minimumPatchLevel: String?
        var roots: [String]?
        var status: Status

        struct App: Message {
            enum CodingKeys: String, CodingKey, CaseIterable {
                case package
                case signingDigests = "signing_digests"
            }

            var package: String
            var signingDigests: [String]
        }

        struct Status: Message {
            enum CodingKeys: String, CodingKey, CaseIterable {
                case longestDays = "longest_days"
                case whenUnknown = "when_unknown"
            }

            var longestDays: Int64
            var whenUnknown: Word<AndroidStatusPolicy.WhenUnknown>
        }
    }

    private struct Group: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case protection, verification }

        var protection: Word<KeyProtection>
        var verification: Word<UserVerification>
    }

    private struct Apple: Message {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case appIDs = "app_ids"
            case environment, device, categories, roots
        }

        var appIDs: [String]
        var environment: Word<AppAttestEnvironment>
        var device: Word<AppAttestDevice>
        /// The numbers of Apple's launch categories; nil for any.
        var categories: [UInt32]?
        var roots: [String]?

        var launch: AppAttestLaunchRule {
            categories.map { .anyOfOrUntold(Set($0.map(AppAttestLaunch.Category.init))) } ?? .notChecked
        }
    }
}
#endif
