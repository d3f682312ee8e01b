#if LinuxDevice && os(Linux)
import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice

@testable import ThumbturnLinux

/// A matcher of the tests: it vouches for whatever it is told to, or forges.
final class TestMatcher: Matcher {
    let key = P256.Signing.PrivateKey()
    let counter: TPMIndex
    let value: [UInt8]
    let tcti: String

    init(tcti: String, at handle: UInt32 = 0x0180_7400) throws {
        self.tcti = tcti
        let value = [UInt8](repeating: 7, count: 32)
        self.value = value
        counter = try TPM.connected(tcti) { tpm throws(TPMError) in
            try tpm.undefine(handle)
            return try tpm.defineCounter(at: handle, value: value)
        }
    }

    func identity() throws(Failure) -> MatcherIdentity {
        do throws(TPMError) {
            return MatcherIdentity(
                key: JWK(x963: Array(key.publicKey.x963Representation))!, counter: counter,
                value: try TPM.connected(tcti) { tpm throws(TPMError) in try tpm.count(counter, value: value) }
            )
        } catch {
            throw error.failure
        }
    }

    func raise() throws {
        try TPM.connected(tcti) { tpm throws(TPMError) in try tpm.raise(counter, value: value) }
    }

    struct TestMatch: Match {
        var key: P256.Signing.PrivateKey
        var command: [UInt8]
        var reference: [UInt8]
        var expiration: Int32 = 10
        var nonce: [UInt8]?
        func authorize(_ nonce: [UInt8]) throws(Failure) -> SignedMatch {
            let authorization = TPMAuthorization(
                nonce: self.nonce ?? nonce, expiration: expiration, command: command, reference: reference)
            return SignedMatch(
                expiration: expiration, signature: Array(try! key.signature(for: authorization.bytes).rawRepresentation))
        }
    }
}

@Suite(.serialized) struct TPMKeysTests {
    let tcti = ProcessInfo.processInfo.environment["TCTI"] ?? "swtpm:host=127.0.0.1,port=23999"
    let folder = FileManager.default.temporaryDirectory.path + "/tk-\(UUID())"
    func name(_ kind: KeyKind) -> KeyName { KeyName(server: "https://a", account: "x", enrolment: 3, kind: kind) }

    @Test func session() async throws {
        let keys = TPMKeys(tcti: tcti, folder: folder)
        let jwk = try await keys.create(name(.session))
        await expect(keys.state(of: name(.session)), is: .usable)
        let clock = ContinuousClock()
        for _ in 0..<3 {
            let start = clock.now
            let signature = try await keys.sign([1, 2, 3], with: name(.session), presence: nil)
            print("session sign", clock.now - start)
            let key = try P256.Signing.PublicKey(x963Representation: jwk.x963!)
            #expect(key.isValidSignature(try .init(rawRepresentation: signature), for: [1, 2, 3] as [UInt8]))
        }
        try await keys.delete(name(.session))
        await expect(keys.state(of: name(.session)), is: .missing)
    }

    @Test func pin() async throws {
        let keys = TPMKeys(tcti: tcti, folder: folder)
        do { _ = try await keys.create(name(.pin), pin: PIN("293847")!) } catch { print(error.debugDescription); throw error }
        await expect(keys.state(of: name(.pin)), is: .usable)
        let clock = ContinuousClock()
        var start = clock.now
        _ = try await keys.sign([1, 2, 3], with: name(.pin), pin: PIN("293847")!)
        print("pin sign", clock.now - start)
        for i in 1...10 {
            start = clock.now
            do { _ = try await keys.sign([1], with: name(.pin), pin: PIN("111111")!); Issue.record("signed") } catch {
                print(i, error.debugDescription, clock.now - start)
            }
        }
        do { _ = try await keys.sign([1], with: name(.pin), pin: PIN("293847")!); Issue.record("signed") } catch {
            print(error.debugDescription)
        }
        await expect(keys.state(of: name(.pin)), is: .invalidated)
        try await keys.delete(name(.pin))
    }

    @Test func biometric() async throws {
        let matcher = try TestMatcher(tcti: tcti)
        let keys = TPMKeys(tcti: tcti, folder: folder, matcher: matcher)
        let n = name(.biometric)
        let jwk = try await keys.create(n)
        await expect(keys.state(of: n), is: .usable)
        let message: [UInt8] = [1, 2, 3]
        let area = TPMPublicArea(
            try JSONDecoder().decode(TPMKeyFile.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/" + n.file)))
                .publicArea)!
        let command = TPMAuthorization.signing(Array(SHA256.hash(data: message)), with: area.name)
        let match = TestMatcher.TestMatch(key: matcher.key, command: command, reference: n.reference)
        let clock = ContinuousClock()
        var start = clock.now
        let signature = try await keys.sign(message, with: n, presence: Presence(context: match))
        print("biometric sign", clock.now - start)
        let key = try P256.Signing.PublicKey(x963Representation: jwk.x963!)
        #expect(key.isValidSignature(try .init(rawRepresentation: signature), for: message))
        func refused(_ m: TestMatcher.TestMatch, _ message: [UInt8] = [1, 2, 3]) async {
            do { _ = try await keys.sign(message, with: n, presence: Presence(context: m)); Issue.record("signed") } catch {
                print(error.debugDescription)
            }
        }
        var bad = match; bad.key = P256.Signing.PrivateKey(); await refused(bad)
        bad = match; bad.reference = name(.session).reference; await refused(bad)
        bad = match; bad.command = TPMAuthorization.signing(Array(repeating: 1, count: 32), with: area.name); await refused(bad)
        bad = match; bad.nonce = Array(repeating: 1, count: 32); await refused(bad)
        await refused(match, [9])
        start = clock.now
        await expect(keys.state(of: n), is: .usable)
        print("probe", clock.now - start)
        try matcher.raise()
        await expect(keys.state(of: n), is: .invalidated)
        await refused(match)
    }
}
#endif
