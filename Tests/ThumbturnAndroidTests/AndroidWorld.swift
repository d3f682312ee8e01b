import AndroidScenarios
import Foundation
import ScenarioScript
import Synchronization
import TestSupport
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// An Android phone in virtual time: the adapter's own source over a fake system, with a simulated phone behind it.
struct AndroidWorld: Sendable {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let server: InMemoryServer
    let android: FakeAndroid

    init(
        _ model: SimulatedPhone.Model? = nil, level: Int = 35, hasSensor: Bool = true, hasPasscode: Bool = true,
        hasPIN: Bool = false
    ) {
        phone = SimulatedPhone(
            model ?? .android(api: level), clock: clock, hasSensor: hasSensor, hasPasscode: hasPasscode, hasPIN: hasPIN)
        server = InMemoryServer(clock: phone.clock)
        android = FakeAndroid(phone, level: level, clock: clock, server: server)
    }

    /// The platform as an app gets it at each start. There is no pause between two prompts, and a PIN is stretched with few
    /// rounds.
    func platform(title: String? = nil) async throws(Failure) -> DevicePlatform {
        var platform = try await DevicePlatform.android(
            over: android, pinEntry: phone.platform(transport: server).pin?.entry, title: title, clock: phone.clock, pinRounds: 10
        )
        platform.promptGap = .zero
        return platform
    }

    func authenticator(account: String = "default") async throws -> Authenticator {
        try Authenticator(server: InMemoryServer.url, account: account, platform: try await platform())
    }

    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await clock.run(body)
    }

    func sleep(_ time: Duration) async { try? await clock.sleep(until: clock.now.advanced(by: time)) }

    /// Replaces the phone by another one, which is set up from a backup of this one. It has none of the app's keys and files.
    func restoreOnAnotherPhone() {
        phone.restore(phone.backup())
        android.state.withLock { $0.keys = [:] }
        try? FileManager.default.removeItem(atPath: android.folder)
    }

    /// The handles that Java still holds.
    var handles: Int { android.state.withLock { $0.handles.count } }

    var aliases: [String] { android.state.withLock { $0.keys.keys.sorted() } }

    static let signIn = PasswordSignIn(account: "ada", password: InMemoryServer.password)
}

extension AndroidWorld: Stage {
    /// The phone that a scenario needs.
    init(for scenario: Scenario) {
        self.init(Self.model(), hasSensor: scenario.needsSensor, hasPIN: scenario.needsPIN)
    }

    func platform() async throws(Failure) -> DevicePlatform { try await platform(title: nil) }

    var prompts: Int { android.calls(.prompt) }
    var signatures: Int { android.calls(.useHandle) + android.calls(.mac) }

    func refuseNextPrompt(_ code: Int64) { android.state.withLock { $0.nextRefusal = code } }

    func breakNextSignature() {
        android.failNext(.useHandle, "java.security.SignatureException", AndroidThrown.keyStore, code: 10)
    }
}

extension KeyName {
    static func of(_ kind: KeyKind, account: String = "ada") -> KeyName {
        KeyName(server: "https://a.example", account: account, kind: kind)
    }
}
