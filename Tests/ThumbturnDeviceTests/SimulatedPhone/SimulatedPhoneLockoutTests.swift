import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// The lockouts of the operating systems. Each test names the text of Apple's or Android's that has its rule.
@Suite struct SimulatedPhoneLockoutTests {
    @Test("Apple: five tries in a row lock until the passcode (LAPolicy)", arguments: [SensorKind.face, .finger, .iris])
    func five(_ sensor: SensorKind) async throws {
        try await Asked.run(.iPhone(sensor)) { asked in
            await asked.tryInVain(4)
            #expect(await asked.biometry() == .ready)
            asked.phone.next(.tryInVain)
            #expect(await asked.ask() == "lockedOut", "the fifth ends its prompt")
            #expect(await asked.biometry() == .lockedOut(.untilPasscode))
            asked.clock.advance(by: .seconds(100_000))
            #expect(await asked.biometry() == .lockedOut(.untilPasscode), "time does not end it")
            #expect(await asked.ask(.devicePasscode) == "matched")
            #expect(await asked.biometry() == .ready, "the passcode ends it")
        }
    }

    @Test("Apple: each try in a sheet counts, though the sheet is reported as one (Platform Security guide)")
    func sheets() async throws {
        try await Asked.run(.iPhone(.finger)) { asked in
            asked.phone.next(.noMatch, .noMatch)
            #expect(await asked.ask() == "notMatched", "three tries")
            #expect(await asked.ask() == "lockedOut", "and the fifth is the second of the next sheet")
        }
        try await Asked.run(.iPhone(.face)) { asked in
            asked.phone.next(.noMatch, .noMatch, .noMatch)
            #expect(await asked.ask() == "notMatched")
            #expect(await asked.ask() == "notMatched")
            #expect(await asked.ask() == "lockedOut")
        }
    }

    @Test("Apple: a match starts the count again (LAPolicy: in a row)")
    func inARow() async throws {
        try await Asked.run(.iPhone()) { asked in
            await asked.tryInVain(4)
            #expect(await asked.ask() == "matched")
            await asked.tryInVain(4)
            #expect(await asked.biometry() == .ready)
        }
    }

    @Test("Apple: a lockout is the system's, and reaches every app (Platform Security guide)")
    func systemWide() async throws {
        try await Asked.run(.iPhone()) { asked in
            await asked.tryInVain(5)
            let other = asked.phone.platform(process: "another app")
            #expect(await other.sensor.biometry() == .lockedOut(.untilPasscode))
            asked.phone.unlockWithPasscode()
            #expect(await other.sensor.biometry() == .ready, "and the passcode entered anywhere ends it")
        }
    }

    @Test("Android: every fifth try pauses for 30 s (LockoutFrameworkImpl)")
    func timed() async throws {
        try await Asked.run(.android()) { asked in
            await asked.tryInVain(4)
            asked.phone.next(.noMatch)
            let fifth = await asked.prompt()
            #expect(fifth.outcome == "lockedOut" && fifth.status?.code == 7)
            let prompts = asked.phone.promptCount
            asked.clock.advance(by: .seconds(29))
            #expect(await asked.ask() == "lockedOut")
            #expect(asked.phone.promptCount == prompts, "no prompt is shown")
            asked.clock.advance(by: .seconds(1))
            await asked.tryInVain(4)
            asked.phone.next(.cancel)
            #expect(await asked.ask() == "cancelledByUser", "nine tries begin no lockout")
            await asked.tryInVain(1)
            #expect(await asked.ask() == "lockedOut")
        }
    }

    @Test("Android: twenty tries lock for good, until the credential (LockoutFrameworkImpl)")
    func permanent() async throws {
        try await Asked.run(.android()) { asked in
            for _ in 1...4 {
                asked.clock.advance(by: .seconds(30))
                await asked.tryInVain(5)
            }
            asked.clock.advance(by: .seconds(100_000))
            let refused = await asked.prompt()
            #expect(refused.outcome == "lockedOut" && refused.status?.code == 9)
            #expect(await asked.ask(.devicePasscode) == "matched")
            #expect(await asked.ask() == "matched")
            await asked.tryInVain(4)
            #expect(await asked.ask() == "matched", "and the count began again")
        }
    }

    @Test("Android: a credential that is right ends a pause as well (Platform Security guide)")
    func credential() async throws {
        try await Asked.run(.android()) { asked in
            await asked.tryInVain(5)
            #expect(await asked.ask(.devicePasscode) == "matched")
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("Android: canAuthenticate says nothing of a lockout; only the prompt does (BiometricManager)")
    func untold() async throws {
        try await Asked.run(.android()) { asked in
            await asked.tryInVain(5)
            #expect(await asked.biometry() == .ready)
            #expect(await asked.ask() == "lockedOut")
        }
    }

    @Test("Linux: the reader's service has no lockout") func linux() async throws {
        try await Asked.run(.linux) { asked in
            await asked.tryInVain(50)
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("a wrong passcode does not change the sensor's state") func passcode() async throws {
        try await Asked.run(.iPhone()) { asked in
            for _ in 1...5 {
                asked.phone.next(.noMatch)
                #expect(await asked.ask(.devicePasscode) == "notMatched")
            }
            #expect(await asked.biometry() == .ready)
        }
    }
}
