import Synchronization
import ThumbturnCore
public import ThumbturnDevice
public import ThumbturnURLSession

/// A simulated phone: a person, a sensor that locks after mismatches, a passcode, hardware that keeps keys, and an
/// operating system with its rules, so that an app's tests meet what its users will meet.
///
///     let clock = VirtualClock()
///     let phone = SimulatedPhone(.iPhone(.face), clock: clock)
///     let auth = try Authenticator(server: url, platform: phone.platform(transport: server))
///     try await clock.run {
///         try await auth.enrol(with: PasswordSignIn(account: name, password: password))
///         phone.next(.noMatch, .match)
///         _ = try await auth.authenticate("Unlock Acme")
///         phone.enrolNewFace()
///         // The biometric key is invalidated now: the passcode is asked instead.
///         _ = try await auth.authenticate("Unlock Acme")
///     }
///
/// `next` instructs the person. What happens to the phone is a method: `enrolNewFace()`, `removePasscode()`,
/// `moveToBack()`, `reboot()`, `prewarm()`, `restore(_:)`, `reinstallApp()`, `upgradeSystem()`. How phones differ is
/// the table `Model`.
///
/// **Sources.** The rules come from the documentation, headers and published sources of Apple and of Android, and from
/// reports by users of other libraries. None of them was compared with a device. What is unknown is not modelled: how
/// long after a match a face is refused, whether any of Apple's prompts ends by itself, how often an iris may be tried.
/// A match gives one use of one key for one message on every model, as on the strictest of the platforms.
///
/// The keys are in memory without protection: this type is for tests.
public final class SimulatedPhone: Sendable {
    /// The phone's clock. It restarts with the phone, and `moveWallClock(by:)` moves its date, but not a server's.
    public var clock: any DeviceClock { phoneClock }
    let phoneClock: PhoneClock
    let state: Mutex<State>
    private let hasPIN: Bool

    /// Creates a phone with a passcode and one enrolled face or finger, as far as the model has them.
    ///
    /// - Parameters:
    ///   - model: the model of phone.
    ///   - clock: virtual in tests, so that no prompt takes real time.
    ///   - hasSensor: whether the phone has the model's sensor.
    ///   - hasPasscode: whether the phone has a passcode, where the model can have one.
    ///   - hasPIN: whether the app on the phone has a PIN of its own; see `pins`.
    public init(
        _ model: Model = .plain, clock: any DeviceClock = SystemClock(), hasSensor: Bool = true, hasPasscode: Bool = true,
        hasPIN: Bool = false
    ) {
        var model = model
        if !hasSensor { model.sensor = nil }
        phoneClock = PhoneClock(clock)
        self.hasPIN = hasPIN
        state = Mutex(
            State(model: model, faces: model.sensor == nil ? 0 : 1, hasPasscode: hasPasscode && model.hasPasscode)
        )
    }

    /// The model, with the changes that the test made.
    public var model: Model { state.withLock { $0.model } }

    /// This phone as the device library sees it.
    ///
    /// - Parameters:
    ///   - transport: the network.
    ///   - process: the process that uses the phone. Platforms of one process are one; an app and its extensions receive
    ///     different marks of enrolment, and keep each other's locks.
    public func platform(transport: any Transport = URLSessionTransport(), process: String = "app") -> DevicePlatform {
        var platform = DevicePlatform(
            sensor: PhoneSensor(phone: self, process: process), keys: PhoneKeys(phone: self), secrets: PhoneSecrets(phone: self),
            place: place(of: process), clock: clock, transport: transport, pin: hasPIN ? pinSupport : nil, vaults: vaultStore,
            phases: PhonePhases(phone: self),
            // The sheets of this phone are gone at once, except where the model has a cool-down.
            promptGap: model.coolDown
        )
        platform.deviceName = { self.name }
        platform.telemetryContext = { [model] in
            TelemetryContext(system: model.system.map { TelemetryLabel($0.rawValue) }, model: TelemetryLabel(model.name))
        }
        return platform
    }

    /// The name of the phone, as the person set it. It is how the phone is called in the account's list of devices, where the
    /// app gives it no other name.
    public var name: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// The number of prompts that were shown.
    public var promptCount: Int { state.withLock { $0.prompts } }

    /// The number of keys on the phone.
    public var keyCount: Int { state.withLock { $0.keys.count + $0.pins.keys.count } }
}
