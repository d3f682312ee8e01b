/// Which evidence of Apple's App Attest a server accepts.
///
/// What would weaken a check has no default value. A policy without an app id accepts nothing.
public struct AppAttestPolicy: Hashable, Sendable {
    /// The app ids that are ours: team id, a period, and the bundle id; on a Mac the signing identifier in its place.
    public var appIDs: Set<String>
    /// The environment that evidence must come from.
    public var environment: AppAttestEnvironment
    /// The kind of device that evidence must come from.
    public var device: AppAttestDevice
    /// What the system must tell of how the app was signed and distributed.
    public var launch: AppAttestLaunchRule
    /// The roots that are trusted. Apple has one; a test brings its own.
    public var roots: [TrustAnchor]

    /// Creates a policy.
    public init(
        appIDs: Set<String>, environment: AppAttestEnvironment, device: AppAttestDevice, launch: AppAttestLaunchRule,
        roots: [TrustAnchor] = [.appleAppAttest]
    ) {
        self.appIDs = appIDs
        self.environment = environment
        self.device = device
        self.launch = launch
        self.roots = roots
    }
}

/// The environments of App Attest, which an app's entitlement chooses.
public enum AppAttestEnvironment: String, Hashable, Sendable, Codable, CaseIterable {
    /// For apps that a developer runs. Anyone with a developer account makes such evidence for an app id of their own.
    case development
    /// For apps that were distributed.
    case production

    /// The AAGUID in the authenticator data, 16 bytes.
    package var aaguid: [UInt8] {
        switch self {
        case .development: Array("appattestdevelop".utf8)
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        }
    }
}

/// The kinds of device that App Attest tells apart.
public enum AppAttestDevice: String, Hashable, Sendable, Codable, CaseIterable {
    /// iPhone, iPad, Apple TV, Apple Watch or Vision. A key with the access policy of a Mac with full security is refused.
    /// Apple documents no sign by which the key of any other Mac could be told from that of a phone.
    case mobile
    /// A Mac that runs with System Integrity Protection and full security, as the access policy of its key says. Apple
    /// demands that no other Mac is trusted.
    case mac
}

/// What the system must tell of how the app was signed and distributed. Systems tell it from iOS 27 on.
public enum AppAttestLaunchRule: Hashable, Sendable {
    /// Nothing is demanded. What the system tells is in the verdict.
    case notChecked
    /// One of these categories, or nothing: systems before iOS 27 tell nothing, and pass.
    case anyOfOrUntold(Set<AppAttestLaunch.Category>)
    /// One of these categories.
    case anyOf(Set<AppAttestLaunch.Category>)
}

/// What the system tells of the app that runs, in the extensions of the authenticator data. Empty before iOS 27.
public struct AppAttestLaunch: Hashable, Sendable {
    /// How the app was signed and distributed; nil where the system does not tell.
    public let category: Category?
    /// The app's `CFBundleVersion`; nil where the system does not tell. At most 128 bytes.
    public let bundleVersion: String?

    /// What a system told.
    public init(category: Category?, bundleVersion: String?) {
        self.category = category
        self.bundleVersion = bundleVersion
    }

    /// The launch categories that Apple defines, by their number.
    public struct Category: Hashable, Sendable, RawRepresentable, Codable {
        /// Apple's number.
        public let rawValue: UInt32

        /// A category by its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Distributed through TestFlight.
        public static let testFlight = Category(rawValue: 2)
        /// Signed by a development identity.
        public static let development = Category(rawValue: 3)
        /// Distributed through the App Store.
        public static let appStore = Category(rawValue: 4)
        /// Distributed with an enterprise profile, or ad hoc.
        public static let enterprise = Category(rawValue: 5)
        /// Signed using a Developer ID.
        public static let developerID = Category(rawValue: 6)
    }
}
