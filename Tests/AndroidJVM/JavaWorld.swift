import AndroidScenarios
import Foundation
import ScenarioScript
import Synchronization
import TestSupport
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// An Android phone in virtual time, as Java's fake shows it through JNI.
struct JavaWorld: Stage {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let server: InMemoryServer
    let android: JavaAndroid
    /// The folder of Java's app that no backup contains.
    let folder: String

    init(
        _ model: SimulatedPhone.Model = Self.model(), level: Int = 35, hasSensor: Bool = true, hasPIN: Bool = false,
        folder: String
    ) {
        phone = SimulatedPhone(model, clock: clock, hasSensor: hasSensor, hasPasscode: true, hasPIN: hasPIN)
        server = InMemoryServer(clock: phone.clock)
        android = JavaAndroid(phone, level: level, clock: clock, server: server)
        self.folder = folder
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The phone that a scenario needs.
    init(for scenario: Scenario, folder: String) {
        self.init(hasSensor: scenario.needsSensor, hasPIN: scenario.needsPIN, folder: folder)
    }

    /// There is no pause between two prompts, and a PIN is stretched with few rounds.
    func platform() async throws(Failure) -> DevicePlatform {
        var platform = try await DevicePlatform.android(
            over: android, pinEntry: phone.platform(transport: server).pin?.entry, clock: phone.clock, pinRounds: 10)
        platform.promptGap = .zero
        return platform
    }

    var prompts: Int { android.calls(.prompt) }
    var signatures: Int { android.calls(.useHandle) + android.calls(.mac) }

    func refuseNextPrompt(_ code: Int64) { android.state.withLock { $0.nextRefusal = code } }
    func breakNextSignature() { android.state.withLock { $0.nextMatchIsVoid = true } }

    func restoreOnAnotherPhone() {
        phone.restore(phone.backup())
        android.mirror()
        JavaPhone.tell("restore-backup")
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Lets the next prompt on Java's phone do these steps by itself.
    func script(_ steps: String) {
        android.state.withLock { $0.scripted += 1 }
        JavaPhone.tell("script \(steps)")
    }
}
