#if STAND_INS
import DeviceCheck
import Foundation
import Security
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

        init() { attestation = AppAttestation(secrets: world.phone.platform().secrets) }

        func evidence(
            for challenge: String = AppAttestationTests.challenge, keys: [PublicKey] = AppAttestationTests.keys,
            account: String = "ada"
        ) async throws -> AppAttestEvidence? {
            try await attestation.evidence(for: challenge, keys: keys, server: AppAttestationTests.server, account: account)
        }

        func run<Result: Sendable>(_ body: @escaping @Sendable (Device) async throws -> Result) async throws -> Result {
            try await StandInAttest.$current.withValue(attest) { try await world.run { try await body(self) } }
        }
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
        expect(try await device.run { try await $0.evidence() }, is: nil)
        #expect(device.world.device.calls("generateKey") == 0)
    }

    /// Every code of DeviceCheck's errors, and one of another domain, in each of the three calls.
    @Test(
        arguments: [
            (0, "platform", Recovery.retry), (2, "platform", .report), (3, "keyInvalidated", .retry), (4, "unreachable", .retry),
            (-1009, "platform", .retry),
        ], 0...2)
    func everyFailureHasItsRecoveryAndKeepsOrDropsTheKey(
        _ row: (code: Int, name: String, recovery: Recovery), in call: Int
    ) async throws {
        let device = Device()
        let evidence = try await device.run { device in
            for _ in 0..<call { device.attest.failNext(nil) }
            device.attest.failNext(row.code)
            let failed = try #require(await failure { _ = try await device.evidence() })
            #expect(failed.code.name == row.name && failed.recovery == row.recovery)
            #expect(failed.status == .init(domain: row.code < 0 ? NSURLErrorDomain : DCErrorDomain, code: row.code))
            return try #require(try await device.evidence(for: "eyJ.eyJ.bmV3"))
        }
        let (first, second) = (
            Signing.boundValue(challenge: Self.challenge, keys: Self.keys),
            Signing.boundValue(challenge: "eyJ.eyJ.bmV3", keys: Self.keys)
        )
        // If Apple's servers were unreachable, the next call uses the same key and the first value again.
        let keepsKey = row.code == 4 && call > 0
        let calls = device.world.device.calls
        #expect(calls("generateKey") == (keepsKey ? 1 : 2))
        #expect(calls("attestKey") == (call == 0 || keepsKey && call == 2 ? 1 : 2))
        #expect(evidence.attestedValue == (keepsKey ? first : second))
    }

    @Test(arguments: 0...2) func aSystemThatWithdrawsAppAttestGivesNoEvidence(_ call: Int) async throws {
        let device = Device()
        let evidence = try await device.run { device in
            for _ in 0..<call { device.attest.failNext(nil) }
            device.attest.failNext(1)
            let evidence = try await device.evidence()
            _ = try await device.evidence()
            return evidence
        }
        #expect(evidence == nil)
        // The key that the system rejected is not kept.
        #expect(device.world.device.calls("generateKey") == 2)
    }

    @Test func afterAReinstallationTheSecondCallHasANewKey() async throws {
        let device = Device()
        let (old, new) = try await device.run { device in
            let old = try #require(try await device.evidence())
            device.attest.forget()
            await expectFailure(.keyInvalidated) { _ = try await device.evidence() }
            return (old, try #require(try await device.evidence()))
        }
        #expect(new.keyID != old.keyID)
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
