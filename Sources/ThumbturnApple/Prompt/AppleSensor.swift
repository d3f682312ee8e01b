#if canImport(LocalAuthentication) && canImport(Security)
public import Foundation
import LocalAuthentication
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// A sensor for Face ID, Touch ID, Optic ID and the device passcode.
///
/// Each prompt has a fresh `LAContext`, which afterwards opens only the key of that prompt, and only once. The state of
/// the sensor, a lockout and a denied permission are read without a prompt. The code has been checked against
/// stand-ins, not on Apple hardware.
public struct AppleSensor: Sensor {
    private let system: AppleSystem
    private let keychain: Keychain
    private let language: MessageLanguage
    private let reuse: Duration
    /// Whether the keys are in software, so that there is no item whose access control a prompt could ask for.
    private let asksByPolicy: Bool
    private let advice = FirstPromptAdvice()

    /// Creates a sensor for the keys and vaults of one place.
    ///
    /// - Parameters:
    ///   - place: the place of the vaults. The sensor reads there what each vault's secret is protected with.
    ///   - language: the language of the button that leads to another rung; the system writes the rest of the sheet.
    ///   - deviceUnlockReuse: how long after a face or finger has unlocked the device a vault opens without another
    ///     prompt, up to 300 seconds. An unlock from before an `AppLockModel` locked, or the person was dismissed, does not
    ///     count, as far as this process knows: one that has just started knows of no lock. Keys that sign for a server
    ///     prompt each time: an unlocked screen never satisfies a step-up.
    public init(
        place: KeychainPlace = KeychainPlace(),
        language: MessageLanguage = .best(of: Bundle.main.preferredLocalizations), deviceUnlockReuse: Duration = .zero
    ) {
        let system = AppleSystem()
        self.init(system, Keychain(place, on: system), language: language, deviceUnlockReuse: deviceUnlockReuse)
    }

    init(
        _ system: AppleSystem, _ keychain: Keychain? = nil, asksByPolicy: Bool = false, language: MessageLanguage = .english,
        deviceUnlockReuse: Duration = .zero
    ) {
        self.system = system
        self.asksByPolicy = asksByPolicy
        self.language = language
        self.keychain = keychain ?? Keychain(KeychainPlace(), on: system)
        reuse = min(max(deviceUnlockReuse, .zero), .seconds(300))
    }

    public func biometry() async -> BiometryState { await system.biometry() }
    public func isPasscodeSet() async -> Bool { await PromptContext(system).isPasscodeSet() }
    public func kind() async -> SensorKind? { await PromptContext(system).preflight().kind }
    public func name() async -> SensorName? { await PromptContext(system).preflight().name }
    public func enrolmentMark() async -> EnrolmentMark? { await PromptContext(system).enrolmentMark() }

    /// Shows the system's sheet. Apple's systems report neither single readings nor that the sheet is up, so
    /// `hearing` is never called.
    public func prompt(
        _ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void
    ) async -> PromptAnswer {
        // A key without user verification would match without a prompt.
        guard let kind = request.rung.key, kind == request.key.kind, [.biometric, .passcode].contains(kind) else {
            return .failed(Failure(.platform))
        }
        guard let sheet = await sheet(for: request) else { return .failed(Failure(.reasonMissing)) }
        #if DEBUG
        await advice.give(on: system, isOfSimulators: !asksByPolicy) { await self.kind() }
        #endif
        // The text first: reading the kind of sensor makes a context.
        if request.rung == .biometric, system.lacksReason, AppleSystem.needsReason(await self.kind()) {
            return .failed(Failure(.biometryUnavailable, recovery: .report))
        }
        let context = PromptContext(
            system, for: .init(key: request.key, message: request.isForVault ? [] : request.message, place: keychain.place))
        do throws(Failure) {
            try await context.ask(sheet, for: try await demand(of: request))
            return .matched(Presence(context: context))
        } catch {
            if let end = await deadKey(error, request) { return .failed(end) }
            return error.code == .notMatched ? .notMatched : .failed(await explained(error))
        }
    }

    /// Always true: the passcode ends Apple's lockout of the sensor.
    public var liftsLockouts: Bool { true }

    /// Shows the system's sheet for the passcode, with a context that opens nothing.
    public func liftLockout(_ reason: String) async -> PromptAnswer {
        guard let sheet = Sheet(reason: reason, cancelTitle: nil, reuse: 0) else { return .failed(Failure(.reasonMissing)) }
        let context = PromptContext(system)
        do throws(Failure) {
            try await context.ask(sheet, for: .access(try .of(.passcode, behind: .passcode)))
            await context.end()
            return .matched(Presence(context: ()))
        } catch {
            return .failed(error)
        }
    }

    private func sheet(for request: PromptRequest) async -> Sheet? {
        let title: String? =
            switch request.cancelButton {
            case .cancel: nil
            case .use(.biometric): Rung.biometric.button.naming(await name()).text(in: language)
            case .use(let rung): rung.button.text(in: language)
            }
        return Sheet(reason: request.reason, cancelTitle: title, reuse: reusableUnlock(for: request))
    }

    /// How many seconds ago the device may have been unlocked. Rounded down: an unlock from before a lock does not count.
    private func reusableUnlock(for request: PromptRequest) -> TimeInterval {
        guard request.isForVault else { return 0 }
        return TimeInterval(min(reuse, max(request.deviceUnlockMaximumAge ?? reuse, .zero)).components.seconds)
    }

    /// What the prompt asks for: exactly what the key or the item that will be used demands. With software keys there is no item, and
    /// the policy for the passcode also takes a face and, on a Mac, a watch: what they prove counts in development only.
    private func demand(of request: PromptRequest) async throws(Failure) -> Demand {
        guard !asksByPolicy else {
            return .policy(
                request.rung == .biometric ? .deviceOwnerAuthenticationWithBiometrics : .deviceOwnerAuthentication)
        }
        let key = request.key
        guard request.isForVault else { return .key(.of(key.kind)) }
        let guarded = try Guard.of(await keychain.access(of: key), behind: key.kind)
        return (try? await keychain.protectedItem(key)).flatMap { $0 }.map { .item($0, guarded) } ?? .access(guarded)
    }

    /// The failure of a prompt that was refused because its key is dead; nil for every other failure. It is not known what
    /// a prompt for the access control of such a key answers: it may match, or be refused with or without a sheet, even as
    /// if the person had not matched. Only a sensor that is ready can be refused for the sake of a key.
    private func deadKey(_ failure: Failure, _ request: PromptRequest) async -> Failure? {
        guard request.rung == .biometric, !asksByPolicy, let status = failure.status.map({ AppleStatus($0) }),
            !Self.endings.contains(failure.code)
        else { return nil }
        let biometry = await biometry()
        guard status.isOfADeadKey || biometry == .ready else { return nil }
        let key = request.key
        if status.isRefusal { return status.failure(of: key.kind, biometry: biometry) }
        let state = request.isForVault ? await keychain.state(ofSecret: key) : await keychain.state(ofKey: key)
        guard case .invalidated = state else { return nil }
        return Failure(.keyInvalidated, status: failure.status)
    }

    /// The ends of a prompt that say nothing about its key.
    private static let endings: Set<Failure.Code> = [.cancelledByUser, .cancelledBySystem, .cancelledByApp, .lockedOut]

    /// Replaces "not available", which has several causes, by the cause that the state of the sensor shows.
    private func explained(_ failure: Failure) async -> Failure {
        guard failure.code == .biometryUnavailable, var obstacle = await biometry().obstacle else { return failure }
        obstacle.status = failure.status
        return obstacle
    }
}

extension PromptRequest {
    fileprivate var isForVault: Bool { key.server == Vault.realm }
}

/// Reports once, before the first prompt of a debug build, what would make the system refuse it.
private final class FirstPromptAdvice: Sendable {
    private let isDue = Mutex(true)

    /// - Parameter isOfSimulators: whether the keys are those of the Secure Enclave, which a simulator does not have.
    func give(on system: AppleSystem, isOfSimulators: Bool, sensor: () async -> SensorKind?) async {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
        guard isFirst else { return }
        if system.isSimulator, isOfSimulators { system.advise(AppleSystem.ofSimulators) }
        guard let sentence = Diagnostics.missingFaceIDReason(system.faceIDReason(), on: await sensor()) else { return }
        system.advise(sentence)
    }
}
#endif
