import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// The whole device library on every model: an honest person always gets in.
@Suite struct SimulatedPhoneStoryTests {
    typealias Model = SimulatedPhone.Model

    @Test("a person enrols and signs in on every model", arguments: Model.catalogue)
    func everyModel(_ model: Model) async throws {
        let world = try World(model, hasPIN: true)
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            let readiness = await world.auth.readiness()
            #expect(readiness.isEnrolled)
            let rung = try await world.auth.authenticate("Unlock").rung
            #expect(rung == (model.isStrong ? .biometric : .devicePasscode))
        }
    }

    @Test(
        "after a lockout the next rung is asked, and the passcode brings the sensor back",
        arguments: [Model.iPhone(.face), .iPhone(.finger), .android()])
    func lockout(_ model: Model) async throws {
        try await World.enrolled(model) { world in
            let tries = model.triesToPause ?? model.triesToLockout ?? 0
            for _ in 0..<tries {
                world.phone.next(.tryInVain, .cancel)
                _ = await failure { _ = try await world.auth.authenticate("Unlock") }
                world.phone.forgetActs()
                // The library's own delays are tested elsewhere.
                world.clock.advance(by: .seconds(1000))
            }
            if model.triesToPause != nil {
                #expect(await world.auth.readiness().biometry != .unavailable)
            } else {
                #expect(await world.auth.readiness().biometry == .lockedOut(.untilPasscode))
                expect(try await world.auth.authenticate("Unlock").rung, is: .devicePasscode)
            }
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("before the first unlock a person is not reported as signed out (pain 32)", arguments: [Model.iPhone(), .android()])
    func notYetReadable(_ model: Model) async throws {
        try await World.enrolled(model) { world in
            world.phone.reboot()
            let readiness = await world.auth.readiness()
            for kind in KeyKind.allCases { #expect(readiness.state(of: kind) == .notYetReadable) }
            await expectFailure(.notYetReadable) { _ = try await world.auth.authenticate("Unlock") }
            await expectFailure(.notYetReadable) { try await world.auth.enrol(with: World.signIn) }
            world.phone.unlockWithPasscode()
            // No wait of the former boot is waited for in this one.
            let asked = world.clock.now
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(asked.duration(to: world.clock.now) < .seconds(1))
        }
    }

    @Test("a phone restored from a backup is not enrolled, whatever was restored beside the keys (pain 31)") func restored()
        async throws
    {
        try await World.enrolled(.iPhone()) { world in
            world.phone.restore(world.phone.backup())
            #expect(await world.auth.readiness().isEnrolled == false)
            #expect(await failure { _ = try await world.auth.authenticate("Unlock") } != nil)
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("a vault opens on every model", arguments: Model.catalogue)
    func vaults(_ model: Model) async throws {
        let world = try World(model)
        let vault = Vault(named: "notes", platform: world.phone.platform(), access: .userPresence)
        try await world.clock.run {
            try await vault.unlocked("Open") { try await $0.save(SecretBytes([1]), as: "a") }
            world.phone.enrolNewFace()
            let kept = try await vault.unlocked("Open") { try await $0.read("a") }
            #expect(kept?.bytes == [1])
            world.phone.reboot()
            if model.hasPasscode {
                await expectFailure(.notYetReadable) { try await vault.unlocked("Open") { _ in } }
                world.phone.unlockWithPasscode()
            }
            try await vault.unlocked("Open") { _ in }
        }
    }

    @Test("a face is not asked again before the system accepts it (pain 21)") func coolDown() async throws {
        var model = Model.iPhone()
        model.coolDown = .milliseconds(300)
        try await World.enrolled(model) { world in
            for _ in 1...3 { expect(try await world.auth.authenticate("Unlock").rung, is: .biometric) }
        }
    }

    @Test("people of all paces get in, each seed its own", arguments: UInt64(1)...20) func paces(_ seed: UInt64) async throws {
        try await World.enrolled(.iPhone()) { world in
            world.phone.answerTimes(median: .seconds(6), spread: 0.8, seed: seed)
            let start = world.clock.now
            let rung = try await world.auth.authenticate("Unlock").rung
            #expect(rung == .biometric || start.duration(to: world.clock.now) >= .seconds(12), "seed \(seed)")
        }
    }

    @Test("Android: a restored phone can be enrolled again (pain 30)") func sealed() async throws {
        try await World.enrolled(.android()) { world in
            try await world.auth.answerBiometricOffer(.notNow)
            world.phone.restore(world.phone.backup())
            #expect(await world.auth.readiness().isEnrolled == false)
            try await world.auth.enrol(with: World.signIn)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    @Test("the screen shows a poor reading, and the same prompt goes on") func poorReading() async throws {
        try await World.enrolled(.linux) { world in
            world.phone.next(.readPoorly(.tooShort), .match)
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
            #expect(world.news.all.contains(.readPoorly(.tooShort)))
        }
    }
}
