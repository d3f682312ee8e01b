#if STAND_INS
import Foundation
import SwiftUI
import Synchronization
import Testing
import Thumbturn
import ThumbturnServer
import ThumbturnTestKit
import ThumbturnTestServer
@testable import BankExample

/// The app Examples/Bank, from its first start to its last screen, on the real server.
@MainActor @Suite struct BankTests {
    @Test func theFirstStartSignsInExplainsAndSetsUp() async throws {
        try await Story.run { story in
            try await story.screen.sees("Sign in once.")
            try await story.screen.tap("Sign in")
            try await story.giveThePassword()
            try await story.isOpen()
            try await story.screen.sees("ada")
            #expect(story.phone.promptCount == 0 && !story.bank.isEnrolled, "nothing is set up before the person was asked")
            try await story.screen.tap("Set up")
            try await story.screen.sees("Choose a PIN of 6 digits or more.")
            try await story.screen.enter(pin: Story.pin)
            try await story.screen.wait(for: "the enrolment") { story.bank.isEnrolled }
            #expect(!story.bank.offer.isShown && story.bank.problem == nil)
        }
    }

    @Test func aWrongPasswordAndAClosedSheetLeaveTheAppLocked() async throws {
        try await Story.run { story in
            try await story.screen.tap("Sign in")
            try await story.giveThePassword("not the password of ada")
            try await story.screen.sees("That didn’t go through.")
            #expect(story.bank.lock.isLocked)
            try await story.screen.tap("Sign in")
            try await story.screen.tap("Cancel")
            try await story.screen.wait(for: "the lock screen") { !story.bank.lock.isAsking }
            #expect(story.bank.lock.isLocked)
            try await story.screen.tap("Try again")
            try await story.giveThePassword()
            try await story.isOpen()
        }
    }

    @Test func aPersonWhoDeclinesTheOfferSignsInWithThePassword() async throws {
        try await Story.run { story in
            try await story.screen.tap("Sign in")
            try await story.giveThePassword()
            try await story.screen.tap("Not now")
            try await story.screen.wait(for: "the end of the offer") { !story.bank.offer.isShown }
            try await story.leaveAndReturn()
            try await story.giveThePassword()
            try await story.isOpen()
            #expect(story.phone.promptCount == 0 && !story.bank.isEnrolled)
            // The settings set the phone up later.
            try await story.screen.tap("Settings")
            try await story.screen.tap("Set up this phone")
            try await story.giveThePassword()
            try await story.screen.enter(pin: Story.pin)
            try await story.screen.sees("Change the PIN")
            #expect(story.bank.isEnrolled)
        }
    }

    @Test func theFaceOpensTheAppAndTheTimeAwayLocksIt() async throws {
        try await Story.runSetUp { story in
            let prompts = story.phone.promptCount
            try await story.leaveAndReturn()
            try await story.isOpen()
            #expect(story.phone.promptCount == prompts + 1)
            try story.restart()
            try await story.isOpen()
            #expect(story.phone.promptCount == prompts + 2, "a new start asks, too")
            try await story.screen.sees("ada")
        }
    }

    @Test func afterAWrongFaceThePINOpens() async throws {
        try await Story.runSetUp { story in
            try await story.cancelling { try await story.leaveAndReturn() }
            try await story.screen.tap("Use PIN")
            try await story.screen.sees("Enter your PIN.")
            try await story.screen.enter(pin: "111222")
            try await story.screen.sees("This PIN doesn’t match.")
            #expect(story.bank.lock.isLocked)
            try await story.screen.enter(pin: Story.pin)
            try await story.isOpen()
        }
    }

    @Test func theBalanceHasAnUnlockOfItsOwn() async throws {
        try await Story.runSetUp { story in
            let prompts = story.phone.promptCount
            story.phone.next(.cancel)
            try await story.screen.tap("Balance")
            try await story.screen.sees("Show the balance")
            try await story.screen.wait(for: "the cancelled prompt") { story.phone.promptCount == prompts + 1 }
            await story.screen.pass(.seconds(1))
            #expect(!story.screen.has(Configuration.balance))
            try await story.screen.tap("Try again")
            try await story.screen.sees(Configuration.balance)
            #expect(story.phone.promptCount == prompts + 2)
            // It goes with the app, and the next look is asked for.
            try await story.leaveAndReturn()
            #expect(!story.screen.has(Configuration.balance))
        }
    }

    @Test func aPaymentIsApprovedOrDeclined() async throws {
        try await Story.runSetUp { story in
            let backEnd = try await story.server.backEnd()
            let payment = TestBackEnd.payment("12.50", to: "Super Store")
            let first = try await backEnd.ask("ada", toApprove: payment)
            try await story.leaveAndReturn()
            try await story.isOpen()
            let prompts = story.phone.promptCount
            try await story.screen.tap(prefix: "Payment")
            try await story.screen.sees("Super Store")
            await story.screen.pass(.seconds(2))
            #expect(story.phone.promptCount == prompts, "the sheet asks nothing by itself")
            try await story.screen.tap("Approve")
            try await story.screen.sees("Approved.")
            try await backEnd.redeem(first, of: payment)
            try await story.screen.tap("Done")
            try await story.screen.wait(for: "the empty list") { story.bank.approvals.isEmpty }

            let second = try await backEnd.ask("ada", toApprove: TestBackEnd.payment("99.00", to: "Another Store"))
            await story.bank.refresh()
            try await story.screen.tap(prefix: "Payment")
            try await story.screen.tap("Decline")
            try await story.screen.sees("Declined.")
            #expect(try await backEnd.state(of: second) == .declined)
        }
    }

    @Test func aLockClosesTheSheetOfAPayment() async throws {
        try await Story.runSetUp { story in
            let backEnd = try await story.server.backEnd()
            _ = try await backEnd.ask("ada", toApprove: TestBackEnd.payment("12.50", to: "Super Store"))
            await story.bank.refresh()
            try await story.screen.tap(prefix: "Payment")
            try await story.screen.sees("Super Store")
            try await story.cancelling { try await story.leaveAndReturn() }
            #expect(!story.screen.has("Super Store"))
            try await story.screen.tap("Use PIN")
            try await story.screen.enter(pin: Story.pin)
            try await story.isOpen()
        }
    }

    @Test func anotherPhoneIsRemoved() async throws {
        try await Story.runSetUp { story in
            let lost = SimulatedPhone(.iPhone(.face), clock: story.clock)
            lost.name = "Ada’s lost phone"
            let auth = try Authenticator(
                server: story.server.url, platform: lost.platform(transport: story.server.transport))
            try await auth.enrol(with: PasswordSignIn(account: "ada", password: Story.password))
            try await story.screen.tap("Devices")
            try await story.screen.sees("Ada’s lost phone")
            try await story.screen.tap("Remove")
            try await story.screen.sees("It is signed out at once")
            try await story.screen.tap("Remove")
            try await story.screen.wait(for: "the shorter list") { story.bank.devices.devices.count == 1 }
            #expect(!story.screen.has("Ada’s lost phone"))
        }
    }

    @Test func theSwitchIsTheKey() async throws {
        try await Story.runSetUp { story in
            try await story.screen.tap("Settings")
            try await story.screen.move(switchTo: false)
            try await story.screen.sees(switchAt: false)
            #expect(await story.bank.auth.readiness().state(of: .biometric) == .missing)
            try await story.screen.move(switchTo: true)
            try await story.giveThePassword()
            try await story.screen.sees(switchAt: true)
        }
    }

    @Test func aNewFaceIsSetUpWithThePassword() async throws {
        try await Story.runSetUp { story in
            story.phone.enrolNewFace()
            try await story.leaveAndReturn()
            try await story.isOpen()
            try await story.screen.tap("Set up")
            try await story.giveThePassword()
            try await story.screen.wait(for: "the new key") {
                await story.bank.auth.readiness().state(of: .biometric) == .usable
            }
            try await story.screen.tap("Settings")
            try await story.screen.sees(switchAt: true)
        }
    }

    @Test func aSignOutKeepsThePhoneOrForgetsIt() async throws {
        try await Story.runSetUp { story in
            try await story.screen.tap("Settings")
            try await story.screen.tap("Sign out")
            try await story.screen.wait(for: "the lock") { story.bank.lock.isLocked }
            try await story.screen.tap("Use Face ID")
            try await story.isOpen()
            try await story.screen.tap("Sign out and forget this phone")
            try await story.screen.sees("Sign in once.")
            #expect(story.phone.keyCount == 0)
            let devices = try await story.server.asOperator { try await $0.devices(ofAccountNamed: "ada").count }
            #expect(devices == 0)
        }
    }

    @Test func aProviderSignsInWithoutTheSheet() async throws {
        try await Screen.run { clock in
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let network = Network()
            let provider = SimulatedProvider(clock: clock, passing: network)
            try provider.describe(in: folder)
            let server = try await TestServer(accounts: [:], clock: clock) {
                $0.identityProviders = folder.appending(path: "providers.json").path
            }
            network.reach(server)
            let platform = SimulatedPhone(.iPhone(.face), clock: clock).platform(transport: provider)
            let signIn = try OAuthSignIn(
                issuer: provider.issuer, clientID: provider.clientID,
                redirect: .privateUse(scheme: "net.thumbturn.example.bank", path: "/signed-in"), browser: provider,
                platform: platform)
            let bank = try Bank(
                server: server.url, platform: platform, pinScreen: PINEntryModel(clock: clock), signIn: signIn)
            let screen = Screen(BankScreen(bank), clock: clock)
            defer { screen.close() }
            try await screen.tap("Sign in")
            try await screen.tap("Set up")
            try await screen.wait(for: "the enrolment") { bank.isEnrolled }
            #expect(provider.pages.count == 1 && bank.passwords == nil)
        }
    }
}

/// The network to a server that is made later than its provider.
private final class Network: Transport {
    private let server = Mutex<(any Transport)?>(nil)

    func reach(_ server: TestServer) { self.server.withLock { $0 = server.transport } }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard let server = server.withLock({ $0 }) else { throw Failure(.unreachable) }
        return try await server.send(request)
    }
}

extension SimulatedProvider {
    /// Writes the file for a server, with the provider's key.
    fileprivate func describe(in folder: URL) throws {
        func base64url(_ bytes: ArraySlice<UInt8>) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let point = publicKey.x963
        let key = ["kty": "EC", "crv": "P-256", "x": base64url(point[1..<33]), "y": base64url(point[33..<65])]
        let providers = ["issuer": issuer.absoluteString, "audience": clientID, "jwks": "keys.json"]
        try JSONEncoder().encode(["keys": [key]]).write(to: folder.appending(path: "keys.json"))
        try JSONEncoder().encode(["providers": [providers]]).write(to: folder.appending(path: "providers.json"))
    }
}

/// A phone with the app, and the server.
@MainActor private final class Story {
    static let password = "correct horse battery staple"
    static let pin = "824193"

    let clock: VirtualClock
    let server: TestServer
    let phone: SimulatedPhone
    private(set) var bank: Bank
    private(set) var screen: Screen

    private init(_ clock: VirtualClock, _ server: TestServer) throws {
        (self.clock, self.server) = (clock, server)
        phone = SimulatedPhone(.iPhone(.face), clock: clock, hasPIN: true)
        bank = try Self.bank(phone, server, clock)
        screen = Screen(BankScreen(bank), clock: clock)
    }

    /// The app as its main file makes it, with the PIN's own screen over the phone's keys.
    private static func bank(_ phone: SimulatedPhone, _ server: TestServer, _ clock: VirtualClock) throws -> Bank {
        let pinScreen = PINEntryModel(clock: clock)
        var platform = phone.platform(transport: server.transport)
        platform.pin?.entry = pinScreen
        return try Bank(server: server.url, platform: platform, pinScreen: pinScreen)
    }

    static func run(_ tell: @escaping @MainActor @Sendable (Story) async throws -> Void) async throws {
        try await Screen.run { clock in
            let story = try Story(clock, try await TestServer(accounts: ["ada": password], clock: clock))
            defer { story.screen.close() }
            try await tell(story)
        }
    }

    /// Runs a story on a phone that is set up, with the lock open.
    static func runSetUp(_ tell: @escaping @MainActor @Sendable (Story) async throws -> Void) async throws {
        try await run { story in
            try await story.screen.tap("Sign in")
            try await story.giveThePassword()
            try await story.screen.tap("Set up")
            try await story.screen.enter(pin: pin)
            try await story.screen.wait(for: "the enrolment") { story.bank.isEnrolled }
            try await tell(story)
        }
    }

    /// The system ends the app, and the person opens it again.
    func restart() throws {
        screen.close()
        phone.killApp()
        bank = try Self.bank(phone, server, clock)
        screen = Screen(BankScreen(bank), clock: clock)
    }

    func giveThePassword(_ password: String = password, at place: SourceLocation = #_sourceLocation) async throws {
        try await screen.type("ada", into: "Name", at: place)
        try await screen.type(password, into: "Password", at: place)
        try await screen.tap("Sign in", at: place)
        try await screen.wait(for: "the end of the sheet", at: place) { self.bank.passwords?.question == nil }
    }

    func isOpen(at place: SourceLocation = #_sourceLocation) async throws {
        try await screen.wait(for: "the open app", at: place) {
            self.bank.stage == .account && !self.bank.lock.isLocked && !self.bank.lock.isCovered
        }
    }

    func leaveAndReturn() async throws {
        phone.moveToBack()
        await screen.pass(.seconds(31))
        #expect(bank.lock.isLocked)
        phone.moveToFront()
        await screen.pass(.seconds(1))
    }

    /// The person cancels the prompt that comes by itself.
    func cancelling(at place: SourceLocation = #_sourceLocation, _ begin: () async throws -> Void) async throws {
        let before = phone.promptCount
        phone.next(.cancel)
        try await begin()
        try await screen.wait(for: "the cancelled prompt", at: place) {
            self.phone.promptCount > before && !self.bank.lock.isAsking
        }
    }
}
#endif
