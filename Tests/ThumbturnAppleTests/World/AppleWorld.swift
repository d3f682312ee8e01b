#if STAND_INS
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

/// An Apple phone in virtual time: the adapter's own source on the stand-ins, with a simulated phone behind them.
struct AppleWorld {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let device: PhoneDevice

    init(
        _ model: SimulatedPhone.Model = .iPhone(.face), hasSensor: Bool = true, hasPasscode: Bool = true,
        hasPIN: Bool = false, _ more: @escaping @Sendable (inout StandInFacts) -> Void = { _ in }
    ) {
        phone = SimulatedPhone(model, clock: clock, hasSensor: hasSensor, hasPasscode: hasPasscode, hasPIN: hasPIN)
        device = PhoneDevice(phone, more)
    }

    /// The system as the adapter sees it, on the executor of the clock.
    var system: AppleSystem {
        let (phone, device, clock) = (phone, device, clock)
        return AppleSystem(
            executor: clock.serialExecutor, tasks: clock.executor,
            sleep: { try await clock.sleep(until: clock.now.advanced(by: $0)) },
            majorVersion: { phone.facts().mark?.systemVersion ?? 0 },
            faceIDReason: { device.facts.hasUsageText ? "To unlock Acme" : nil }, isSimulator: device.facts.simulator != nil,
            advise: { _ in })
    }

    /// Replaces the phone by another one, which is set up from a backup of this one.
    func restoreOnAnotherPhone() {
        phone.restore(phone.backup())
        device.keychain.restored()
    }

    /// Runs in virtual time, with this phone's device behind the stand-ins.
    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let result = try await StandIns.$device.withValue(device) {
            try await StandIns.$executor.withValue(clock.executor) {
                try await clock.run(body)
            }
        }
        if device.calls.total > 0 { Noted.test() }
        return result
    }
}
#endif
