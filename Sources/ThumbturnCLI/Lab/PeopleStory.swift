#if Tools
import Foundation
import Thumbturn
import ThumbturnCommands
import ThumbturnTestKit

/// Eight people for whom the first way in is not the one, against a running server. Each gets in, and what their screens
/// say is told.
@MainActor struct PeopleStory {
    /// The accounts that the story needs, all with one password.
    nonisolated static let accounts = ["wes", "nora", "luke", "fay", "pete", "dee", "vera"]

    let server: URL
    let password: String
    let provider: ProviderOptions

    private struct Person {
        let phone: SimulatedPhone
        let auth: Authenticator
    }

    private static let people: [(name: String, story: String, getsIn: (PeopleStory) -> () async throws -> Rung)] = [
        ("Wes", "has wet fingers, at a Linux machine.", PeopleStory.wetFinger),
        ("Nora", "has enrolled no face on her iPhone.", PeopleStory.noFace),
        ("Luke", "is locked out of Face ID, and the app asks for high risk.", PeopleStory.lockedOut),
        ("Fay", "has forgotten the PIN, on a machine without a reader.", PeopleStory.forgotPIN),
        ("Pete", "has set no passcode, so his iPhone has no Face ID either.", PeopleStory.noPasscode),
        ("Dee", "does not want biometrics.", PeopleStory.declines),
        ("Ada", "comes from her company's provider.", PeopleStory.fromProvider),
        ("Vera", "uses VoiceOver, and needs time.", PeopleStory.voiceOver),
    ]

    func play() async throws {
        var ways: [String] = []
        for person in Self.people {
            announce("\(person.name) \(person.story)")
            let began = ContinuousClock.now
            let rung = try await person.getsIn(self)()
            let seconds = (ContinuousClock.now - began).components.seconds
            confirm("\(person.name) is in, by the \(rung.inWords)")
            ways.append("\(person.name): \(rung.inWords), after \(seconds) s")
        }
        print("\nAll \(ways.count) are in, each with a session of a real server:")
        ways.forEach { print("  \($0)") }
    }

    // MARK: - The people

    private func wetFinger() async throws -> Rung {
        let wes = try await enrolled("wes", SimulatedPhone(.linux, hasPIN: true))
        wes.phone.next(.readPoorly(.tooPoor), .readPoorly(.removeAndRetry), .ignore, after: .seconds(1))
        let looking = look(wes)
        try await looking.read("Having trouble?")
        try await looking.press("Use PIN")
        return try await expect(.appPIN, of: looking, wes)
    }

    private func noFace() async throws -> Rung {
        let phone = SimulatedPhone(.iPhone(.face))
        phone.removeFaces()
        let nora = try await enrolled("nora", phone)
        let offer = try await offer(to: nora)
        guard offer.buttons.contains(where: { $0.words.description.contains("Settings") }) else {
            throw UnexpectedOutcome("the offer does not lead to the settings")
        }
        tell("person", "presses [\(BiometricOffer.buttons.first { $0.answer == .notNow }?.words.description ?? "")]")
        await offer.answer(.notNow)
        return try await expect(.devicePasscode, of: look(nora), nora)
    }

    private func lockedOut() async throws -> Rung {
        let luke = try await enrolled("luke", SimulatedPhone(.iPhone(.face)))
        luke.phone.next(.noMatch, .noMatch, .noMatch)
        let looking = look(luke, under: .highRisk)
        try await looking.press("Use Face ID")
        let rung = try await expect(.fullCredentials, of: looking, luke)
        guard await luke.auth.readiness(for: .highRisk).biometry.obstacle?.code == .lockedOut else {
            throw UnexpectedOutcome("Face ID was never locked")
        }
        return rung
    }

    private func forgotPIN() async throws -> Rung {
        let fay = try await enrolled("fay", SimulatedPhone(.linux, hasSensor: false, hasPIN: true))
        fay.phone.pins("135790", "246801", "975310", "864209", "102938")
        let looking = look(fay)
        return try await expect(.fullCredentials, of: looking, fay)
    }

    private func noPasscode() async throws -> Rung {
        let pete = try person("pete", SimulatedPhone(.iPhone(.face), hasPasscode: false))
        return try await expect(.fullCredentials, of: look(pete), pete)
    }

    private func declines() async throws -> Rung {
        let dee = try person("dee", SimulatedPhone(.android(.finger), hasPIN: true))
        _ = try await dee.auth.signIn(with: ToldSignIn(signIn: PasswordSignIn(account: "dee", password: password)))
        let offer = try await offer(to: dee)
        tell("person", "presses [\(BiometricOffer.buttons.first { $0.answer == .never }?.words.description ?? "")]")
        await offer.answer(.never)
        try await dee.auth.addBiometrics()
        await offer.refresh()
        guard !offer.isShown else { throw UnexpectedOutcome("the offer came again, although Dee has declined") }
        return try await expect(.devicePasscode, of: look(dee), dee)
    }

    private func fromProvider() async throws -> Rung {
        let ada = try person("ada", SimulatedPhone(.android(.finger)))
        tell("app", "opens the page of \(provider.issuer ?? "")")
        let signIn = try provider.signIn(on: ada.auth.platform)
        _ = try await ada.auth.signIn(with: signIn)
        tell("person", "is back in the app, as \(try await ada.auth.me().name)")
        try await ada.auth.addBiometrics()
        return try await expect(.biometric, of: look(ada), ada)
    }

    private func voiceOver() async throws -> Rung {
        let vera = try await enrolled("vera", SimulatedPhone(.iPhone(.face)), extraTime: .tenfold)
        let prompts = vera.phone.promptCount
        vera.phone.next(.match, after: .seconds(14))
        let rung = try await expect(.biometric, of: look(vera), vera)
        guard vera.phone.promptCount == prompts + 1 else { throw UnexpectedOutcome("the prompt was taken away") }
        return rung
    }

    // MARK: - What they have in common

    /// A person with a phone whose prompts and screens are told.
    private func person(_ account: String, _ phone: SimulatedPhone, extraTime: ExtraTime = .none) throws -> Person {
        var platform = phone.platform(transport: commandTransport())
        platform.sensor = ToldSensor(sensor: platform.sensor)
        if let pin = platform.pin { platform.pin = PINSupport(entry: ToldPINs(entry: pin.entry), key: pin.key) }
        platform.extraTime = { extraTime }
        let signIn = ToldSignIn(signIn: PasswordSignIn(account: account, password: password))
        return Person(phone: phone, auth: try Authenticator(server: server, platform: platform, signIn: signIn))
    }

    private func enrolled(
        _ account: String, _ phone: SimulatedPhone, extraTime: ExtraTime = .none
    ) async throws -> Person {
        let person = try person(account, phone, extraTime: extraTime)
        try await person.auth.enrol(with: PasswordSignIn(account: account, password: password))
        tell("app", "was set up before")
        return person
    }

    /// The app's offer of biometrics, which is told.
    private func offer(to person: Person) async throws -> BiometricOfferModel {
        let offer = BiometricOfferModel(for: person.auth) { try await person.auth.addBiometrics() }
        await offer.refresh()
        guard offer.isShown else { throw UnexpectedOutcome("biometrics are not offered") }
        tell("app", "\(offer.title) \(offer.text) " + offer.buttons.map { "[\($0.words)]" }.joined(separator: " "))
        return offer
    }

    private func look(_ person: Person, under policy: UnlockPolicy = .unlock) -> Looking {
        Looking(at: UnlockScreen(for: person.auth, reason: "Unlock Acme", policy: policy))
    }

    /// Checks that the person gets in by this rung, and has a session.
    private func expect(_ rung: Rung, of looking: Looking, _ person: Person) async throws -> Rung {
        let way = try await looking.wayIn()
        guard way == rung else { throw UnexpectedOutcome("in by the \(way.inWords), not the \(rung.inWords)") }
        _ = try await person.auth.me()
        return way
    }
}
#endif
