import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// Restarts, backups, upgrades and reinstallations of a phone, and what is left of the app afterwards.
@Suite struct SimulatedPhoneLifeTests {
    typealias Model = SimulatedPhone.Model

    // MARK: Before the first unlock

    @Test(
        "before the first unlock everything is there and nothing can be read (AfterFirstUnlock, -25308; pain 32)")
    func prewarmed() async throws {
        let asked = Asked(.iPhone(), hasPIN: true)
        try await asked.clock.run {
            let (keys, secrets) = (asked.platform.keys, asked.platform.secrets)
            let pin = try #require(asked.platform.pin).key
            for kind in [KeyKind.session, .biometric] { _ = try await keys.create(Asked.name(kind)) }
            let (vaults, copy) = (try #require(asked.platform.vaults), Asked.name(.biometric))
            try await vaults.protect(SecretBytes([1]), as: copy, access: .biometryAny)
            let presence = try #require(await asked.prompt().presence)
            let digits = try #require(PIN("824193"))
            _ = try await pin.create(Asked.name(.pin), pin: digits)
            try await secrets.write([1], as: "token")
            asked.phone.prewarm()
            #expect(asked.phone.phase == .back)
            for kind in [KeyKind.session, .biometric, .passcode] { #expect(await asked.state(kind) == .notYetReadable) }
            #expect(await pin.state(of: Asked.name(.pin)) == .notYetReadable)
            #expect(await vaults.state(of: copy) == .notYetReadable)
            await expectFailure(.notYetReadable) { _ = try await vaults.release(copy, presence: presence) }
            await expectFailure(.notYetReadable) {
                try await vaults.protect(SecretBytes([1]), as: copy, access: .biometryAny)
            }
            let read = await failure { _ = try await secrets.read("token") }
            #expect(read?.code == .notYetReadable && read?.status?.code == -25308)
            await expectFailure(.notYetReadable) { try await secrets.write([2], as: "token") }
            await expectFailure(.notYetReadable) { try await secrets.delete("token") }
            await expectFailure(.notYetReadable) { _ = try await keys.sign([1], with: Asked.name(.session), presence: nil) }
            await expectFailure(.notYetReadable) { _ = try await keys.publicKey(of: Asked.name(.session)) }
            await expectFailure(.notYetReadable) { _ = try await keys.create(Asked.name(.session)) }
            await expectFailure(.notYetReadable) { _ = try await pin.create(Asked.name(.pin), pin: digits) }
            await expectFailure(.notYetReadable) { _ = try await pin.sign([1], with: Asked.name(.pin), pin: digits) }
            #expect(await asked.ask() == "notYetReadable", "and no prompt is shown on a lock screen (pain 18)")
            asked.phone.unlockWithPasscode()
            asked.phone.moveToFront()
            for kind in [KeyKind.session, .biometric] { #expect(await asked.state(kind) == .usable) }
            expect(try await secrets.read("token"), is: [1])
        }
    }

    @Test(
        "a restart begins monotonic time anew, wants the passcode, and keeps what there was (Platform Security guide)",
        arguments: [Model.plain, .iPhone(), .android()])
    func rebooted(_ model: Model) async throws {
        try await Asked.run(model) { asked in
            let clock = asked.platform.clock
            let (boot, civil) = (clock.boot, clock.civilTime)
            _ = try await asked.platform.keys.create(Asked.name(.biometric))
            await asked.tryInVain(5)
            asked.phone.reboot()
            #expect(clock.boot != boot && clock.now == Instant(sinceOrigin: .zero) && clock.civilTime == civil)
            #expect(await asked.state(.biometric) == .notYetReadable)
            #expect(await asked.ask() == "notYetReadable")
            asked.phone.unlockWithPasscode()
            #expect(await asked.state(.biometric) == .usable)
            #expect(await asked.ask() == "matched", "a lockout ends with the passcode that a restart demands")
            try await clock.sleep(until: clock.now.advanced(by: .seconds(3)))
            #expect(clock.now == Instant(sinceOrigin: .seconds(3)))
            let second = clock.boot
            asked.phone.reboot()
            #expect(![boot, second].contains(clock.boot))
        }
    }

    @Test("a restart takes a prompt away, and until the passcode the sensor is refused (Platform Security guide)")
    func rebootedWhilePrompting()
        async throws
    {
        try await Asked.run(.iPhone()) { asked in
            asked.phone.next(.ignore)
            async let answer = asked.ask()
            try await asked.clock.sleep(until: asked.clock.now.advanced(by: .seconds(1)))
            asked.phone.reboot()
            #expect(await answer == "cancelledBySystem")
            #expect(await asked.biometry() == .lockedOut(.untilPasscode))
        }
    }

    @Test("a restart knows nothing of the match before it") func rebootedAfterAMatch() async throws {
        var model = Model.iPhone()
        model.coolDown = .seconds(1)
        try await Asked.run(model) { asked in
            #expect(await asked.ask() == "matched")
            asked.phone.reboot()
            asked.phone.unlockWithPasscode()
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("setting the date moves neither monotonic time nor another device's date") func wallClock() {
        let clock = VirtualClock()
        let phone = SimulatedPhone(clock: clock)
        let (now, civil) = (phone.clock.now, phone.clock.civilTime)
        phone.moveWallClock(by: .seconds(-3600))
        #expect(phone.clock.civilTime == civil + .seconds(-3600) && phone.clock.now == now && clock.civilTime == civil)
    }

    // MARK: Backups

    @Test("a backup carries secrets and never keys (kSecAttrAccessible; pain 31)", arguments: [Model.plain, .linux])
    func restored(_ model: Model) async throws {
        let old = SimulatedPhone(model, hasPIN: true)
        let digits = try #require(PIN("824193"))
        _ = try await old.platform().keys.create(Asked.name(.biometric))
        _ = try await #require(old.platform().pin).key.create(Asked.name(.pin), pin: digits)
        try await old.platform().secrets.write([1], as: "token")
        let new = SimulatedPhone(model, hasPIN: true)
        new.restore(old.backup())
        expect(try await new.platform().secrets.read("token"), is: [1])
        #expect(new.keyCount == 0 && old.keyCount == 2)
        #expect(await new.platform().keys.state(of: Asked.name(.biometric)) == .missing)
        old.restore(old.backup())
        #expect(old.keyCount == 0, "also onto the same phone, which was erased")
    }

    @Test("Android: a backup carries ciphertext whose key stays behind (pain 30)") func sealed() async throws {
        let phone = SimulatedPhone(.android())
        let secrets = phone.platform().secrets
        try await secrets.write([1], as: "token")
        phone.restore(phone.backup())
        let read = await failure { _ = try await secrets.read("token") }
        #expect(read == Failure(.keyInvalidated), "it can never be read, which is not the same as not yet")
        try await secrets.write([2], as: "token")
        expect(try await secrets.read("token"), is: [2])
    }

    @Test("what is left out of a backup is missing afterwards (ThisDeviceOnly)") func leftOut() async throws {
        let phone = SimulatedPhone(.iPhone())
        try await phone.platform().secrets.write([1], as: "token")
        phone.restore(phone.backup())
        #expect(try await phone.platform().secrets.read("token") == nil)
    }

    // MARK: Installing and upgrading

    @Test("files outlive the app; on Apple and Android nothing is left (pain 30)") func reinstalled() async throws {
        for (model, survives) in [(Model.linux, true), (.iPhone(), false), (.android(), false)] {
            let phone = SimulatedPhone(model)
            let platform = phone.platform()
            _ = try await platform.keys.create(Asked.name(.session))
            try await platform.secrets.write([1], as: "token")
            phone.reinstallApp()
            #expect(await platform.keys.state(of: Asked.name(.session)) == (survives ? .usable : .missing))
            #expect(try await platform.secrets.read("token") == (survives ? [1] : nil))
        }
    }

    @Test("a prompt ends with the app that is deleted") func reinstalledWhilePrompting() async throws {
        try await Asked.run(.iPhone()) { asked in
            asked.phone.next(.ignore)
            let start = asked.clock.now
            async let answer = asked.ask()
            try await asked.clock.sleep(until: asked.clock.now.advanced(by: .seconds(1)))
            asked.phone.reinstallApp()
            #expect(await answer == "cancelledByApp")
            #expect(start.duration(to: asked.clock.now) == .seconds(1), "at once")
        }
    }

    @Test("a broken key store reports its keys as lost (pain 29)") func broken() async throws {
        let phone = SimulatedPhone(.android(), hasPIN: true)
        let platform = phone.platform()
        let digits = try #require(PIN("824193"))
        _ = try await platform.keys.create(Asked.name(.session))
        let pin = try #require(platform.pin).key
        _ = try await pin.create(Asked.name(.pin), pin: digits)
        let vaults = try #require(platform.vaults)
        try await vaults.protect(SecretBytes("s"), as: Asked.name(.passcode), access: .userPresence)
        phone.upgradeSystem()
        #expect(await vaults.state(of: Asked.name(.passcode)) == .usable)
        #expect(await platform.keys.state(of: Asked.name(.session)) == .usable, "an upgrade breaks nothing by itself")
        phone.upgradeSystem(losesKeys: true)
        #expect(await platform.keys.state(of: Asked.name(.session)) == .invalidated(.unknown))
        #expect(await pin.state(of: Asked.name(.pin)) == .invalidated(.unknown))
        #expect(await vaults.state(of: Asked.name(.passcode)) == .invalidated(.unknown))
        _ = try await platform.keys.create(Asked.name(.session))
        #expect(await platform.keys.state(of: Asked.name(.session)) == .usable)
    }

    // MARK: The mark of enrolment

    @Test("the mark changes with the set (LADomainState)") func mark() async throws {
        let phone = SimulatedPhone(.iPhone())
        let sensor = phone.platform().sensor
        let first = await sensor.enrolmentMark()
        #expect(first != nil)
        expect(await sensor.enrolmentMark(), is: first)
        phone.enrolNewFace()
        let second = await sensor.enrolmentMark()
        #expect(EnrolmentMark.change(from: first, to: second) == .changed)
        phone.removeOneFace()
        #expect(EnrolmentMark.change(from: second, to: await sensor.enrolmentMark()) == .changed)
    }

    @Test("an upgrade changes the mark though nothing was enrolled (LAContext.h; pain 11)") func upgraded()
        async throws
    {
        let phone = SimulatedPhone(.iPhone())
        let sensor = phone.platform().sensor
        let before = await sensor.enrolmentMark()
        phone.upgradeSystem()
        #expect(EnrolmentMark.change(from: before, to: await sensor.enrolmentMark()) == .afterUpgrade)
    }

    @Test("the mark differs between processes, and absence is no change (LAContext.h; pain 12)") func processes() async throws {
        let asked = Asked(.iPhone())
        try await asked.clock.run {
            let mark = await asked.platform.sensor.enrolmentMark()
            let other = await asked.phone.platform(process: "extension").sensor.enrolmentMark()
            #expect(mark != nil && other != nil && mark != other)
            await asked.tryInVain(5)
            #expect(await asked.platform.sensor.enrolmentMark() == nil, "no mark is given in a lockout")
            asked.phone.unlockWithPasscode()
            expect(await asked.platform.sensor.enrolmentMark(), is: mark)
            asked.phone.removeFaces()
            #expect(await asked.platform.sensor.enrolmentMark() == nil)
        }
    }

    @Test("Android and Linux give no mark", arguments: [Model.android(), .linux]) func noMark(_ model: Model) async {
        expect(await SimulatedPhone(model).platform().sensor.enrolmentMark(), is: nil)
    }
}
