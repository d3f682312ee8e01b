public import Foundation

/// The device behind the stand-ins: what its system knows, and the person in front of it.
public protocol StandInDevice: AnyObject, Sendable {
    /// What the system knows now.
    var facts: StandInFacts { get }
    /// Shows a prompt of the system and waits for its end.
    func prompt(_ factor: StandInFactor, _ words: StandInWords) async -> StandInAnswer
    /// A prompt that a call of the keychain or of a key shows by itself, while it blocks.
    func promptNow(_ factor: StandInFactor) -> StandInAnswer
    /// What it keeps.
    var keychain: StandInKeychain { get }
    /// What was called, by the names of Apple's functions.
    var calls: StandInCalls { get }
}

/// Which device the stand-ins belong to: that of the task that calls them.
public enum StandIns {
    @TaskLocal public static var device: (any StandInDevice)?
    /// Where the system's own work goes on: on the loop of a clock that stands still while code runs.
    @TaskLocal public static var executor: (any TaskExecutor)?

    public static var current: any StandInDevice {
        guard let device else { preconditionFailure("the stand-ins of Apple's frameworks have no device here") }
        return device
    }
}

public enum StandInFactor: Hashable, Sendable {
    case biometry
    case passcode
    /// Either of them, as the person likes.
    case either
}

public struct StandInWords: Equatable, Sendable {
    public var reason: String
    public var cancelTitle: String?
    public var fallbackTitle: String?
    /// How many seconds ago the lock screen may have seen the person.
    public var reuse: Double
    /// What is asked for, and the raw value of the operation it is for; nil where a policy is evaluated.
    public var flags: SecAccessControlCreateFlags?
    public var operation: Int?

    public init(
        reason: String, cancelTitle: String?, fallbackTitle: String?, reuse: Double = 0,
        flags: SecAccessControlCreateFlags? = nil, operation: Int? = nil
    ) {
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
        self.reuse = reuse
        self.flags = flags
        self.operation = operation
    }
}

public enum StandInAnswer: Sendable {
    /// With the factor that was shown.
    case matched(StandInFactor)
    /// An `LAError`, by its number; 0 for an answer of `false` without an error.
    case refused(Int)
}

/// What an operating system knows of itself.
public struct StandInFacts: Sendable {
    /// Whether the device was unlocked since it started.
    public var isReadable = true
    /// Names the passcode; nil where there is none.
    public var passcode: Int?
    /// Names the set of enrolled faces or fingers; nil where nobody is enrolled.
    public var enrolment: Int?
    /// Why the sensor cannot be asked, as the number of an `LAError`; nil where it can.
    public var obstacle: Int?
    /// Whether the person denied the sensor to this app.
    public var isDenied = false
    /// `LABiometryType`.
    public var sensor = 0
    public var isLockedOut = false
    /// Whether a use that may ask nobody tells why the sensor cannot be asked rather than that it may not ask: which of them comes first
    /// is not known.
    public var obstacleComesFirst = false
    /// Whether the lid covers the built-in sensor.
    public var isCovered = false
    /// What the system tells about the enrolled set.
    public var stateHash: Data?
    /// What is seen of an item that died with its set: -25293 or -25300.
    public var deadStatus: OSStatus = errSecAuthFailed
    /// Whether a sheet stays up though its context was invalidated, as some systems are reported to do.
    public var keepsSheets = false
    /// Whether a watch or another companion is near.
    public var hasCompanion = false
    /// The keychain groups that the app is entitled to; nil for any.
    public var accessGroups: Set<String>?

    public init() {}
}

/// Counts calls of stand-ins.
public final class StandInCalls: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    public init() {}

    public func note(_ name: String) { lock.withLock { counts[name, default: 0] += 1 } }
    public func callAsFunction(_ name: String) -> Int { lock.withLock { counts[name, default: 0] } }
    public var total: Int { lock.withLock { counts.values.reduce(0, +) } }
}

/// What an `LAContext` tells the keychain and the keys.
public protocol StandInContext: AnyObject {
    var standInShown: Set<StandInFactor> { get }
    var standInMayAsk: Bool { get }
    var standInIsOver: Bool { get }
    var standInPassword: Data? { get }
    /// A prompt that a call showed by itself was answered.
    func standInShows(_ factor: StandInFactor)
}

extension SecAccessControl {
    /// Whether what was shown to a context is enough.
    func isMet(by context: (any StandInContext)?) -> Bool {
        let shown = context?.standInIsOver == true ? [] : context?.standInShown ?? []
        var terms: [Bool] = []
        if standInFlags.contains(.userPresence) { terms.append(!shown.isEmpty) }
        if !standInFlags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]) { terms.append(shown.contains(.biometry)) }
        if standInFlags.contains(.devicePasscode) { terms.append(shown.contains(.passcode)) }
        if terms.isEmpty { return true }
        return standInFlags.contains(.or) ? terms.contains(true) : terms.allSatisfy { $0 }
    }

    /// What has to be asked.
    var factor: StandInFactor {
        if standInFlags.contains(.userPresence) || standInFlags.isSuperset(of: [.or, .devicePasscode]) { return .either }
        return standInFlags.contains(.devicePasscode) ? .passcode : .biometry
    }

    /// Asks where it must; nil where the item may be used, otherwise the number of an `LAError`.
    func refusal(_ context: (any StandInContext)?, on device: any StandInDevice) -> Int? {
        if let context, context.standInIsOver { return -10 }
        if isMet(by: context) { return nil }
        let facts = device.facts
        if facts.obstacleComesFirst, let obstacle = facts.obstacle, factor == .biometry { return obstacle }
        guard context?.standInMayAsk != false else { return -1004 }
        device.calls.note("a prompt of the keychain's own")
        switch device.promptNow(factor) {
        case .matched(let factor):
            context?.standInShows(factor)
            return nil
        case .refused(let code): return code
        }
    }
}
