#if STAND_INS
import DeviceCheck
import Foundation
import Security
import Synchronization
import Testing
import TestSupport
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnApple

@Suite struct AppAttestationTests {
    private static let server = "https://bank.example"
    private static let keys = [1, 3, 5].map { (n: UInt8) in
        PublicKey(x963: [4] + Array(repeating: n, count: 32) + Array(repeating: n + 1, count: 32))!
    }
    private static let challenge = "eyJ.eyJ.c2ln"

    /// A device with App Attest, on which the app is installed.
    private struct Device: Sendable {
        let world = AppleWorld()
        let attest = StandInAttest()
        let attestation: AppAttestation

        let system = Version()

        init() {
            let system = system
            attestation = AppAttestation(secrets: world.phone.platform().secrets) { system.version }
        }

        func evidence(
            for challenge: String = AppAttestationTests.challenge, keys: [PublicKey] = AppAttestationTests.keys,
            account: String = "ada"
        ) async throws -> AppAttestEvidence? {
            let answer = try await answer(for: challenge, keys: keys, account: account)
            return if case .evidence(let evidence) = answer { evidence } else { nil }
        }

        func answer(
            for challenge: String = AppAttestationTests.challenge, keys: [PublicKey] = AppAttestationTests.keys,
            account: String = "ada"
        ) async throws -> AppAttestation.Answer {
            try await attestation.evidence(for: challenge, keys: keys, server: AppAttestationTests.server, account: account)
        }

        func run<Result: Sendable>(_ body: @escaping @Sendable (Device) async throws -> Result) async throws -> Result {
            try await StandInAttest.$current.withValue(attest) { try await world.run { try await body(self) } }
        }
    }

    /// The version of the system.
    private final class Version: Sendable {
        private let value = Mutex("18.0")
        var version: String { value.withLock { $0 } }
        func update() { value.withLock { $0 += ".1" } }
    }

    /// The expected text is the SHA-256 of the bound value in `BoundValueTests`, computed by another program.
    @Test func theSystemReceivesTheHashOfTheBoundValue() async throws {
        let device = Device()
        let evidence = try #require(try await device.run { try await $0.evidence() })
        #expect(Self.hashSeen(in: evidence.attestation) == "cfef752722a6d28c62325006e31724effde4fc345ac7c71db2e200792868037e")
        #expect(Self.hashSeen(in: evidence.assertion) == "cfef752722a6d28c62325006e31724effde4fc345ac7c71db2e200792868037e")
        #expect(Base64URL.encode(evidence.attestedValue) == "I1-X3KDZi0s_J7xghy3GAYSmyuN8oVFca09TXDVOD8w")
    }

    @Test func aKeyIsMadeAndAttestedOnceForAnAccount() async throws {
        let device = Device()
        let (first, second, other) = try await device.run {
            (
                try #require(try await $0.evidence()), try #require(try await $0.evidence(for: "eyJ.eyJ.bmV3")),
                try #require(try await $0.evidence(account: "grace"))
            )
        }
        let calls = device.world.device.calls
        #expect(calls("generateKey") == 2 && calls("attestKey") == 2 && calls("generateAssertion") == 3)
        #expect(first.keyID == second.keyID && first.keyID != other.keyID)
        // The attestation is the first one, with the value that it attests; the assertion is over the new challenge.
        #expect(second.attestation == first.attestation && second.attestedValue == first.attestedValue)
        #expect(Self.hashSeen(in: second.assertion) != Self.hashSeen(in: first.assertion))
        #expect(Self.hashSeen(in: other.assertion) == Self.hashSeen(in: first.assertion))
    }

    @Test func twoRequestsAtOnceShareTheKey() async throws {
        let device = Device()
        let (one, two) = try await device.run { device in
            async let one = device.evidence()
            async let two = device.evidence(for: "eyJ.eyJ.bmV3")
            return try await (one, two)
        }
        #expect(one?.keyID == two?.keyID && one != nil)
        #expect(device.world.device.calls("generateKey") == 1)
    }

    @Test func withoutAppAttestThereIsNoEvidenceAndNoKey() async throws {
        let device = Device()
        device.attest.isSupported = false
        expect(try await device.run { try await $0.answer() }, is: .unsupported)
        #expect(device.world.device.calls("generateKey") == 0)
    }

    /// A failure of one call, and what the two calls after it find.
    struct Row: Sendable, CustomTestStringConvertible {
        /// A code of DeviceCheck's errors; negative ones are of other domains.
        var code: Int
        /// The call that fails: 0 makes the key, 1 attests it, 2 makes the assertion.
        var call: Int
        /// The failure; nil where another key has made evidence at once, or the answer was `refused`.
        var name: String?
        var isRefused = false
        /// How many keys there are after the next evidence.
        var keys: Int
        var testDescription: String { "\(code) in call \(call)" }
    }

    static let rows = [
        // unknownSystemFailure: an attested key that cannot assert is given up, an unattested one is tried again.
        Row(code: 0, call: 0, name: "platform", keys: 1), Row(code: 0, call: 1, name: "platform", keys: 1),
        Row(code: 0, call: 2, name: "platform", keys: 2),
        // featureUnsupported
        Row(code: 1, call: 0, isRefused: true, keys: 1), Row(code: 1, call: 1, isRefused: true, keys: 1),
        Row(code: 1, call: 2, isRefused: true, keys: 1),
        // invalidInput and invalidKey: another key, once, unless none can be made
        Row(code: 2, call: 0, isRefused: true, keys: 1), Row(code: 2, call: 1, keys: 2), Row(code: 2, call: 2, keys: 2),
        Row(code: 3, call: 0, isRefused: true, keys: 1), Row(code: 3, call: 1, keys: 2), Row(code: 3, call: 2, keys: 2),
        // serverUnavailable
        Row(code: 4, call: 0, name: "unreachable", keys: 1), Row(code: 4, call: 1, name: "unreachable", keys: 1),
        Row(code: 4, call: 2, name: "unreachable", keys: 1),
        // Without a network
        Row(code: -1009, call: 1, name: "platform", keys: 1), Row(code: -1009, call: 2, name: "platform", keys: 1),
    ]

    @Test("A7: every failure keeps the key, replaces it once, or ends it", arguments: rows)
    func everyFailureHasItsMeaning(_ row: Row) async throws {
        let device = Device()
        let status = Failure.PlatformStatus(domain: row.code < 0 ? NSURLErrorDomain : DCErrorDomain, code: row.code)
        try await device.run { device in
            // A key that is gone was attested with the first value, and the attestation is not stored.
            for _ in 0..<row.call { device.attest.failNext(nil) }
            device.attest.failNext(row.code)
            if let name = row.name {
                let failed = try #require(await failure { _ = try await device.answer() })
                #expect(failed.code.name == name && failed.recovery == .retry && failed.status == status)
            } else {
                let answer = try await device.answer()
                #expect((answer == .refused(status)) == row.isRefused)
            }
            _ = try #require(try await device.evidence(for: "eyJ.eyJ.bmV3"))
        }
        // A call of `generateKey` that failed has made no key.
        let made = device.world.device.calls("generateKey") - (row.call == 0 ? 1 : 0)
        #expect(made == row.keys)
    }

    @Test("A7: a system that refuses every key is given three, and no more until its next version", arguments: [2, 3])
    func noEndlessKeys(_ code: Int) async throws {
        let device = Device()
        device.attest.failAlways(.attest, with: code)
        let refused = AppAttestation.Answer.refused(.init(domain: DCErrorDomain, code: code))
        let calls = device.world.device.calls
        try await device.run { device in
            for keys in [2, 3, 3, 3] {
                expect(try await device.answer(), is: refused)
                #expect(calls("generateKey") == keys)
            }
            // The last key is tried at each call, in case that the system comes round.
            #expect(calls("attestKey") == 5)
            device.system.update()
            expect(try await device.answer(), is: refused)
            #expect(calls("generateKey") == 4)
            device.attest.failAlways(.attest, with: nil)
            _ = try #require(try await device.evidence())
            #expect(calls("generateKey") == 5)
            // Evidence begins the count anew.
            device.attest.forget()
            device.attest.failAlways(.attest, with: code)
            // That the key has ended which made evidence is no failure, so there are three more.
            for keys in [6, 8, 8] {
                expect(try await device.answer(), is: refused)
                #expect(calls("generateKey") == keys)
            }
        }
    }

    @Test("A7: an error that stays is no reason for endless keys", arguments: [StandInAttest.Call.attest, .assert])
    func anUnknownErrorThatStays(_ call: StandInAttest.Call) async throws {
        let device = Device()
        device.attest.failAlways(call, with: 0)
        let status = Failure.PlatformStatus(domain: DCErrorDomain, code: 0)
        let keys = call == .attest ? 1 : 3
        try await device.run { device in
            for _ in 1...2 {
                #expect(await failure { _ = try await device.answer() } == Failure(.platform, recovery: .retry, status: status))
            }
            for _ in 1...3 { expect(try await device.answer(), is: .refused(status)) }
            #expect(device.world.device.calls("generateKey") == keys)
            device.attest.failAlways(call, with: nil)
            _ = try #require(try await device.evidence())
            #expect(device.world.device.calls("generateKey") == keys)
        }
    }

    @Test("A7: however long there is no network, App Attest is not given up")
    func withoutANetworkForLong() async throws {
        let device = Device()
        try await device.run { device in
            _ = try #require(try await device.evidence())
            for _ in 1...5 {
                device.attest.failNext(-1009)
                await expectFailure(.platform) { _ = try await device.answer() }
            }
            _ = try #require(try await device.evidence())
        }
        #expect(device.world.device.calls("generateKey") == 1)
    }

    @Test("A7: evidence begins the count of unknown errors anew")
    func unknownErrorsNowAndThen() async throws {
        let device = Device()
        try await device.run { device in
            _ = try #require(try await device.evidence())
            for failures in [1, 2, 2] {
                for _ in 1...failures {
                    device.attest.failNext(StandInAttest.unknownDomain)
                    await expectFailure(.platform) { _ = try await device.answer() }
                }
                _ = try #require(try await device.evidence())
            }
        }
        #expect(device.world.device.calls("generateKey") == 1)
    }

    @Test("A7: after a reinstallation the same call has a new key")
    func afterAReinstallation() async throws {
        let device = Device()
        let (old, new) = try await device.run { device in
            let old = try #require(try await device.evidence())
            device.attest.forget()
            return (old, try #require(try await device.evidence(for: "eyJ.eyJ.bmV3")))
        }
        #expect(new.keyID != old.keyID)
        #expect(new.attestedValue == Signing.boundValue(challenge: "eyJ.eyJ.bmV3", keys: Self.keys))
        #expect(device.world.device.calls("generateKey") == 2)
    }

    /// Apple's servers were not reached: the first value is attested later, with the same key.
    @Test func aLostAnswerIsAskedForAgainWithTheSameKeyAndValue() async throws {
        let device = Device()
        let evidence = try await device.run { device in
            device.attest.failNext(nil, 4)
            await expectFailure(.unreachable) { _ = try await device.answer() }
            return try #require(try await device.evidence(for: "eyJ.eyJ.bmV3"))
        }
        #expect(evidence.attestedValue == Signing.boundValue(challenge: Self.challenge, keys: Self.keys))
        #expect(device.world.device.calls("generateKey") == 1)
    }

    /// A record that was restored without the key that decrypts it names an App Attest key that was not restored. A
    /// record that cannot be read now may become readable.
    @Test(arguments: [(Failure(.keyInvalidated), true), (Failure(.notYetReadable), false)])
    func anUnreadableRecordLeadsToANewKeyOnlyIfItIsGoneForGood(_ failed: Failure, _ isGone: Bool) async throws {
        let (world, attest) = (AppleWorld(), StandInAttest())
        let attestation = AppAttestation(secrets: Unreadable(failure: failed))
        let made = try await StandInAttest.$current.withValue(attest) {
            try await world.run {
                await failure {
                    _ = try await attestation.evidence(
                        for: Self.challenge, keys: Self.keys, server: Self.server, account: "ada")
                }
            }
        }
        #expect(made == (isGone ? nil : failed))
        #expect(world.device.calls("generateKey") == (isGone ? 1 : 0))
    }

    private struct Unreadable: SecretStore {
        var failure: Failure
        func read(_ name: String) async throws(Failure) -> [UInt8]? { throw failure }
        func write(_ secret: [UInt8], as name: String) async throws(Failure) {}
        func delete(_ name: String) async throws(Failure) {}
        func replace(_ old: [UInt8]?, by new: [UInt8]?, as name: String) async throws(Failure) -> Bool { throw failure }
    }

    @Test func aForgottenAccountGetsANewKey() async throws {
        let device = Device()
        try await device.run { device in
            _ = try await device.evidence()
            try await device.attestation.forget(server: Self.server, account: "ada")
            _ = try await device.evidence()
        }
        #expect(device.world.device.calls("generateKey") == 2)
    }

    private static func hashSeen(in object: [UInt8]) -> String {
        object.suffix(32).map { String(format: "%02x", $0) }.joined()
    }
}
#endif
