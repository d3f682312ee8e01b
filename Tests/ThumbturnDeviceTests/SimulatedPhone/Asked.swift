import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// One phone without an app, whose ports a test calls directly.
struct Asked: Sendable {
    let clock = VirtualClock()
    let phone: SimulatedPhone
    let platform: DevicePlatform

    init(_ model: SimulatedPhone.Model, hasPasscode: Bool = true, hasPIN: Bool = false) {
        phone = SimulatedPhone(model, clock: clock, hasPasscode: hasPasscode, hasPIN: hasPIN)
        platform = phone.platform()
    }

    static func run(
        _ model: SimulatedPhone.Model, _ story: @escaping @Sendable (Asked) async throws -> Void
    ) async throws {
        let asked = Asked(model)
        try await asked.clock.run { try await story(asked) }
    }

    static func name(_ kind: KeyKind, enrolment: Int = 1) -> KeyName {
        KeyName(server: "https://a.example", account: "x", enrolment: enrolment, kind: kind)
    }

    func prompt(
        _ rung: Rung = .biometric, message: [UInt8] = [1], hearing: @escaping @Sendable (PromptNews) -> Void = { _ in }
    ) async -> PromptAnswer {
        let name = Self.name(rung.key ?? .session)
        let request = PromptRequest(rung: rung, reason: "Test", cancelButton: .cancel, key: name, message: message)
        return await platform.sensor.prompt(request, hearing: hearing)
    }

    /// How one prompt ended: `matched`, `notMatched` or the name of the failure's code.
    func ask(_ rung: Rung = .biometric) async -> String { await prompt(rung).outcome }

    /// Makes failed tries, each in a prompt of its own that is then cancelled.
    func tryInVain(_ count: Int) async {
        for _ in 0..<count {
            phone.next(.tryInVain, .cancel)
            _ = await prompt()
            phone.forgetActs()
        }
    }

    func biometry() async -> BiometryState { await platform.sensor.biometry() }
    func state(_ kind: KeyKind) async -> KeyState { await platform.keys.state(of: Self.name(kind)) }
}

extension PromptAnswer {
    var outcome: String {
        switch self {
        case .matched: "matched"
        case .notMatched: "notMatched"
        case .failed(let failure): failure.code.name
        }
    }

    var status: Failure.PlatformStatus? {
        if case .failed(let failure) = self { failure.status } else { nil }
    }

    var presence: Presence? {
        if case .matched(let presence) = self { presence } else { nil }
    }
}
