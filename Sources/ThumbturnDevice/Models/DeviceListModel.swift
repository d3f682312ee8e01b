public import Observation
public import ThumbturnCore

/// The devices of the account, for a list in an app's settings: which there are, and the removal of another one, such as a lost phone.
///
///     let devices = DeviceListModel(for: auth) { device in "Remove \(device.name)" }
@MainActor @Observable public final class DeviceListModel {
    /// The devices, this one first, then the oldest first; none until `refresh()`.
    public private(set) var devices: [EnrolledDevice] = []
    /// Why the list could not be read, or a device not be changed; nil where there is nothing to say.
    public private(set) var message: PersonMessage?
    /// Whether a device is being removed, or renamed.
    public private(set) var isBusy = false

    private let read: @Sendable () async throws -> [EnrolledDevice]
    private let removing: @Sendable (EnrolledDevice) async throws -> Void
    private let renaming: @Sendable (EnrolledDevice, String) async throws -> Void
    private let sensor: @Sendable () async -> SensorName?
    @ObservationIgnored private var lastRefresh = 0

    /// Makes the list of an account.
    ///
    /// - Parameters:
    ///   - auth: the account's authenticator.
    ///   - reason: shown in the system's prompt, where the person's last proof of presence is too old for a change of this device.
    public convenience init(for auth: Authenticator, reason: @escaping @Sendable (EnrolledDevice) -> String) {
        self.init(
            sensor: { await auth.platform.sensor.name() }, devices: { try await auth.devices() },
            remove: { try await auth.remove($0, reason: reason($0)) },
            rename: { try await auth.rename($0, to: $1, reason: reason($0)) })
    }

    /// Makes a list of any devices, such as those that the app's own back end tells, or those of a preview.
    ///
    /// - Parameters:
    ///   - devices: reads the devices.
    ///   - remove: removes one.
    ///   - rename: gives one another name.
    public convenience init(
        devices: @escaping @Sendable () async throws -> [EnrolledDevice],
        remove: @escaping @Sendable (EnrolledDevice) async throws -> Void,
        rename: @escaping @Sendable (EnrolledDevice, _ name: String) async throws -> Void
    ) {
        self.init(sensor: { nil }, devices: devices, remove: remove, rename: rename)
    }

    private init(
        sensor: @escaping @Sendable () async -> SensorName?, devices: @escaping @Sendable () async throws -> [EnrolledDevice],
        remove: @escaping @Sendable (EnrolledDevice) async throws -> Void,
        rename: @escaping @Sendable (EnrolledDevice, String) async throws -> Void
    ) {
        (self.sensor, read, removing, renaming) = (sensor, devices, remove, rename)
    }

    /// Reads the list again. Call it when the screen appears. Where it cannot be read the devices of before stay.
    public func refresh() async {
        lastRefresh += 1
        let refresh = lastRefresh
        do {
            let known = try await read()
            guard refresh == lastRefresh else { return }
            devices = known.filter(\.isCurrent) + known.filter { !$0.isCurrent }
            message = nil
        } catch {
            let words = await words(for: Failure(thrownByApp: error))
            if refresh == lastRefresh { message = words }
        }
    }

    /// Forgets the devices, for example when the person signs out. A reading that is under way brings nothing back.
    public func forget() {
        lastRefresh += 1
        (devices, message) = ([], nil)
    }

    /// Removes another device, after the person confirmed it. This one is removed by `Authenticator.revoke()`.
    ///
    /// - Parameter device: one of `devices`.
    public func remove(_ device: EnrolledDevice) async {
        guard !device.isCurrent else { return }
        await change { [removing] in try await removing(device) }
    }

    /// Gives a device another name.
    ///
    /// - Parameters:
    ///   - device: one of `devices`.
    ///   - name: 1 to 64 characters in one line.
    public func rename(_ device: EnrolledDevice, to name: String) async {
        await change { [renaming] in try await renaming(device, name) }
    }

    /// Changes a device, one at a time, and reads the list again.
    private func change(_ act: () async throws -> Void) async {
        guard !isBusy else { return }
        isBusy = true
        defer { isBusy = false }
        do {
            try await act()
            await refresh()
        } catch {
            await refresh()
            message = await words(for: Failure(thrownByApp: error))
        }
    }

    private func words(for failure: Failure) async -> PersonMessage { failure.message.naming(await sensor()) }
}
