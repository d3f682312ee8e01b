public import Foundation

/// The device behind the stand-ins: the state of its system, and the person who uses it.
public protocol StandInDevice: AnyObject, Sendable {
    /// The state of the system now.
    var facts: StandInFacts { get }
    /// Shows a prompt of the system and waits for the answer.
    func prompt(_ factor: StandInFactor, _ words: StandInWords) async -> StandInAnswer
    /// Answers a prompt that a call of the keychain or of a key shows by itself while it blocks.
    func promptNow(_ factor: StandInFactor) -> StandInAnswer
    /// The keychain of the device.
    var keychain: StandInKeychain { get }
    /// The calls so far, by the names of Apple's functions.
    var calls: StandInCalls { get }
}

/// The device of the stand-ins: the one that belongs to the calling task.
public enum StandIns {
    @TaskLocal public static var device: (any StandInDevice)?
    /// The executor of the system's own work: in virtual time, that of the clock.
    @TaskLocal public static var executor: (any TaskExecutor)?

    public static var current: any StandInDevice {
        guard let device else { preconditionFailure("the stand-ins of Apple's frameworks have no device here") }
        return device
    }
}

public enum StandInFactor: Hashable, Sendable {
    case biometry
    case passcode
    /// Either of the two, as the person chooses.
    case either
}

public struct StandInWords: Equatable, Sendable {
    public var reason: String
    public var cancelTitle: String?
    public var fallbackTitle: String?
    /// How many seconds ago the device may have been unlocked to count as a match.
    public var reuse: Double
    /// The flags of the access control and the raw value of the operation; nil where a policy is evaluated.
    public var flags: SecAccessControlCreateFlags?
    public var operation: Int?
    /// The enrolled set of the access control, where it is the item's own.
    public var set: Int?

    public init(
        reason: String, cancelTitle: String?, fallbackTitle: String?, reuse: Double = 0,
        flags: SecAccessControlCreateFlags? = nil, operation: Int? = nil, set: Int? = nil
    ) {
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
        self.reuse = reuse
        self.flags = flags
        self.operation = operation
        self.set = set
    }
}

/// A refusal of an item or a key, as a system words it.
public enum StandInRefusal: Hashable, Sendable {
    /// A status of the keychain, wherever the item is used.
    case keychain(OSStatus)
    /// An error of CryptoTokenKit at signing, with the code of the Secure Enclave where the system tells it. The keychain
    /// turns it into a status of its own.
    case token(Int, aks: Int?)
    /// A status with which the lookup of the key refuses already.
    case atLookup(OSStatus)
    /// An error of LocalAuthentication, which a prompt may answer.
    case authentication(Int)

    /// The Secure Enclave's code for an access control that can never be met again, as devices log it.
    public static let policyInvalid = -536_362_999

    /// The refusal of a signature.
    public var error: NSError {
        switch self {
        case .keychain(let status), .atLookup(let status): osStatus(status)
        case .authentication(let code): NSError(domain: localAuthentication, code: code)
        case .token(let code, let aks):
            NSError(domain: "CryptoTokenKit", code: code, userInfo: aks.map { ["AKSError": $0] } ?? [:])
        }
    }

    /// The refusal of the data of an item.
    var status: OSStatus {
        switch self {
        case .keychain(let status), .atLookup(let status): status
        case .authentication(let code): flattened(code)
        case .token(-3, _): errSecDecode
        case .token(-4, _): errSecUserCanceled
        case .token(-6, _), .token(-7, _): errSecItemNotFound
        case .token: errSecInternal
        }
    }

    /// The refusal of a reference to a key; nil where only its use is refused.
    public var lookup: OSStatus? {
        if case .atLookup(let status) = self { status } else { nil }
    }
}

public enum StandInAnswer: Sendable {
    /// The person matched with this factor.
    case matched(StandInFactor)
    /// The `LAError` code of a failed prompt; 0 for an answer of `false` without an error.
    case refused(Int)
}

/// What the field reports say of simulators. Which of the two holds depends on the version.
public enum StandInSimulator: Hashable, Sendable, CaseIterable {
    /// No key can be made that a sensor protects.
    case refusesKeys
    /// Items and keys open without a prompt, and with any application password.
    case opensEverything
}

/// The state of a device, as its operating system knows it.
public struct StandInFacts: Sendable {
    /// Whether the device was unlocked since it started.
    public var isReadable = true
    /// The number of the passcode; nil if there is none.
    public var passcode: Int?
    /// The number of the set of enrolled faces or fingers; nil if none is enrolled.
    public var enrolment: Int?
    /// The `LAError` code of a sensor that cannot be asked; nil if it can.
    public var obstacle: Int?
    /// Whether the person denied the sensor to this app.
    public var isDenied = false
    /// The raw value of `LABiometryType`.
    public var sensor = 0
    public var isLockedOut = false
    /// Whether a use without a prompt reports why the sensor cannot be asked, rather than that it may not be asked. It
    /// is not known which of them comes first.
    public var obstacleComesFirst = false
    /// Whether the lid covers the built-in sensor.
    public var isCovered = false
    /// The system's value for the enrolled set.
    public var stateHash: Data?
    /// The refusal of an item that a change of the enrolled set has invalidated.
    public var dead = StandInRefusal.keychain(errSecAuthFailed)
    /// Whether a key that such a change has invalidated asks for its prompt like any other, and is refused only after a
    /// match.
    public var deadOnlyAfterAMatch = false
    /// The answer of a prompt for the access control of an item that such a change has invalidated; nil where it asks and
    /// matches like any other. It is not known which one a system gives.
    public var deadPrompt: StandInRefusal?
    /// Whether `deadPrompt` comes only after the person has matched, rather than without a sheet.
    public var deadPromptShowsItsSheet = false
    /// Whether the attributes of an item and of a key leave out its access control.
    public var hidesAccessControl = false
    /// Whether the attributes of a protected item need its prompt.
    public var protectsAttributes = false
    /// How the device differs, where it is a simulator; nil for a device.
    public var simulator: StandInSimulator?
    /// The refusal of a wrong application password. It is not known which one a system gives, and where.
    public var wrongPassword = StandInRefusal.keychain(errSecAuthFailed)
    /// Whether a sheet stays up after its context was invalidated, as some systems are reported to do.
    public var keepsSheets = false
    /// Whether Info.plist says why the app asks for a face. The system ends an app that asks without it.
    public var hasUsageText = true
    /// Whether a watch or another companion is nearby.
    public var hasCompanion = false
    /// The access groups that the app is entitled to; nil for any.
    public var accessGroups: Set<String>?

    public init() {}
}

/// Counts the calls of the stand-ins.
public final class StandInCalls: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    public init() {}

    public func note(_ name: String) { lock.withLock { counts[name, default: 0] += 1 } }
    public func callAsFunction(_ name: String) -> Int { lock.withLock { counts[name, default: 0] } }
    public var total: Int { lock.withLock { counts.values.reduce(0, +) } }
}

/// The facts of an `LAContext` that the keychain and the keys use.
public protocol StandInContext: AnyObject {
    var standInShown: Set<StandInFactor> { get }
    var standInMayAsk: Bool { get }
    var standInIsOver: Bool { get }
    var standInPassword: Data? { get }
    /// Notes the factor that the person showed at a prompt of the keychain or of a key.
    func standInShows(_ factor: StandInFactor)
}

extension SecAccessControl {
    /// Whether the factors that were shown to a context are enough.
    func isMet(by context: (any StandInContext)?) -> Bool {
        let shown = context?.standInIsOver == true ? [] : context?.standInShown ?? []
        var terms: [Bool] = []
        if standInFlags.contains(.userPresence) { terms.append(!shown.isEmpty) }
        if !standInFlags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]) { terms.append(shown.contains(.biometry)) }
        if standInFlags.contains(.devicePasscode) { terms.append(shown.contains(.passcode)) }
        if terms.isEmpty { return true }
        return standInFlags.contains(.or) ? terms.contains(true) : terms.allSatisfy { $0 }
    }

    /// The factor to ask for.
    var factor: StandInFactor {
        if standInFlags.contains(.userPresence) || standInFlags.isSuperset(of: [.or, .devicePasscode]) { return .either }
        return standInFlags.contains(.devicePasscode) ? .passcode : .biometry
    }

    /// Shows a prompt if one is needed. Returns nil if the item may be used, otherwise an `LAError` code.
    func refusal(_ context: (any StandInContext)?, on device: any StandInDevice) -> Int? {
        if let context, context.standInIsOver { return -10 }
        if device.facts.simulator == .opensEverything { return nil }
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
