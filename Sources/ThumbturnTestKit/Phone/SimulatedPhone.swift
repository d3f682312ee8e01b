import Synchronization
import ThumbturnCore
public import ThumbturnDevice

/// A model of a phone: a person, a sensor that locks after mismatches, a passcode, hardware that keeps keys, and an operating system
/// with its manners. It follows the rules of that system, so an app's tests meet what its users will meet.
///
///     let clock = VirtualClock()
///     let phone = SimulatedPhone(.iPhone(.face), clock: clock)
///     let auth = try Authenticator(server: url, platform: phone.platform(transport: server))
///     try await clock.run {
///         try await auth.enrol(with: PasswordSignIn(account: name, password: password))
///         phone.next(.noMatch, .match)
///         _ = try await auth.authenticate("Unlock Acme")
///         phone.enrolNewFace()
///         // The biometric key is dead now: the passcode is asked instead.
///         _ = try await auth.authenticate("Unlock Acme")
///     }
///
/// What the person does comes from `next`. What happens to the phone is a method: `enrolNewFace()`, `removePasscode()`, `moveToBack()`,
/// `reboot()`, `prewarm()`, `restore(_:)`, `reinstallApp()`, `upgradeSystem()`. How phones differ is the table `Model`.
///
/// **What it rests on.** The rules come from the documentation, headers and published sources of Apple and of Android, and from what
/// users of other libraries report. None of them was compared with a device. What is not known is not modelled: how long after a match
/// a face is refused, whether any prompt of Apple's ends by itself, how often an iris may be tried. A match gives one use of one key
/// for one message on every model, as on the strictest of the platforms.
///
/// The keys are in memory and nothing protects them: this is for tests.
public final class SimulatedPhone: Sendable {
    /// The phone's clock. It restarts with the phone, and `moveWallClock(by:)` moves its date and no server's.
    public var clock: any DeviceClock { phoneClock }
    let phoneClock: PhoneClock
    let state: Mutex<State>
    private let hasPIN: Bool

    /// A phone with a passcode and one enrolled face or finger, as far as the model has them.
    ///
    /// - Parameters:
    ///   - model: whose rules it follows.
    ///   - clock: virtual in tests, so that no prompt takes real time.
    ///   - hasSensor: whether it has the model's sensor.
    ///   - hasPasscode: whether it has a passcode, where the model can have one.
    ///   - hasPIN: whether the app on it has a PIN of its own; see `pins`.
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

    /// The model, with what was changed about it.
    public var model: Model { state.withLock { $0.model } }

    /// This phone as the device library sees it.
    ///
    /// - Parameters:
    ///   - transport: the network.
    ///   - process: the kind of process that asks: an app and its extensions are told different marks of enrolment.
    public func platform(transport: any Transport = URLSessionTransport(), process: String = "app") -> DevicePlatform {
        DevicePlatform(
            sensor: PhoneSensor(phone: self, process: process), keys: PhoneKeys(phone: self), secrets: PhoneSecrets(phone: self),
            clock: clock, transport: transport, pin: hasPIN ? pinSupport : nil, vaults: vaultStore,
            phases: PhonePhases(phone: self),
            // The sheets of this phone are gone at once, except where a model says otherwise.
            promptGap: model.coolDown
        )
    }

    /// How many prompts the person has seen.
    public var promptCount: Int { state.withLock { $0.prompts } }

    /// How many keys the phone holds.
    public var keyCount: Int { state.withLock { $0.keys.count + $0.pins.keys.count } }
}
