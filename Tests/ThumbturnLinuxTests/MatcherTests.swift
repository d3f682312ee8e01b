#if LinuxDevice && os(Linux)
import Crypto
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLinuxLab
import ThumbturnTestKit
import ThumbturnVerifier

@testable import ThumbturnLinux
@testable import ThumbturnMatcher

/// A matcher that runs in this process, and a device that uses it.
final class MatchedDevice: Sendable {
    let lab: LinuxLab
    let scratch: Scratch
    let socket: String
    let shown = Mutex<[String]>([])
    let logged = Mutex<[String]>([])
    let canShow = Mutex(true)
    private let service = Mutex<(MatcherService, DispatchSemaphore)?>(nil)

    /// A device on which only Ada's finger is enrolled.
    static func adas() async throws -> MatchedDevice {
        let lab = try await Real.lab.value
        try await lab.deletePrints(user: People.user)
        try await lab.enrol(People.ada, user: People.user)
        let device = try MatchedDevice(lab)
        try device.start()
        return device
    }

    private init(_ lab: LinuxLab) throws {
        self.lab = lab
        scratch = try Scratch()
        socket = "\(scratch.path)/matcher"
    }

    deinit { stop() }

    func start(prints: String? = nil) throws {
        let matcher = try MatcherService(
            .init(
                socket: socket, folder: "\(scratch.path)/state", tcti: lab.tcti, bus: lab.busAddress,
                prints: prints ?? lab.printsFolder
            ),
            show: { [weak self] text in
                guard let self, canShow.withLock({ $0 }) else { return false }
                shown.withLock { $0.append(text) }
                return true
            },
            log: { [weak self] line in self?.logged.withLock { $0.append(line) } }
        )
        let ended = DispatchSemaphore(value: 0)
        service.withLock { $0 = (matcher, ended) }
        let thread = Thread {
            matcher.run()
            ended.signal()
        }
        thread.start()
    }

    func stop() {
        service.withLock { running in
            running?.0.stop()
            running?.1.wait()
            running = nil
        }
    }

    var keys: TPMKeys { TPMKeys(tcti: lab.tcti, folder: "\(scratch.path)/keys", matcher: socket) }
    var sensor: MatcherSensor { MatcherSensor(socket: socket, keys: keys) }

    /// The signing input of a proof over a challenge for this key.
    func proofInput(_ name: KeyName, purpose: Purpose = .signIn) async throws -> [UInt8] {
        let kid = Signing.thumbprint(of: try await keys.publicKey(of: name))
        let claims = ChallengeClaims(
            iss: name.server, aud: name.server, jti: "j", iat: UnixTime(seconds: 1), exp: UnixTime(seconds: 2), kids: [kid],
            cnf: KeyConfirmation(jkt: "k"), purpose: purpose
        )
        let input = CompactJWS.signingInput(header: Array(#"{"alg":"HS256"}"#.utf8), payload: Signing.encode(claims))
        return Signing.proofInput(challenge: CompactJWS.compact(signingInput: input, signature: [1]), kid: kid)
    }

    func prompt(_ name: KeyName, _ message: [UInt8]) async -> PromptAnswer {
        await sensor.prompt(
            PromptRequest(rung: .biometric, reason: "Test", cancelButton: .cancel, key: name, message: message), hearing: { _ in }
        )
    }

    /// Asks for a finger and signs, as the device library does.
    func sign(_ name: KeyName) async throws -> [UInt8] {
        let message = try await proofInput(name)
        switch await prompt(name, message) {
        case .matched(let presence): return try await keys.sign(message, with: name, presence: presence)
        case .notMatched: throw Failure(.notMatched)
        case .failed(let failure): throw failure
        }
    }

    /// Returns when fprintd waits for a finger.
    func isAsking(from place: Int) async throws {
        try await lab.signal(from: place) { if case .verifyFingerSelected = $0 { true } else { false } }
    }
}

extension RealParts {
    @Suite(.enabled(if: Real.tpmIsHere && Real.readerIsHere)) struct MatcherTests {
        private let name = key(.biometric)

        @Test(.tpmAndReader) func anEnrolledFingerSignsAndAnotherDoesNot() async throws {
            let device = try await MatchedDevice.adas()
            #expect(await device.sensor.biometry() == .ready)
            let made = try await device.keys.create(name)
            await device.lab.willPress([.finger(People.ada, scan: 10), .finger(People.eve, scan: 10)])
            let signature = try await device.sign(name)
            #expect(try VerifyingKey(made).isValid(signature, for: try await device.proofInput(name)))
            await expectFailure(.notMatched) { _ = try await device.sign(name) }
            let question = "\(People.user): touch the reader to sign in to https://id.example"
            let idle = "No finger is needed now."
            #expect(device.shown.withLock { $0 } == [question, idle, question, idle])
            #expect(device.logged.withLock { $0 }.first?.contains("sign-in at https://id.example: matched, ") == true)
            #expect(await device.keys.state(of: name) == .usable)
        }

        @Test(.tpmAndReader) func oneMatchIsOneSignature() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            let message = try await device.proofInput(name)
            await device.lab.willPress([.finger(People.ada, scan: 11)])
            guard case .matched(let presence) = await device.prompt(name, message) else {
                Issue.record("no match")
                return
            }
            await expectFailure(.platform) {
                _ = try await device.keys.sign(Array("another".utf8), with: name, presence: presence)
            }
            // The refused attempt has consumed the match: the matcher signs once.
            await expectFailure(.biometryUnavailable) {
                _ = try await device.keys.sign(message, with: name, presence: presence)
            }
        }

        @Test(.tpmAndReader) func aFingerEnrolledWhileTheMatcherWasStoppedKillsTheKey() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            device.stop()
            try await device.lab.enrol(People.eve, as: "left-thumb", user: People.user)
            try device.start()
            await device.lab.willPress([.finger(People.eve, scan: 12)])
            await expectFailure(.keyInvalidated) { _ = try await device.sign(name) }
            #expect(await device.lab.plannedPresses == 1, "no finger was asked for")
            #expect(await device.keys.state(of: name).isDead, "the TPM refuses it as well")
            await expectFailure(.keyInvalidated) { _ = try await device.sign(name) }
            // After a new enrolment the new finger is accepted.
            _ = try await device.keys.create(name)
            _ = try await device.sign(name)
        }

        @Test(.tpmAndReader) func aRemovedFingerInvalidatesTheKey() async throws {
            let device = try await MatchedDevice.adas()
            try await device.lab.enrol(People.eve, as: "left-thumb", user: People.user)
            _ = try await device.keys.create(name)
            let removed = try await device.lab.run("fprintd-delete", [People.user, "-f", "left-thumb"])
            #expect(removed.status == 0, "\(removed.output)")
            await expectFailure(.keyInvalidated) { _ = try await device.sign(name) }
        }

        @Test(.tpmAndReader) func askingForTheIdentityNoticesAChange() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            let before = try MatcherConnection(socket: device.socket).identity()
            try await device.lab.enrol(People.eve, as: "left-thumb", user: People.user)
            let after = try MatcherConnection(socket: device.socket).identity()
            #expect(after.value > before.value)
            #expect(after.counter == before.counter && after.key == before.key)
            #expect(await device.keys.state(of: name).isDead)
        }

        @Test(.tpmAndReader) func thePINWorksWithoutTheMatcher() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            let pin = try #require(PIN("293847"))
            _ = try await device.keys.create(key(.pin), pin: pin)
            device.stop()
            #expect(await device.sensor.biometry() == .unavailable)
            await expectFailure(.biometryUnavailable) { _ = try await device.sign(name) }
            _ = try await device.keys.sign([1], with: key(.pin), pin: pin)
            #expect(await device.keys.state(of: name) == .usable, "the key itself is usable")
        }

        @Test(.tpmAndReader) func twoDevicesAtOnceAreAskedOneAfterTheOther() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            let place = device.lab.place
            await device.lab.willPress([.nothing])
            let first = Task { try await device.sign(name) }
            try await device.isAsking(from: place)
            await expectFailure(.biometryUnavailable) { _ = try await device.sign(name) }
            try await device.lab.reader.present(People.ada.scan(13))
            _ = try await first.value
        }

        @Test(.tpmAndReader) func aCancelledRequestIsNoAttempt() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            for _ in 1...7 {
                let place = device.lab.place
                await device.lab.willPress([.nothing])
                let asking = Task { try await device.sign(name) }
                try await device.isAsking(from: place)
                asking.cancel()
                await expectFailure(.cancelledByApp) { _ = try await asking.value }
            }
            // Seven requests without a verdict are no attempts, so the next one does not wait.
            await device.lab.willPress([.finger(People.ada, scan: 21)])
            _ = try await device.sign(name)
        }

        @Test(.tpmAndReader) func fiveMismatchesThrottleTheUserAlsoAfterARestart() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            for scan in 30..<35 {
                await device.lab.willPress([.finger(People.eve, scan: scan)])
                await expectFailure(.notMatched) { _ = try await device.sign(name) }
            }
            await device.lab.willPress([.finger(People.ada, scan: 35)])
            await expectFailure(.lockedOut) { _ = try await device.sign(name) }
            device.stop()
            try device.start()
            await expectFailure(.lockedOut) { _ = try await device.sign(name) }
            #expect(await device.lab.plannedPresses == 1, "no finger was asked for")
        }

        @Test(.tpmAndReader) func leavingWhenTheVerdictIsHeardSavesNoAttempt() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            for scan in 50..<55 {
                let place = device.lab.place
                await device.lab.willPress([.finger(People.eve, scan: scan)])
                let asking = Task { try? await device.sign(name) }
                // Every client of the bus hears fprintd's signals. This device cancels as soon as it hears the mismatch.
                try await device.lab.signal(from: place) { $0 == .verifyStatus("verify-no-match", done: true) }
                asking.cancel()
                _ = await asking.value
            }
            await expectFailure(.lockedOut) { _ = try await device.sign(name) }
        }

        @Test(.tpmAndReader) func withoutAWritableScreenNoFingerIsAskedFor() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            device.canShow.withLock { $0 = false }
            await device.lab.willPress([.finger(People.ada, scan: 60)])
            await expectFailure(.biometryUnavailable) { _ = try await device.sign(name) }
            #expect(await device.lab.plannedPresses == 1, "no finger was asked for")
            device.canShow.withLock { $0 = true }
            _ = try await device.sign(name)
        }

        @Test(.tpmAndReader) func aMatchIsNotSignedWithoutPrintsToWatch() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            device.stop()
            // The matcher watches a folder without prints, in which it would never notice a change.
            let elsewhere = "\(device.scratch.path)/elsewhere"
            try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
            try device.start(prints: elsewhere)
            await device.lab.willPress([.finger(People.ada, scan: 61)])
            await expectFailure(.keyInvalidated) { _ = try await device.sign(name) }
            await expectFailure(.biometryNotEnrolled) { _ = try await device.sign(name) }
            await expectFailure(.biometryNotEnrolled) { _ = try await device.keys.create(name) }
            #expect(await device.lab.plannedPresses == 1, "no finger was asked for")
        }

        @Test(.tpmAndReader) func aMalformedRequestCostsTheTPMNothing() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            await device.lab.kill(.tpm)
            let line = try #require(LineSocket(path: device.socket))
            let request = MatchRequest(name, key: try device.keys.publicArea(of: name), message: Array("Pay Mallory".utf8))
            _ = line.send(MatcherCommand.match(request))
            // A matcher that asked the TPM first would answer that it is broken.
            guard case .refused(.malformed) = line.receive(MatcherReply.self, within: .seconds(5)) else {
                Issue.record("the TPM was asked before the form was judged")
                return
            }
        }

        @Test(.tpmAndReader) func afterFiftyMismatchesAnAdministratorAllowsTheReaderAgain() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            device.stop()
            let (clock, user) = (VirtualClock(), MatcherState.User(id: geteuid(), name: People.user))
            let state = try MatcherState(
                folder: "\(device.scratch.path)/state", tcti: device.lab.tcti,
                prints: EnrolledPrints(folder: device.lab.printsFolder), clock: clock.moment
            )
            for _ in 1...MatcherThrottle.limit {
                try state.settle(user, .notMatched, before: try state.begin(user))
                clock.advance(by: .seconds(300))
            }
            try device.start()
            await device.lab.willPress([.finger(People.ada, scan: 62)])
            await expectFailure(.lockedOut) { _ = try await device.sign(name) }
            #expect(await device.lab.plannedPresses == 1, "no finger was asked for")
            #expect(await device.sensor.biometry() == .unavailable)
            let findings = Examination(tcti: device.lab.tcti, matcher: device.socket, bus: device.lab.busAddress).broker()
            #expect(findings.last?.remedy?.contains("thumbturn-matcherd unlock \(People.user)") == true)
            try MatcherService.unlock(user.id, at: device.socket)
            #expect(device.logged.withLock { $0 }.last == "user \(user.id): unlocked user \(user.id)")
            _ = try await device.sign(name)
        }

        @Test(.tpmAndReader) func malformedRequestsAreRefusedAndDisturbNoOther() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            for text in [
                "", "{}", "[]", "null", "{\"match\":{}}", "{\"authorize\":{\"nonce\":\"AAAA\"}}",
                String(repeating: "x", count: 100_000),
            ] {
                let line = try #require(LineSocket(path: device.socket))
                _ = line.send(raw: Array(text.utf8) + [10])
                switch line.receive(MatcherReply.self, within: .seconds(5)) {
                case .refused(.malformed), nil: break
                case let reply?: Issue.record("\(text.prefix(20)): \(reply)")
                }
            }
            // A text is no proof, even in a well-formed request.
            let line = try #require(LineSocket(path: device.socket))
            let request = MatchRequest(name, key: try device.keys.publicArea(of: name), message: Array("Pay Mallory".utf8))
            _ = line.send(MatcherCommand.match(request))
            guard case .refused(.malformed) = line.receive(MatcherReply.self, within: .seconds(5)) else {
                Issue.record("a text was accepted as a proof")
                return
            }
            await device.lab.willPress([.finger(People.ada, scan: 40)])
            _ = try await device.sign(name)
        }

        @Test(.tpmAndReader) func anOwnersPasswordBlocksNewKeysAndInvalidatesNone() async throws {
            let device = try await MatchedDevice.adas()
            let pin = try #require(PIN("293847"))
            _ = try await device.keys.create(key(.pin), pin: pin)
            _ = try await device.keys.create(key(.pin, "eve"), pin: pin)
            let set = try await device.lab.run("tpm2_changeauth", ["-c", "owner", "secret"])
            #expect(set.status == 0, "\(set.output)")
            // This user has no counter yet, and now none can be created.
            await expectFailure(.biometryUnavailable) { _ = try await device.keys.create(name) }
            await expectFailure(.permissionDenied) { _ = try await device.keys.create(key(.session)) }
            // Signing needs a storage root, which this machine does not keep. The error must not be reported as a wrong PIN.
            await expectFailure(.permissionDenied) { _ = try await device.keys.sign([1], with: key(.pin, "eve"), pin: pin) }
            // Deleting needs no authorisation.
            try await device.keys.delete(key(.pin))
            #expect(await device.keys.state(of: key(.pin)) == .missing)
            let cleared = try await device.lab.run("tpm2_changeauth", ["-c", "owner", "-p", "secret"])
            #expect(cleared.status == 0, "\(cleared.output)")
            _ = try await device.keys.create(name)
        }

        @Test(.tpmAndReader) func aCounterThatTheOwnerRemovedIsCreatedAgainAndItsKeysAreInvalidated() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            let before = try MatcherConnection(socket: device.socket).identity()
            try TPM.connected(device.lab.tcti) { tpm throws(TPMError) in try tpm.undefine(before.counter.handle) }
            await expectFailure(.keyInvalidated) { _ = try await device.sign(name) }
            let after = try MatcherConnection(socket: device.socket).identity()
            #expect(after.value > before.value)
            _ = try await device.keys.create(name)
            await device.lab.willPress([.finger(People.ada, scan: 42)])
            _ = try await device.sign(name)
        }

        @Test(.tpmAndReader) func theProgramSeparatesUsersAndSurvivesAKill() async throws {
            let device = try await MatchedDevice.adas()
            device.stop()
            let state = "\(device.scratch.path)/state"
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Built.path("thumbturn-matcherd"))
            process.arguments = [
                "--socket", device.socket, "--group", "nogroup", "--folder", state, "--tcti", device.lab.tcti, "--bus",
                device.lab.busAddress,
                "--prints",
                device.lab.printsFolder,
            ]
            let output = Pipe()
            process.standardOutput = output
            let (texts, textWriter) = AsyncStream.makeStream(of: String.self)
            output.fileHandleForReading.readabilityHandler = { handle in
                let data = handle.availableData
                if data.isEmpty { handle.readabilityHandler = nil }
                textWriter.yield(String(decoding: data, as: UTF8.self))
            }
            let (ended, endWriter) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in endWriter.finish() }
            try process.run()
            defer { process.terminate() }
            for await text in texts where text.contains("listens at") { break }

            // The kernel reports the user of each connection. A user without prints has neither a counter nor a record.
            _ = try await device.keys.create(name)
            let (doctor, matcherd) = ("\(device.scratch.path)/thumbturn", "\(device.scratch.path)/thumbturn-matcherd")
            for program in [doctor, matcherd] {
                let built = Built.path(URL(fileURLWithPath: program).lastPathComponent)
                try FileManager.default.copyItem(atPath: built, toPath: program)
            }
            func asNobody(of group: String, _ command: [String]) async throws -> Finished {
                try await Built.run(
                    "/usr/bin/setpriv", ["--reuid", "nobody", "--regid", group, "--clear-groups"] + command)
            }
            let examination = [
                doctor, "doctor", "--tcti", device.lab.tcti, "--matcher", device.socket, "--bus", device.lab.busAddress,
            ]
            let member = try await asNobody(of: "nogroup", examination)
            #expect(member.output.contains("it keeps no enrolment counter"), "\(member.output)\(member.errors)")
            let stranger = try await asNobody(of: "daemon", examination)
            #expect(stranger.output.contains("This user may not connect"), "\(stranger.output)\(stranger.errors)")
            let records = try FileManager.default.contentsOfDirectory(atPath: state).filter { $0.hasSuffix(".user") }
            #expect(records == ["0.user"])
            // Only root sets a count back.
            let unlock = [matcherd, "unlock", People.user, "--socket", device.socket]
            let refused = try await asNobody(of: "nogroup", unlock)
            #expect(refused.status == 77 && refused.errors.contains("Only root"), "\(refused.output)\(refused.errors)")
            let unlocked = try await Built.run(unlock[0], Array(unlock.dropFirst()))
            #expect(unlocked.status == 0, "\(unlocked.output)\(unlocked.errors)")

            let place = device.lab.place
            await device.lab.willPress([.finger(People.ada, scan: 43), .nothing])
            _ = try await device.sign(name)
            let asking = Task { try await device.sign(name) }
            try await device.lab.signal(from: place) { $0 == .verifyStatus("verify-match", done: true) }
            try await device.isAsking(from: device.lab.place - 1)
            kill(process.processIdentifier, SIGKILL)
            await expectFailure(.biometryUnavailable) { _ = try await asking.value }
            for await _ in ended {}
            // The counts survive the kill, and the key is still bound to its counter.
            try device.start()
            await device.lab.willPress([.finger(People.ada, scan: 44)])
            _ = try await device.sign(name)
        }

        @Test(.tpmAndReader) func aSecondMatcherDoesNotTakeTheSocket() async throws {
            let device = try await MatchedDevice.adas()
            #expect(throws: Failure.self) { try device.start() }
            _ = try await device.keys.create(name)
        }

        @Test(.tpmAndReader) func onlyTheMatchersUserMayReadItsFiles() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            let state = "\(device.scratch.path)/state"
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(state) == 0o700)
            for file in try FileManager.default.contentsOfDirectory(atPath: state) {
                #expect(try mode("\(state)/\(file)") == 0o600)
            }
        }

        @Test(.tpmAndReader) func withoutATPMThereIsNoMatch() async throws {
            let device = try await MatchedDevice.adas()
            _ = try await device.keys.create(name)
            let message = try await device.proofInput(name)
            await device.lab.kill(.tpm)
            guard case .failed(let failure) = await device.prompt(name, message) else {
                Issue.record("matched without a TPM")
                return
            }
            #expect(failure.code == .biometryUnavailable)
            #expect(await device.keys.state(of: name) == .notYetReadable)
            try await device.lab.restart(.tpm)
            await device.lab.willPress([.finger(People.ada, scan: 41)])
            _ = try await device.sign(name)
        }
    }
}

extension LineSocket {
    func send(raw bytes: [UInt8]) -> Bool {
        unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0
    }
}
#endif
