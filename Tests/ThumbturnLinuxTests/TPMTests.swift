#if LinuxDevice && os(Linux)
import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLinuxLab
import ThumbturnVerifier

@testable import ThumbturnLinux
@testable import ThumbturnMatcher

extension RealParts {
    @Suite(.enabled(if: Real.tpmIsHere)) struct TPMTests {
        let message: [UInt8] = Array("a challenge".utf8)
        let right = PIN("293847")
        let wrong = PIN("111111")

        private func keys(_ lab: LinuxLab, _ folder: String, _ matcher: (any Matcher)? = nil) -> TPMKeys {
            TPMKeys(tcti: lab.tcti, folder: folder, matcher: matcher)
        }

        private func loaded(_ lab: LinuxLab) throws -> Int { try TPMFacts.read(lab.tcti).loaded }

        @Test(.tpm) func itsKeysConformToThePorts() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let keys = keys(lab, scratch.path)
            try await DeviceKeysConformance.aKeyLives(keys)
            try await PINKeyConformance.aKeyLives(keys)
            try await PINKeyConformance.aWrongPINIsRefused(keys)
            try await PINKeyConformance.aRightPINForgetsTheWrongOnes(keys)
            try await PINKeyConformance.theHardwareEndsAKeyByItself(keys)
        }

        @Test(.tpm) func aSessionKeyLivesInTheTPM() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let keys = keys(lab, scratch.path)
            #expect(await keys.state(of: key(.session)) == .missing)
            await expectFailure(.notEnrolled) { _ = try await keys.sign(message, with: key(.session), presence: nil) }
            let made = try await keys.create(key(.session))
            #expect(await keys.state(of: key(.session)) == .usable)
            #expect(try await keys.publicKey(of: key(.session)) == made)
            let signature = try await keys.sign(message, with: key(.session), presence: nil)
            #expect(try VerifyingKey(made).isValid(signature, for: message))
            #expect(await keys.state(of: key(.session, "eve")) == .missing)
            #expect(try await keys.create(key(.session)) != made)
            try await keys.delete(key(.session))
            try await keys.delete(key(.session))
            #expect(await keys.state(of: key(.session)) == .missing)
            #expect(try loaded(lab) == 0)
        }

        @Test(.tpm) func aMatchSignsOneMessageWithOneKeyInOneSession() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = keys(lab, scratch.path, matcher)
            let made = try await keys.create(key(.biometric))
            _ = try await keys.create(key(.biometric, "eve"))
            let match = try matcher.match(message, key(.biometric), of: keys)
            let signature = try await keys.sign(message, with: key(.biometric), presence: Presence(context: match))
            #expect(try VerifyingKey(made).isValid(signature, for: message))

            func isRefused(_ match: SimulatedMatch, _ comment: Comment, message: [UInt8]? = nil) async {
                do {
                    _ = try await keys.sign(message ?? self.message, with: key(.biometric), presence: Presence(context: match))
                    Issue.record("signed: \(comment)")
                } catch {
                    // TPM_RC_SIGNATURE or TPM_RC_POLICY_FAIL: the TPM itself refuses.
                    #expect(error.status.map { TPMError(code: UInt32($0.code)).meaning } == .notAuthorized, comment)
                }
            }
            var forged = match
            forged.key = P256.Signing.PrivateKey()
            await isRefused(forged, "a forged match")
            var old = match
            old.nonce = [UInt8](repeating: 1, count: 32)
            await isRefused(old, "a match for another session")
            let used = Mutex<[UInt8]>([])
            var first = match
            first.signed = { signature in used.withLock { $0 = signature } }
            _ = try await keys.sign(message, with: key(.biometric), presence: Presence(context: first))
            var replayed = match
            replayed.replayed = used.withLock { $0 }
            #expect(replayed.replayed?.count == 64)
            await isRefused(replayed, "a match that was used before")
            var other = match
            other.reference = key(.biometric, "eve").reference
            await isRefused(other, "a match for another key of ours")
            await isRefused(try matcher.match(message, key(.biometric, "eve"), of: keys), "a match for another key of the TPM")
            await isRefused(match, "a match for another digest", message: Array("another".utf8))
            await isRefused(try matcher.match(Array("another".utf8), key(.biometric), of: keys), "a match for another digest")
            var longer = match
            longer.claimedExpiration = 3600
            await isRefused(longer, "a later expiry than was signed")

            await expectFailure(.notMatched) { _ = try await keys.sign(message, with: key(.biometric), presence: nil) }
            await expectFailure(.notMatched) {
                _ = try await keys.sign(message, with: key(.biometric), presence: Presence(context: "yes"))
            }
            #expect(await keys.state(of: key(.biometric)) == .usable, "no refusal harms the key")
            #expect(try loaded(lab) == 0)
        }

        @Test(.tpm) func aBiometricKeyNeedsBothTheMatcherAndTheCounter() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = keys(lab, scratch.path, matcher)
            _ = try await keys.create(key(.biometric))
            let area = try keys.publicArea(of: key(.biometric))
            #expect(!area.attributes.contains(.userWithAuth))
            #expect(area.attributes.isSuperset(of: .bound))
            let path = "\(scratch.path)/\(key(.biometric).file)"
            let file = try TPMKeyFile(Array(Data(contentsOf: URL(fileURLWithPath: path))))
            let blob = TPM.Blob(publicArea: area, sealed: file.sealed, parent: file.parent)
            let digest = Array(SHA256.hash(data: message))
            let identity = try matcher.identity()
            let signer = TPMPublicArea(verifying: try #require(identity.key.publicKey))

            func tries(_ work: @escaping (TPM, TPM.Handle, TPM.Handle) throws(TPMError) -> Void) -> TPMError? {
                do throws(TPMError) {
                    try TPM.connected(lab.tcti) { tpm throws(TPMError) in
                        try tpm.withLoaded(blob) { key throws(TPMError) in
                            try tpm.withPolicySession { session throws(TPMError) in try work(tpm, key, session) }
                        }
                    }
                    return nil
                } catch {
                    return error
                }
            }
            let byPassword = tries { tpm, key, _ throws(TPMError) in _ = try tpm.sign(digest, with: key) }
            #expect(byPassword != nil, "its empty password does not authorise signing")
            let byNothing = tries { tpm, key, session throws(TPMError) in _ = try tpm.sign(digest, with: key, session: session) }
            #expect(byNothing?.meaning == .notAuthorized)
            let byCounter = tries { tpm, key, session throws(TPMError) in
                try tpm.satisfyCounter(identity.counter, equals: identity.value, in: session)
                _ = try tpm.sign(digest, with: key, session: session)
            }
            #expect(byCounter?.meaning == .notAuthorized)
            let byMatcher = tries { tpm, key, session throws(TPMError) in
                let authorization = TPMAuthorization(
                    nonce: try tpm.nonce(of: session), expiration: 10, command: TPMAuthorization.signing(digest, with: area.name),
                    reference: ThumbturnLinuxTests.key(.biometric).reference
                )
                let signature = try? matcher.key.signature(for: authorization.bytes)
                try tpm.satisfySigned(
                    authorization, signature: Array(signature?.rawRepresentation ?? Data()), by: signer, in: session)
                _ = try tpm.sign(digest, with: key, session: session)
            }
            #expect(byMatcher?.meaning == .notAuthorized, "the counter is required as well")
        }

        @Test(.tpm) func anAuthorizationExpires() async throws {
            let lab = try await Real.lab.value
            let matcher = try SimulatedMatcher(lab.tcti)
            let signer = TPMPublicArea(verifying: try #require(try matcher.identity().key.publicKey))
            do throws(TPMError) {
                try TPM.connected(lab.tcti) { tpm throws(TPMError) in
                    try tpm.withPolicySession { session throws(TPMError) in
                        let authorization = TPMAuthorization(
                            nonce: try tpm.nonce(of: session), expiration: 1, command: [], reference: [5])
                        // A test cannot move the TPM's clock, so it polls until the second is over.
                        let deadline = ContinuousClock.now + .milliseconds(1500)
                        while ContinuousClock.now < deadline { _ = try tpm.digest(of: session) }
                        let signature = try? matcher.key.signature(for: authorization.bytes)
                        try tpm.satisfySigned(
                            authorization, signature: Array(signature?.rawRepresentation ?? Data()), by: signer, in: session
                        )
                    }
                }
                Issue.record("accepted after its expiry")
            } catch {
                #expect(error.meaning == .expired, "\(error)")
            }
        }

        @Test(.tpm) func ourPolicyDigestEqualsTheTPMs() async throws {
            let lab = try await Real.lab.value
            let matcher = try SimulatedMatcher(lab.tcti)
            let identity = try matcher.identity()
            let signer = TPMPublicArea(verifying: try #require(identity.key.publicKey))
            let digest = try TPM.connected(lab.tcti) { tpm throws(TPMError) in
                try tpm.withPolicySession { session throws(TPMError) in
                    let authorization = TPMAuthorization(
                        nonce: try tpm.nonce(of: session), expiration: 10, command: [], reference: [5])
                    let signature = try? matcher.key.signature(for: authorization.bytes)
                    try tpm.satisfySigned(
                        authorization, signature: Array(signature?.rawRepresentation ?? Data()), by: signer, in: session)
                    try tpm.satisfyCounter(identity.counter, equals: identity.value, in: session)
                    return try tpm.digest(of: session)
                }
            }
            let ours = TPMKeyPolicy.biometric(
                matcher: signer.name, reference: [5], counter: identity.counter.name, at: identity.value
            )
            #expect(digest == ours.digest)
        }

        @Test(.tpm) func aRaisedCounterInvalidatesTheBiometricKeyAndNotThePINKey() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = keys(lab, scratch.path, matcher)
            let pin = try #require(right)
            _ = try await keys.create(key(.biometric))
            _ = try await keys.create(key(.pin), pin: pin)
            try matcher.raise()
            #expect(await keys.state(of: key(.biometric)).isDead, "found without a prompt")
            let match = try matcher.match(message, key(.biometric), of: keys)
            await expectFailure(.keyInvalidated) {
                _ = try await keys.sign(message, with: key(.biometric), presence: Presence(context: match))
            }
            #expect(await keys.state(of: key(.pin)) == .usable)
            _ = try await keys.sign(message, with: key(.pin), pin: pin)
            _ = try await keys.create(key(.biometric))
            #expect(await keys.state(of: key(.biometric)) == .usable, "after a new enrolment")
        }

        @Test(.tpm) func onlyTheMatcherRaisesTheCounterAndItNeverGoesBack() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = keys(lab, scratch.path, matcher)
            _ = try await keys.create(key(.biometric))
            let counter = matcher.counter
            #expect(throws: TPMError.self) {
                try TPM.connected(lab.tcti) { tpm throws(TPMError) in try tpm.raise(counter, value: [1]) }
            }
            #expect(await keys.state(of: key(.biometric)) == .usable)
            // The TPM's owner can replace the counter by another one, even with the same name, but that one starts higher.
            let before = try matcher.identity().value
            try TPM.connected(lab.tcti) { tpm throws(TPMError) in
                try tpm.undefine(counter.handle)
            }
            #expect(await keys.state(of: key(.biometric)).isDead)
            let again = try TPM.connected(lab.tcti) { tpm throws(TPMError) in
                try tpm.defineCounter(at: counter.handle, value: matcher.value)
            }
            #expect(again == counter)
            #expect(try matcher.identity().value > before)
            #expect(await keys.state(of: key(.biometric)).isDead)
        }

        @Test(.tpm) func tenConsecutiveWrongPINsDisableThePINKeyAndNotTheBiometricKey() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = keys(lab, scratch.path, matcher)
            let (right, wrong) = (try #require(right), try #require(wrong))
            let made = try await keys.create(key(.pin), pin: right)
            _ = try await keys.create(key(.biometric))
            for _ in 1...9 {
                await expectFailure(.notMatched) { _ = try await keys.sign(message, with: key(.pin), pin: wrong) }
            }
            #expect(await keys.state(of: key(.pin)) == .usable)
            let signature = try await keys.sign(message, with: key(.pin), pin: right)
            #expect(try VerifyingKey(made).isValid(signature, for: message))
            for _ in 1...10 {
                await expectFailure(.notMatched) { _ = try await keys.sign(message, with: key(.pin), pin: wrong) }
            }
            await expectFailure(.keyInvalidated) { _ = try await keys.sign(message, with: key(.pin), pin: right) }
            #expect(await keys.state(of: key(.pin)).isDead)
            #expect(await keys.state(of: key(.biometric)) == .usable)
            let match = try matcher.match(message, key(.biometric), of: keys)
            _ = try await keys.sign(message, with: key(.biometric), presence: Presence(context: match))
            #expect(try TPMFacts.read(lab.tcti).isLockedOut == false, "the dictionary attack protection has counted nothing")
            #expect(try loaded(lab) == 0)
        }

        @Test(.tpm) func theCountOfWrongPINsSurvivesARestartOfTheTPM() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let keys = keys(lab, scratch.path)
            let (right, wrong) = (try #require(right), try #require(wrong))
            _ = try await keys.create(key(.pin), pin: right)
            for _ in 1...9 {
                await expectFailure(.notMatched) { _ = try await keys.sign(message, with: key(.pin), pin: wrong) }
            }
            await lab.kill(.tpm)
            try await lab.restart(.tpm)
            await expectFailure(.notMatched) { _ = try await keys.sign(message, with: key(.pin), pin: wrong) }
            await expectFailure(.keyInvalidated) { _ = try await keys.sign(message, with: key(.pin), pin: right) }
        }

        @Test(.tpm) func theCountOfWrongPINsCannotBeReset() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let keys = keys(lab, scratch.path)
            let (right, wrong) = (try #require(right), try #require(wrong))
            _ = try await keys.create(key(.pin), pin: right)
            let path = "\(scratch.path)/\(key(.pin).file)"
            guard case .pin(let index) = try TPMKeyFile(Array(Data(contentsOf: URL(fileURLWithPath: path)))).guarded else {
                Issue.record("no index")
                return
            }
            await expectFailure(.notMatched) { _ = try await keys.sign(message, with: key(.pin), pin: wrong) }
            let (handle, zeros) = (String(format: "0x%08x", index.handle), "\(scratch.path)/zeros")
            try Data([0, 0, 0, 0, 0, 0, 0, 10]).write(to: URL(fileURLWithPath: zeros))
            // TPM_RC_NV_AUTHORIZATION for the owner, TPM_RC_AUTH_UNAVAILABLE for the value: only the policy writes.
            for (authority, code) in [("o", "0x149"), (handle, "0x12F")] {
                let written = try await lab.run("tpm2_nvwrite", ["-C", authority, "-i", zeros, handle])
                #expect(written.status != 0 && written.output.contains(code), "\(written.output)")
            }
            let count = try TPM.connected(lab.tcti) { tpm throws(TPMError) in try tpm.wrongValues(index).count }
            #expect(count == 1)
            // The owner can replace the index by one with another PIN, but the key is bound to the old index's name.
            try TPM.connected(lab.tcti) { tpm throws(TPMError) in
                try tpm.undefine(index.handle)
                _ = try tpm.definePIN(at: index.handle, value: [1, 2, 3], limit: 10)
            }
            #expect(await keys.state(of: key(.pin)).isDead)
            await expectFailure(.keyInvalidated) { _ = try await keys.sign(message, with: key(.pin), pin: right) }
        }

        @Test(.tpm) func deletingNeedsNoAuthorisationAndLeavesNothing() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let keys = keys(lab, scratch.path, try SimulatedMatcher(lab.tcti))
            _ = try await keys.create(key(.session))
            _ = try await keys.create(key(.biometric))
            _ = try await keys.create(key(.pin), pin: try #require(right))
            for kind in [KeyKind.session, .biometric, .pin] { try await keys.delete(key(kind)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
            let pins = try TPM.connected(lab.tcti) { tpm throws(TPMError) in
                try tpm.handles(from: 0x0180_7500).filter { $0 < 0x0180_7600 }
            }
            #expect(pins.isEmpty)
        }

        @Test(.tpm) func aKeyIsNotYetReadableWhileItsTPMIsDown() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = keys(lab, scratch.path, matcher)
            _ = try await keys.create(key(.biometric))
            var match = try matcher.match(message, key(.biometric), of: keys)
            let id = try #require(await lab.processID(of: .tpm))
            match.beforeSigning = { kill(id, SIGKILL) }
            await expectFailure(.notYetReadable) {
                _ = try await keys.sign(message, with: key(.biometric), presence: Presence(context: match))
            }
            #expect(await keys.state(of: key(.biometric)) == .notYetReadable, "the state is not a sign-out")
            try await lab.restart(.tpm)
            #expect(await keys.state(of: key(.biometric)) == .usable)
            match.beforeSigning = {}
            _ = try await keys.sign(message, with: key(.biometric), presence: Presence(context: match))
        }

        @Test(.tpm) func keysOutliveAStorageRootThatTheMachineKeepsLater() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let keys = keys(lab, scratch.path)
            _ = try await keys.create(key(.session))
            // Another tool keeps a root of the same kind from a template with zeros in the place of the public point.
            let zeros = "\(scratch.path)/zeros"
            try Data([32, 0] + [UInt8](repeating: 0, count: 32) + [32, 0] + [UInt8](repeating: 0, count: 32)).write(
                to: URL(fileURLWithPath: zeros))
            let context = "\(scratch.path)/root"
            for (tool, arguments) in [
                (
                    "tpm2_createprimary",
                    [
                        "-C", "o", "-G", "ecc256:aes128cfb", "-g", "sha256", "-c", context, "-u", zeros, "-a",
                        "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt",
                    ]
                ),
                ("tpm2_evictcontrol", ["-C", "o", "-c", context, "0x81000001"]), ("tpm2_flushcontext", ["-t"]),
            ] {
                let result = try await lab.run(tool, arguments)
                #expect(result.status == 0, "\(tool): \(result.output)")
            }
            #expect(try TPMFacts.read(lab.tcti).keepsStorageRoot)
            #expect(await keys.state(of: key(.session)) == .usable)
            _ = try await keys.sign(message, with: key(.session), presence: nil)
            // A key that is created now is sealed by the kept root, and is lost with it.
            _ = try await keys.create(key(.session, "eve"))
            _ = try await keys.sign(message, with: key(.session, "eve"), presence: nil)
            let gone = try await lab.run("tpm2_evictcontrol", ["-C", "o", "-c", "0x81000001"])
            #expect(gone.status == 0, "\(gone.output)")
            #expect(await keys.state(of: key(.session)) == .usable)
            #expect(await keys.state(of: key(.session, "eve")).isDead)
        }

        @Test(.tpm) func anotherTPMCannotUseTheFiles() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let made = keys(lab, scratch.path)
            _ = try await made.create(key(.session))
            let other = try await LinuxLab.start(in: "/tmp/thumbturn-other-\(UUID().uuidString)", parts: [.tpm])
            let elsewhere = keys(other, scratch.path)
            #expect(await elsewhere.state(of: key(.session)).isDead)
            await expectFailure(.keyInvalidated) { _ = try await elsewhere.sign(message, with: key(.session), presence: nil) }
            await other.stop()
            #expect(await made.state(of: key(.session)) == .usable)
        }

        @Test(.tpm) func aDamagedFileInvalidatesItsKey() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let keys = keys(lab, scratch.path)
            _ = try await keys.create(key(.session))
            let url = URL(fileURLWithPath: "\(scratch.path)/\(key(.session).file)")
            var file = try TPMKeyFile(Array(Data(contentsOf: url)))
            file.sealed[file.sealed.count - 1] ^= 1
            try Data(try file.bytes).write(to: url)
            #expect(await keys.state(of: key(.session)).isDead)
            file.sealed += [UInt8](repeating: 0, count: 70_000)
            try Data(try file.bytes).write(to: url)
            #expect(await keys.state(of: key(.session)).isDead)
            try Data("{".utf8).write(to: url)
            #expect(await keys.state(of: key(.session)).isDead)
            try await keys.delete(key(.session))
            #expect(await keys.state(of: key(.session)) == .missing)
        }

        @Test func withoutATPMNoKeyIsCreated() async throws {
            let scratch = try Scratch()
            let keys = TPMKeys(tcti: "swtpm:host=127.0.0.1,port=1", folder: scratch.path)
            await expectFailure(.notYetReadable) { _ = try await keys.create(key(.session)) }
            #expect(await keys.state(of: key(.session)) == .missing)
            await expectFailure(.policyDenies) { _ = try await keys.create(key(.passcode)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
        }

        @Test(.tpm) func aThousandSignInsLeaveNothingInTheTPM() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = keys(lab, scratch.path, matcher)
            let pin = try #require(wrong)
            _ = try await keys.create(key(.session))
            _ = try await keys.create(key(.biometric))
            _ = try await keys.create(key(.pin), pin: try #require(right))
            let match = try matcher.match(message, key(.biometric), of: keys)
            var forged = match
            forged.key = P256.Signing.PrivateKey()
            for round in 1...1000 {
                // A sign-in checks the key's state and makes two signatures of the session key and one of the biometric key.
                _ = await keys.state(of: key(.biometric))
                _ = try await keys.sign(message, with: key(.session), presence: nil)
                _ = try await keys.sign(message, with: key(.biometric), presence: Presence(context: match))
                _ = try await keys.sign(message, with: key(.session), presence: nil)
                // Every hundredth one fails half-way.
                if round % 100 == 0 {
                    _ = try? await keys.sign(message, with: key(.biometric), presence: Presence(context: forged))
                    _ = try? await keys.sign(message, with: key(.pin), pin: pin)
                }
            }
            #expect(try loaded(lab) == 0)
        }
    }
}
#endif
