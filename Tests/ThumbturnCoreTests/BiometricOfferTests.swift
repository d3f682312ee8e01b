import Foundation
import Testing
import ThumbturnCore

/// When biometrics are offered, and how refusals are respected.
@Suite struct BiometricOfferTests {
    static let week = Int64(7 * 24 * 3600)
    static let now = UnixTime(seconds: 1_800_000_000)

    static func readiness(
        _ biometry: BiometryState = .ready, biometric: KeyState? = nil, session: KeyState = .usable,
        ladder: [Rung] = UnlockPolicy.unlock.ladder
    ) -> Readiness {
        var keys: [KeyKind: KeyState] = [.session: session, .passcode: .usable]
        keys[.biometric] = biometric
        return Readiness(biometry: biometry, keys: keys, ladder: ladder)
    }

    @Test func biometricsAreOfferedWhereTheSensorIsReadyAndHasNoKey() {
        let offer = BiometricOffer()
        #expect(offer.isDue(Self.readiness(), at: Self.now))
        #expect(offer.isDue(Self.readiness(biometric: .invalidated(.enrolmentChanged)), at: Self.now))
        #expect(offer.isDue(Self.readiness(.notEnrolled), at: Self.now), "it says how to add a face")
    }

    @Test(
        "not offered where it cannot be taken, or is there",
        arguments: [
            readiness(.absent), readiness(.forbidden), readiness(.permissionDenied), readiness(.unavailable),
            readiness(.lockedOut(.untilPasscode)),
            readiness(biometric: .usable), readiness(biometric: .notYetReadable), readiness(session: .missing),
            readiness(ladder: [.devicePasscode, .fullCredentials]),
        ])
    func notOffered(_ readiness: Readiness) {
        #expect(!BiometricOffer().isDue(readiness, at: Self.now))
    }

    @Test func notNowWaitsAWeekAndCountsAsNeverTheThirdTime() {
        var offer = BiometricOffer()
        var now = Self.now
        for _ in 1...2 {
            offer.take(.notNow, at: now)
            #expect(!offer.isDue(Self.readiness(), at: UnixTime(seconds: now.seconds + Self.week - 1)))
            now.seconds += Self.week
            #expect(offer.isDue(Self.readiness(), at: now))
        }
        offer.take(.notNow, at: now)
        #expect(!offer.isDue(Self.readiness(), at: UnixTime(seconds: now.seconds + 100 * Self.week)))
        #expect(!offer.isDeclined, "not now is not never")
    }

    @Test func neverHoldsUntilThePersonSetsItUp() {
        var offer = BiometricOffer()
        offer.take(.never, at: Self.now)
        #expect(offer.isDeclined && !offer.isDue(Self.readiness(), at: UnixTime(seconds: .max)))
        offer.take(.setUp, at: Self.now)
        #expect(!offer.isDeclined && offer.isDue(Self.readiness(), at: Self.now))
    }

    @Test func aDamagedCountOfRefusalsIsOneThatIsOver() throws {
        var offer = try JSONDecoder().decode(
            BiometricOffer.self, from: Data(#"{"isDeclined":false,"timesPutOff":\#(Int.max)}"#.utf8))
        offer.take(.notNow, at: Self.now)
        #expect(!offer.isDue(Self.readiness(), at: UnixTime(seconds: .max)))
    }

    @Test func aClockThatWasSetBackDoesNotPreventTheOffer() {
        var offer = BiometricOffer()
        offer.take(.notNow, at: Self.now)
        #expect(offer.isDue(Self.readiness(), at: UnixTime(seconds: Self.now.seconds - 1)))
    }
}
