import ThumbturnCore

// The system's lockout of the sensor, where no other rung opens the vault.
extension Vault {
    /// Asks the sensor. Where the system has locked it out before, or does meanwhile, and no other rung opens the vault, the
    /// device passcode is asked for once: it ends the lockout and opens nothing, and then the sensor is asked again.
    func liftingLockout<Value>(
        of record: VaultRecord, for ask: RunningAsk, by start: UnlockFlow.Start,
        _ askSensor: (UnlockFlow.Start) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        do throws(Failure) {
            return try await askSensor(start)
        } catch {
            guard error.code == .lockedOut, await canLiftLockout(.lockedOut(error.kindOfLockout), of: record) else { throw error }
            try await liftLockout(for: ask)
            return try await askSensor(.tap)
        }
    }

    private func liftLockout(for ask: RunningAsk) async throws(Failure) {
        observe(.moved(from: .biometric, to: .devicePasscode, because: .lockedOut, over: policy.transition))
        let hold = try await ask.screen(on: platform)
        defer { hold.release() }
        switch await platform.prompts.liftLockout(ask.request.reason, on: platform) {
        case .matched: observe(.moved(from: .devicePasscode, to: .biometric, because: .lockedOut, over: policy.transition))
        case .notMatched: throw Failure(.notMatched)
        case .failed(let failure): throw failure
        }
    }

    func canLiftLockout(_ biometry: BiometryState, of record: VaultRecord?) async -> Bool {
        guard biometry == .lockedOut(.untilPasscode), platform.sensor.liftsLockouts, opensOnlyBySensor(record)
        else { return false }
        return await platform.sensor.isPasscodeSet()
    }
}
