#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import ThumbturnCore

extension AppleSystem {
    /// The state of the sensor, by a context of its own.
    func biometry() async -> BiometryState { await PromptContext(self).preflight().state }
}

/// What can be known without asking anybody. Answers are good until the app goes to the background, so none is kept.
extension PromptContext {
    func preflight() -> Preflight {
        var error: NSError?
        let isReady = unsafe context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
        return Preflight(
            obstacle: isReady ? nil : AppleStatus(error), sensor: context.biometryType.rawValue,
            environment: system.environment?())
    }

    func isPasscodeSet() -> Bool {
        var error: NSError?
        let isReady = unsafe context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error)
        return isReady || AppleStatus(error).failure.code != .passcodeNotSet
    }

    /// The system's value for the enrolled set; nil where it gives none, which says nothing. It is read after the same policy each time,
    /// because nobody says that it is equal after another.
    func enrolmentMark() -> EnrolmentMark? {
        guard preflight().obstacle == nil, let hash = context.domainState.biometry.stateHash else { return nil }
        return EnrolmentMark(state: Array(hash), systemVersion: system.majorVersion())
    }
}
#endif
