public import Foundation
import Synchronization
public import StubSecurity

/// A context of the device that belongs to the task that makes the context.
open class LAContext: NSObject, StandInContext {
    private let device: any StandInDevice = StandIns.current
    private let state = Mutex(State())

    private struct State {
        var shown: Set<StandInFactor> = []
        var isOver = false
        var password: Data?
        var pending: (@Sendable () -> Void)?
    }

    public override init() {
        super.init()
        device.calls.note("LAContext")
    }

    open var localizedReason = ""
    open var localizedCancelTitle: String?
    open var localizedFallbackTitle: String?
    open var interactionNotAllowed = false
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval = 0
    open private(set) var biometryType = LABiometryType.none

    open var domainState: LADomainState { LADomainState(device.facts) }

    // MARK: Checks without a prompt

    @discardableResult
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        device.calls.note("canEvaluatePolicy")
        biometryType = LABiometryType(rawValue: device.facts.sensor) ?? .none
        guard let code = obstacle(to: policy) else { return true }
        error?.pointee = laError(code)
        return false
    }

    private func obstacle(to policy: LAPolicy) -> Int? {
        if state.withLock({ $0.isOver }) { return -10 }
        let facts = device.facts
        switch policy {
        case .deviceOwnerAuthenticationWithBiometrics: return facts.obstacle
        case .deviceOwnerAuthentication: return facts.passcode == nil ? -5 : nil
        case .deviceOwnerAuthenticationWithCompanion: return facts.hasCompanion ? nil : -11
        case .deviceOwnerAuthenticationWithBiometricsOrCompanion: return facts.hasCompanion ? nil : facts.obstacle
        }
    }

    // MARK: Prompts

    @discardableResult
    nonisolated(nonsending) open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        device.calls.note("evaluatePolicy")
        if let code = obstacle(to: policy) { throw laError(code) }
        switch policy {
        case .deviceOwnerAuthentication: return try await ask(.either, localizedReason)
        default: return try await ask(.biometry, localizedReason)
        }
    }

    @discardableResult
    nonisolated(nonsending) open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String
    ) async throws -> Bool {
        device.calls.note("evaluateAccessControl")
        if state.withLock({ $0.isOver }) { throw laError(-10) }
        let flags = accessControl.standInFlags
        let facts = device.facts
        let wantsBiometry = !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet])
        if wantsBiometry, let obstacle = facts.obstacle, !flags.contains(.or) { throw laError(obstacle) }
        if flags.contains(.devicePasscode) || flags.contains(.userPresence), facts.passcode == nil { throw laError(-5) }
        if flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet, .devicePasscode, .userPresence]) { return true }
        let factor: StandInFactor =
            flags.contains(.userPresence) || flags.contains(.or) ? .either : wantsBiometry ? .biometry : .passcode
        guard let set = accessControl.standInSet, set != facts.enrolment, let refusal = facts.deadPrompt else {
            return try await ask(factor, localizedReason, flags, operation, set: accessControl.standInSet)
        }
        // The access control belongs to an enrolled set that is no longer there.
        if facts.deadPromptShowsItsSheet { _ = try await ask(factor, localizedReason, flags, operation, set: set) }
        throw refusal.error
    }

    nonisolated(nonsending) private func ask(
        _ factor: StandInFactor, _ reason: String, _ flags: SecAccessControlCreateFlags? = nil,
        _ operation: LAAccessControlOperation? = nil, set: Int? = nil
    ) async throws -> Bool {
        precondition(!reason.isEmpty, "NSInvalidArgumentException: an empty reason")
        let facts = device.facts
        let needsText = facts.sensor == LABiometryType.faceID.rawValue || facts.sensor == LABiometryType.opticID.rawValue
        if factor != .passcode, needsText, !facts.hasUsageText {
            device.calls.note("the system ended the app")
            throw laError(-1)
        }
        // A factor that was shown to this context is not asked for again while the context lives.
        if state.withLock({ $0.shown.contains(factor) || (factor == .either && !$0.shown.isEmpty) }) { return true }
        if interactionNotAllowed { throw laError(-1004) }
        let words = StandInWords(
            reason: reason, cancelTitle: localizedCancelTitle, fallbackTitle: localizedFallbackTitle,
            reuse: touchIDAuthenticationAllowableReuseDuration, flags: flags, operation: operation?.rawValue, set: set)
        let device = device
        // A task of its own, which `invalidate()` can end from outside.
        let prompt = Task(executorPreference: StandIns.executor) { await device.prompt(factor, words) }
        state.withLock { $0.pending = { prompt.cancel() } }
        let answer = await withTaskCancellationHandler {
            await prompt.value
        } onCancel: {
            // Cancelling a task that waits for Apple's reply has no effect: only `invalidate()` ends the prompt.
        }
        let isOver = state.withLock { state in
            state.pending = nil
            return state.isOver
        }
        if isOver, !device.facts.keepsSheets { throw laError(-9) }
        switch answer {
        case .matched(let shown):
            standInShows(shown)
            return true
        case .refused(0): return false
        case .refused(let code): throw laError(code)
        }
    }

    open func invalidate() {
        device.calls.note(interactionNotAllowed ? "invalidate a silent context" : "invalidate")
        let pending = state.withLock { state in
            state.isOver = true
            state.shown = []
            defer { state.pending = nil }
            return state.pending
        }
        if !device.facts.keepsSheets { pending?() }
    }

    // MARK: Credentials

    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        guard type == .applicationPassword else { return false }
        state.withLock { $0.password = credential }
        return true
    }

    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        type == .applicationPassword && state.withLock { $0.password != nil }
    }

    // MARK: For the keychain

    public var standInShown: Set<StandInFactor> { state.withLock { $0.shown } }
    public var standInMayAsk: Bool { !interactionNotAllowed }
    public var standInIsOver: Bool { state.withLock { $0.isOver } }
    public var standInPassword: Data? { state.withLock { $0.password } }
    public func standInShows(_ factor: StandInFactor) { state.withLock { _ = $0.shown.insert(factor) } }
}

@available(*, unavailable) extension LAContext: @unchecked Sendable {}

/// The system's facts about the enrolled set (iOS 18).
public final class LADomainState: NSObject {
    public let biometry: LADomainStateBiometry
    public var stateHash: Data? { biometry.stateHash }

    init(_ facts: StandInFacts) { biometry = LADomainStateBiometry(facts) }
}

public final class LADomainStateBiometry: NSObject {
    public let biometryType: LABiometryType
    public let stateHash: Data?

    init(_ facts: StandInFacts) {
        biometryType = LABiometryType(rawValue: facts.sensor) ?? .none
        stateHash = facts.stateHash
    }
}

/// The state of the device, readable without a prompt (iOS 18, macOS 15, visionOS 2).
public final class LAEnvironment: NSObject {
    public static var currentUser: LAEnvironment { LAEnvironment() }
    public var state: State { State(StandIns.current.facts) }

    public struct State {
        public let biometry: Biometry?
        public let userPassword: UserPassword?

        init(_ facts: StandInFacts) {
            StandIns.current.calls.note("LAEnvironment")
            biometry = facts.sensor == 0 ? nil : Biometry(facts)
            userPassword = UserPassword(isSet: facts.passcode != nil)
        }
    }

    public struct UserPassword {
        public let isSet: Bool
    }

    public struct Biometry {
        public let isUsable: Bool
        public let isEnrolled: Bool
        public let isLockedOut: Bool
        public let stateHash: Data
        public let biometryType: LABiometryType
        public let builtInSensorInaccessible: Bool

        init(_ facts: StandInFacts) {
            isUsable = facts.obstacle == nil
            isEnrolled = facts.enrolment != nil
            isLockedOut = facts.isLockedOut
            stateHash = facts.stateHash ?? Data()
            biometryType = LABiometryType(rawValue: facts.sensor) ?? .none
            builtInSensorInaccessible = facts.isCovered
        }
    }
}

@available(*, unavailable) extension LAEnvironment: @unchecked Sendable {}
