import AppCore
import Testing
import Thumbturn
import ThumbturnTestKit
import ThumbturnTestServer

/// One test for each thing that the app can do, on the real server.
@MainActor @Suite struct BankTests {
    @Test func theFirstStartTakesThePasswordOnce() async throws {
        try await World.run { world in
            #expect(await !world.bank.start())
            try await world.bank.signIn()
            #expect(try #require(await world.bank.explanation()).text(in: .english).contains("Face ID"))
            try await world.bank.answer(.setUp)
            #expect(await world.bank.start())
            #expect(await world.bank.explanation() == nil && world.passwords.count == 1)
        }
    }

    @Test func withoutBiometricsThePasswordGoesOn() async throws {
        try await World.run { world in
            try await world.bank.signIn()
            try await world.bank.answer(.notNow)
            #expect(world.phone.promptCount == 0)
            try await world.withLock {
                #expect(!world.bank.lock.isLocked && world.passwords.count == 2, "the lock asks for it by itself")
                world.bank.lock.lockNow()
                try await world.bank.signIn()
                #expect(!world.bank.lock.isLocked && world.passwords.count == 3)
            }
            #expect(await !world.bank.start())
        }
    }

    @Test func theFaceOpensTheLockAndTheTimeInTheBackgroundCloses() async throws {
        try await World.runSetUp { world in
            #expect(world.passwords.count == 1, "the face has opened it")
            let prompts = world.phone.promptCount
            world.phone.moveToBack()
            try await world.pass(.seconds(1))
            #expect(world.bank.lock.isCovered && !world.bank.lock.isLocked)
            try await world.pass(.seconds(30))
            #expect(world.bank.lock.isLocked)
            world.phone.moveToFront()
            try await world.pass(.seconds(2))
            #expect(!world.bank.lock.isLocked && world.phone.promptCount == prompts + 1)
        }
    }

    @Test("after a cancel the PIN and the password open the lock", arguments: [Rung.appPIN, .fullCredentials])
    func besideTheFace(_ rung: Rung) async throws {
        try await World.runSetUp { world in
            let (lock, pins) = (world.bank.lock, world.phone.pinRequests.count)
            world.phone.next(.cancel)
            lock.lockNow()
            lock.tap()
            try await world.pass(.seconds(2))
            #expect(lock.isLocked)
            let button = try #require(lock.buttons.first { $0.action == .askAt(rung) })
            lock.press(button.action)
            try await world.pass(.seconds(2))
            #expect(!lock.isLocked)
            #expect(world.phone.pinRequests.count == (rung == .appPIN ? pins + 1 : pins))
            #expect(world.passwords.count == (rung == .fullCredentials ? 2 : 1))
        }
    }

    @Test func theSettingsSwitchBiometricsOffAndOn() async throws {
        try await World.runSetUp { world in
            let biometrics = world.bank.biometrics
            await biometrics.refresh()
            #expect(biometrics.state == .on && biometrics.name.text(in: .english) == "Face ID")
            await biometrics.set(false)
            #expect(biometrics.state == .off && world.passwords.count == 1)
            await biometrics.set(true)
            #expect(biometrics.state == .on && world.passwords.count == 2)
        }
    }

    @Test func aStepUpIsFreshForTwoMinutes() async throws {
        try await World.runSetUp { world in
            let prompts = world.phone.promptCount
            for _ in 1...2 { _ = try await world.bank.unlockCard() }
            #expect(world.phone.promptCount == prompts + 1)
            try await world.pass(.seconds(121))
            _ = try await world.bank.unlockCard()
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test func theBanksOwnAPIIsPaidAfterAPrompt() async throws {
        try await World.runSetUp { world in
            let prompts = world.phone.promptCount
            let amount = try #require(Money(minor: 1250, currency: "EUR"))
            #expect(try await world.bank.pay(amount, to: "Super Store") == 201)
            #expect(world.phone.promptCount == prompts + 1)
            // The API asks for another amount than the one that the person would be shown.
            let another = try #require(Money(minor: 100, currency: "EUR"))
            await #expect { _ = try await world.bank.pay(another, to: "Super Store") } throws: { .unexpectedAnswer ~= $0 }
            #expect(world.phone.promptCount == prompts + 1)
        }
    }

    @Test func anApprovalIsPaidAfterTheSheet() async throws {
        try await World.runSetUp { world in
            let backEnd = try await world.server.backEnd()
            let payment = TestBackEnd.payment("12.50", to: "Super Store")
            let id = try await backEnd.ask("ada", toApprove: payment)
            let sheet = try await world.bank.sheet(ofApproval: id)
            #expect(sheet.details.lines.contains { $0.value.contains("Super Store") })
            await #expect(throws: TestBackEnd.Refused.self) { try await backEnd.redeem(id, of: payment) }
            await sheet.approve()
            #expect(sheet.stage == .approved)
            try await backEnd.redeem(id, of: payment)
        }
    }

    @Test func aLostPhoneIsRemovedFromAnother() async throws {
        try await World.runSetUp { lost in
            let new = try await lost.another()
            try await new.withLock {
                let device = try #require(try await new.bank.devices().first { !$0.isCurrent })
                #expect(device.name == "Ada’s phone")
                await #expect { try await new.bank.remove(device) } throws: { .coolingOff ~= $0 }
                try await new.pass(.seconds(86_401))
                new.bank.lock.lockNow()
                new.bank.lock.tap()
                try await new.pass(.seconds(2))
                try await new.bank.remove(device)
                #expect(try await new.bank.devices().map(\.name) == ["Ada’s new phone"])
            }
            await #expect(throws: Failure.self) { _ = try await lost.bank.devices() }
        }
    }

    @Test func aSignOutKeepsThePhoneOrForgetsIt() async throws {
        try await World.runSetUp { world in
            let (lock, prompts) = (world.bank.lock, world.phone.promptCount)
            try await world.bank.signOut(forgetDevice: false)
            try await world.pass(.seconds(1))
            await #expect { _ = try await world.bank.devices() } throws: { .sessionOver ~= $0 }
            #expect(lock.isLocked)
            #expect(await world.bank.start())
            lock.tap()
            try await world.pass(.seconds(2))
            #expect(!lock.isLocked && world.phone.promptCount == prompts + 1 && world.passwords.count == 1)
            try await world.bank.signOut(forgetDevice: true)
            try await world.pass(.seconds(1))
            #expect(lock.isLocked && world.phone.keyCount == 0)
            #expect(await !world.bank.start())
            let devices = try await world.server.asOperator { try await $0.devices(ofAccountNamed: "ada").count }
            #expect(devices == 0)
        }
    }
}
