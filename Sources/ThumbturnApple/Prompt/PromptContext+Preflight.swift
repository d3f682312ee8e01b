#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import ThumbturnCore

extension AppleSystem {
    /// The state of the sensor, read by a context of its own. The system ends an app that asks for a face without a reason
    /// in its Info.plist, in release builds too: such an app cannot use the sensor.
    func biometry() async -> BiometryState {
        let found = await PromptContext(self).preflight()
        return found.state == .ready && lacksReason && Self.needsReason(found.kind) ? .unavailable : found.state
    }

    /// Whether Info.plist does not say why the app asks for a face.
    var lacksReason: Bool { Self.isBlank(faceIDReason()) }

    static func isBlank(_ reason: String?) -> Bool { reason?.contains { !$0.isWhitespace } != true }

    /// Whether the system asks an app for its reason before it uses a sensor of this kind.
    static func needsReason(_ sensor: SensorKind?) -> Bool { sensor == .face || sensor == .iris }
}

/// The facts that need no prompt. They hold until the app goes to the background, so none is cached.
extension PromptContext {
    func preflight() -> Preflight { context.preflight(on: system) }

    func isPasscodeSet() -> Bool { context.obstacle(to: .deviceOwnerAuthentication)?.failure.code != .passcodeNotSet }

    /// The system's value for the enrolled set; nil where it gives none, which says nothing. It is read after the same
    /// policy each time, because it is not documented to be equal after another.
    func enrolmentMark() -> EnrolmentMark? {
        guard preflight().obstacle == nil, let hash = context.domainState.biometry.stateHash else { return nil }
        return EnrolmentMark(state: Array(hash), systemVersion: system.majorVersion())
    }
}

extension LAContext {
    func preflight(on system: AppleSystem) -> Preflight {
        // `biometryType` has a value only after this check.
        let obstacle = obstacle(to: .deviceOwnerAuthenticationWithBiometrics)
        return Preflight(obstacle: obstacle, sensor: biometryType.rawValue, environment: system.environment?())
    }

    /// The reason why a policy cannot be evaluated; nil if it can.
    func obstacle(to policy: LAPolicy) -> AppleStatus? {
        var error: NSError?
        return unsafe canEvaluatePolicy(policy, error: &error) ? nil : AppleStatus(error)
    }
}
#endif
