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
    private let advice = FirstPromptAdvice()

    /// Creates a sensor for the keys and vaults of one place.
    ///
    /// - Parameters:
    ///   - place: the place of the vaults. The sensor reads there what each vault's secret is protected with.
    ///   - language: the language of the button that leads to another rung; the system writes the rest of the sheet.
    ///   - deviceUnlockReuse: how long after a face or finger has unlocked the device a vault opens without another
    ///     prompt, up to 300 seconds. Keys that sign for a server prompt each time: an unlocked screen never satisfies
    ///     a step-up.
    public init(
        place: KeychainPlace = KeychainPlace(),
        language: MessageLanguage = .best(of: Bundle.main.preferredLocalizations), deviceUnlockReuse: Duration = .zero
    ) {
        let system = AppleSystem()
        self.init(system, Keychain(place, on: system), language: language, deviceUnlockReuse: deviceUnlockReuse)
    }

    init(
        _ system: AppleSystem, _ keychain: Keychain? = nil, language: MessageLanguage = .english,
        deviceUnlockReuse: Duration = .zero
    ) {
        self.system = system
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
        await advice.give(on: system) { await self.kind() }
        #endif
        // The text first: reading the kind of sensor makes a context.
        if request.rung == .biometric, system.lacksReason, AppleSystem.needsReason(await self.kind()) {
            return .failed(Failure(.biometryUnavailable, recovery: .report))
        }
        let context = PromptContext(
            system, for: .init(key: request.key, message: request.isForVault ? [] : request.message, place: keychain.place))
        do throws(Failure) {
            try await context.ask(
                sheet, for: try await protection(of: request.key), operation: request.isForVault ? .useItem : .useKeySign)
            return .matched(Presence(context: context))
        } catch {
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
            try await context.ask(sheet, for: .of(.passcode, behind: .passcode), operation: .useItem)
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
        return Sheet(
            reason: request.reason, cancelTitle: title,
            reuse: request.isForVault ? TimeInterval(reuse.components.seconds) : 0)
    }

    /// The access control of the key that will be used. The prompt asks for exactly what it demands.
    private func protection(of key: KeyName) async throws(Failure) -> Guard {
        guard key.server == Vault.realm else { return .of(key.kind) }
        return try .of(await keychain.access(of: key), behind: key.kind)
    }

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

    func give(on system: AppleSystem, sensor: () async -> SensorKind?) async {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = false }
            return isDue
        }
        guard isFirst, let sentence = Diagnostics.missingFaceIDReason(system.faceIDReason(), on: await sensor()) else { return }
        system.advise(sentence)
    }
}
#endif
