import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// Every lockout under every preset on every device: the screen says what lifts it, and the button beside the text works.
@MainActor @Suite struct LockoutMatrixTests {
    enum Cause: CaseIterable {
        case system, systemForAWhile, requiredByTheApp, countedHere, paused
    }

    enum Device: CaseIterable {
        case everything, withoutPIN, withoutSignIn

        var hasPIN: Bool { self != .withoutPIN }
    }

    static let policies: [UnlockPolicy] = [.unlock, .sensitiveScreen, .highRisk, .transaction]

    @Test(arguments: Cause.allCases, Device.allCases)
    func theTextIsTrueAndItsButtonWorks(_ cause: Cause, _ device: Device) async throws {
        for policy in Self.policies { try await check(cause, device, policy) }
    }

    @Test func anUnlockOfTheAppForgivesNothingThatAPaymentCounted() async throws {
        let world = try SignInWorld(.iPhone(.face), hasPIN: true)
        try await world.clock.run(mainActorToo: true) { @MainActor in
            try await world.auth.enrol(with: World.signIn)
            try await Self.bring(about: .countedHere, world, world.auth, .highRisk)
            expect(try await world.auth.authenticate("Unlock Acme").rung, is: .biometric)
            #expect(await world.auth.readiness(for: .highRisk).biometry == .lockedOut(.untilStrongerRung))
            expect(try await world.auth.authenticate("Unlock Acme", startingAt: .appPIN).rung, is: .appPIN)
            #expect(await world.auth.readiness(for: .highRisk).biometry == .lockedOut(.untilStrongerRung))
            expect(try await world.auth.authenticate("Pay", policy: .highRisk).rung, is: .fullCredentials)
            #expect(await world.auth.readiness(for: .highRisk).biometry == .ready)
        }
    }

    private func check(_ cause: Cause, _ device: Device, _ policy: UnlockPolicy) async throws {
        var (model, policy) = (SimulatedPhone.Model.iPhone(.face), policy)
        if cause == .systemForAWhile { (model.triesToPause, model.pause, model.triesToLockout) = (5, .seconds(30), nil) }
        // A pause before a strict policy's limit.
        if cause == .paused { policy.delays.burst = 2 }
        let world = try SignInWorld(model, hasPIN: device.hasPIN)
        let auth =
            device == .withoutSignIn
            ? try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: world.server)) : world.auth
        try await world.clock.run(mainActorToo: true) { @MainActor in
            try await auth.enrol(with: World.signIn)
            try await Self.bring(about: cause, world, auth, policy)
            var readiness = await auth.readiness(for: policy)
            let obstacle = try #require(readiness.obstacle(to: .biometric), "\(cause), \(policy)")
            let message = cause == .paused ? readiness.biometry.message : obstacle.message
            let way = readiness.usableRungs.first { $0 != .fullCredentials } ?? .fullCredentials
            #expect(message?.key == Self.text(cause, way), "\(cause), \(device), \(policy.ladder): \(obstacle.message)")

            // The way that the ladder goes on with: it lets the person in, and lifts what it says it lifts.
            let screen = UnlockScreen(for: auth, reason: "Unlock Acme", policy: policy, purpose: .payment)
            let shown = Task(executorPreference: world.clock.executor) { await screen.appear() }
            await world.wait(.milliseconds(1))
            #expect(screen.buttons.contains { $0.words == way.button }, "\(cause), \(device), \(policy.ladder)")
            screen.press(.ask)
            await world.wait(.seconds(1))
            if way == .fullCredentials, device == .withoutSignIn {
                guard case .stopped(let failure) = screen.stage else { Issue.record("\(screen.stage)"); return }
                #expect(failure.code == .paused || failure.recovery == .signInAgain)
                // The app's own sign-in.
                _ = try await auth.signIn(with: World.signIn)
            } else {
                #expect(screen.stage == .unlocked && screen.answered?.rung == way, "\(cause), \(device), \(policy.ladder)")
            }
            shown.cancel()
            await shown.value
            // The system's own lockout ends with the passcode, or with time: what the text says.
            if cause == .system { world.phone.unlockWithPasscode() }
            if cause == .systemForAWhile { world.clock.advance(by: .seconds(30)) }
            readiness = await auth.readiness(for: policy)
            #expect(readiness.biometry == .ready, "\(cause), \(device), \(policy.ladder)")
        }
    }

    private static func text(_ cause: Cause, _ way: Rung) -> MessageKey {
        switch (cause, way) {
        case (.systemForAWhile, _), (.paused, _): .sensorRestsFor
        case (_, .devicePasscode): .sensorRestsUsePasscode
        case (.system, .appPIN): .sensorRestsUsePIN
        case (.system, _): .sensorRestsSignIn
        case (_, .appPIN): .sensorRestsUntilPIN
        case (.requiredByTheApp, _), (.countedHere, _): .sensorRestsUntilSignIn
        }
    }

    private static func bring(
        about cause: Cause, _ world: SignInWorld, _ auth: Authenticator, _ policy: UnlockPolicy
    ) async throws {
        var once = policy
        once.mismatchLimit = 1
        /// A stranger, who leaves at the next rung, and in between a person who unlocks the phone.
        func miss(_ times: Int, every pause: Duration = .zero) async {
            for _ in 0..<times {
                world.phone.next(.noMatch, .cancel)
                world.phone.pins(.cancel)
                world.screen.next(.cancel)
                _ = try? await auth.authenticate("Unlock Acme", policy: once)
                world.phone.forgetActs()
                world.phone.forgetPINs()
                world.screen.forgetActs()
                world.phone.unlockWithPasscode()
                world.clock.advance(by: pause)
            }
        }
        switch cause {
        case .system, .systemForAWhile:
            for _ in 0..<5 {
                world.phone.next(.noMatch, .noMatch, .noMatch, .cancel)
                _ = try? await auth.authenticate("Unlock Acme", policy: UnlockPolicy(ladder: [.biometric]))
                world.phone.forgetActs()
            }
        case .requiredByTheApp: try await auth.requireStrongerRungNextTime()
        case .countedHere: await miss(policy.delays.limit, every: .seconds(300))
        case .paused: await miss(2)
        }
    }
}
