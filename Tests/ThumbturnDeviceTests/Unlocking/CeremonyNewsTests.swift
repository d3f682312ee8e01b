import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// What is told of ceremonies: each call once, with its end.
@Suite struct CeremonyNewsTests {
    private static func told(_ news: [UnlockNews]) -> [String] {
        news.compactMap { news in
            switch news {
            case .began(let ceremony, number: _): "\(ceremony) began"
            case .ended(let ceremony, number: _, let code): "\(ceremony) ended: \(code?.name ?? "succeeded")"
            default: nil
            }
        }
    }

    @Test func eachCallIsToldOnceHoweverManyPromptsItShows() async throws {
        let world = try World(hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn, policy: UnlockPolicy(ladder: [.biometric, .appPIN, .fullCredentials]))
            _ = try await world.auth.authenticate("Unlock")
            _ = try await world.auth.stepUp(for: .cardDetails, reason: "Show the card")
            try await world.auth.removeBiometricKey()
            _ = try await world.auth.signIn(with: World.signIn)
            world.phone.next(.cancel)
            await expectFailure(.notEnrolled) { try await world.auth.removeBiometricKey() }
        }
        let ceremonies = ["enrolment", "unlock", "step-up", "key-change", "sign-in"]
        #expect(
            Self.told(world.news.all) == ceremonies.flatMap { ["\($0) began", "\($0) ended: succeeded"] } + [
                "key-change began", "key-change ended: notEnrolled",
            ])
    }

    /// A task that begins while news are heard works in the ceremony that told them, and its own call is none of that one's parts.
    @Test func aCallThatNewsHaveBegunIsACeremonyOfItsOwn() async throws {
        let clock = VirtualClock()
        let phone = SimulatedPhone(.plain, clock: clock)
        let news = World.News()
        let second = Mutex<(auth: Authenticator?, call: Task<Void, Never>?)>((nil, nil))
        let auth = try Authenticator(
            server: InMemoryServer.url, platform: phone.platform(transport: InMemoryServer(clock: clock))
        ) { heard in
            news.hear(heard)
            guard case .telemetry(let record) = heard, case .authenticated = record.event else { return }
            second.withLock { second in
                guard let auth = second.auth, second.call == nil else { return }
                second.call = Task(executorPreference: clock.executor) { _ = try? await auth.authenticate("Once more") }
            }
        }
        try await clock.run {
            try await auth.enrol(with: World.signIn)
            second.withLock { $0.auth = auth }
            _ = try await auth.authenticate("Unlock")
            await second.withLock { $0.call }?.value
        }
        #expect(Self.told(news.all).filter { $0 == "unlock began" }.count == 2)
        #expect(Self.told(news.all).filter { $0 == "unlock ended: succeeded" }.count == 2)
    }
}
