public import ThumbturnCore

extension DevicePlatform {
    /// Switches the sensor off for every account and every vault over this place, for a person who may be forced to use it: one
    /// gesture, for example a button or a shortcut.
    ///
    /// It does for each of them what `Authenticator.requireStrongerRungNextTime()` and `Vault.requireStrongerRungNextTime()` do
    /// for one, also for those that no object names now: silent, offline, in every process that shares the place, and until a
    /// stronger rung of theirs has succeeded. Every earlier success is worthless, every `AppLockModel` locks, and every vault that
    /// is open in this process closes. A vault that only the sensor opens would never open again; it gets the longest pause instead.
    ///
    /// - Throws: `platform` if it cannot be written down: then the sensor is still on.
    public func requireStrongerRungEverywhere() async throws(Failure) {
        prompts.dismissEveryone()
        // What succeeded while it was being written is void as well.
        defer { prompts.dismissEveryone() }
        try await SensorSwitchFile.turnOffAll(on: self)
    }

    /// Makes every earlier success on this platform worthless, as an `AppLockModel` does when it locks.
    package func lockNow() { prompts.voidEverything() }
}
