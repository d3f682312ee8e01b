#if LinuxDevice && os(Linux)
import Foundation
import Synchronization
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLinuxLab

@testable import ThumbturnLinux

/// The fingers of two people, and the user who runs the tests.
enum People {
    static let user = NSUserName()
    static let ada = SyntheticFinger(seed: 1)
    static let eve = SyntheticFinger(seed: 2)
}

extension RealParts {
    @Suite(.enabled(if: Real.readerIsHere)) struct ReaderTests {
        private func sensor(_ lab: LinuxLab) -> FprintdSensor { FprintdSensor(bus: lab.busAddress) }

        private let request = PromptRequest(
            rung: .biometric, reason: "Test", cancelButton: .cancel, key: key(.biometric), message: [1]
        )

        /// A lab in which only Ada's finger is enrolled.
        private func adas() async throws -> LinuxLab {
            let lab = try await Real.lab.value
            try await lab.deletePrints(user: People.user)
            try await lab.enrol(People.ada, user: People.user)
            return lab
        }

        private func answer(_ lab: LinuxLab, hearing: @escaping @Sendable (PromptNews) -> Void = { _ in }) async -> PromptAnswer {
            await sensor(lab).prompt(request, hearing: hearing)
        }

        private func expect(
            _ answer: PromptAnswer, fails code: Failure.Code, sourceLocation: SourceLocation = #_sourceLocation
        ) -> Failure? {
            guard case .failed(let failure) = answer else {
                Issue.record("\(answer)", sourceLocation: sourceLocation)
                return nil
            }
            #expect(failure.code == code, "\(failure.debugDescription)", sourceLocation: sourceLocation)
            return failure
        }

        @Test(.reader) func anEnrolledFingerMatchesAndAnotherDoesNot() async throws {
            let lab = try await adas()
            #expect(await sensor(lab).biometry() == .ready)
            await lab.willPress([.finger(People.ada, scan: 0), .finger(People.eve, scan: 0), .finger(People.ada, scan: 1)])
            guard case .matched = await answer(lab) else {
                Issue.record("Ada's finger does not match")
                return
            }
            guard case .notMatched = await answer(lab) else {
                Issue.record("Eve's finger is not a mismatch")
                return
            }
            guard case .matched = await answer(lab) else {
                Issue.record("Ada's finger does not match after Eve's")
                return
            }
        }

        @Test(.reader) func aPoorReadingHasNoVerdictAndTheNextOneMatches() async throws {
            let lab = try await adas()
            let heard = Mutex<[PromptNews]>([])
            await lab.willPress([.retry(0), .retry(1), .retry(2), .retry(3), .finger(People.ada, scan: 2)])
            let answer = await answer(lab) { news in heard.withLock { $0.append(news) } }
            guard case .matched = answer else {
                Issue.record("\(answer)")
                return
            }
            let readings: [PoorReading] = [.tooPoor, .tooShort, .notCentered, .removeAndRetry]
            #expect(heard.withLock { $0 } == [.appeared] + readings.map { .readPoorly($0) }, "the reader waits, then it reads")
        }

        @Test(.reader) func anUnpluggedReaderIsUnavailable() async throws {
            let lab = try await adas()
            await lab.willPress([.unplug])
            _ = expect(await answer(lab), fails: .biometryUnavailable)
            // fprintd reports no reader until it is restarted.
            #expect(await sensor(lab).biometry() == .absent)
            let failure = expect(await answer(lab), fails: .biometryAbsent)
            #expect(failure?.status?.domain == "net.reactivated.Fprint.Error.NoSuchDevice")
            try await lab.restart(.fingerprints)
            #expect(await sensor(lab).biometry() == .ready, "the prints are still there")
        }

        @Test(.reader) func aReaderThatFailsIsUnavailable() async throws {
            let lab = try await adas()
            await lab.willPress([.fail(0)])
            _ = expect(await answer(lab), fails: .biometryUnavailable)
        }

        @Test(.reader) func withoutEnrolledFingersTheStateIsNotEnrolled() async throws {
            let lab = try await Real.lab.value
            try await lab.deletePrints(user: People.user)
            #expect(await sensor(lab).biometry() == .notEnrolled)
            _ = expect(await answer(lab), fails: .biometryNotEnrolled)
        }

        @Test(.reader) func withoutADaemonThereIsNoSensor() async throws {
            let lab = try await Real.lab.value
            await lab.kill(.fingerprints)
            #expect(await sensor(lab).biometry() == .unavailable)
            _ = expect(await answer(lab), fails: .biometryUnavailable)
            #expect(await FprintdSensor(bus: "unix:path=/nonexistent").biometry() == .unavailable)
        }

        @Test(.reader) func aDaemonThatIsKilledInTheMiddleEndsThePrompt() async throws {
            let lab = try await adas()
            let id = try #require(await lab.processID(of: .fingerprints))
            await lab.whenAsked {
                kill(id, SIGKILL)
                return .nothing
            }
            _ = expect(await answer(lab), fails: .biometryUnavailable)
            // The lab has to notice the end before the next test.
            await lab.kill(.fingerprints)
        }

        @Test(.reader) func aCancelledPromptIsNoMismatch() async throws {
            let lab = try await adas()
            let place = lab.place
            await lab.willPress([.nothing])
            let prompt = Task { await answer(lab) }
            try await lab.signal(from: place) { if case .verifyFingerSelected = $0 { true } else { false } }
            prompt.cancel()
            _ = expect(await prompt.value, fails: .cancelledByApp)
            // fprintd itself reports a mismatch for a stopped verification. The reader must be free again.
            await lab.willPress([.finger(People.ada, scan: 3)])
            guard case .matched = await answer(lab) else {
                Issue.record("the reader is not free")
                return
            }
        }

        @Test(.reader) func twoAtOnceDoNotDisturbEachOther() async throws {
            let lab = try await adas()
            let place = lab.place
            await lab.willPress([.nothing])
            let first = Task { await answer(lab) }
            try await lab.signal(from: place) { if case .verifyFingerSelected = $0 { true } else { false } }
            let failure = expect(await answer(lab), fails: .biometryUnavailable)
            #expect(failure?.status?.domain == "net.reactivated.Fprint.Error.AlreadyInUse")
            #expect(failure?.recovery == .retry)
            try await lab.reader.present(People.ada.scan(4))
            guard case .matched = await first.value else {
                Issue.record("the first one was disturbed")
                return
            }
        }

        @Test(.reader) func aForgedSignalIsIgnored() async throws {
            let lab = try await adas()
            let place = lab.place
            await lab.willPress([.nothing])
            let prompt = Task { await answer(lab) }
            try await lab.signal(from: place) { if case .verifyFingerSelected = $0 { true } else { false } }
            // Every client of the bus may send signals to every other. This one claims a match, to every client.
            let names = try await lab.run(
                "dbus-send",
                [
                    "--bus=\(lab.busAddress)", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
                    "org.freedesktop.DBus.ListNames",
                ]
            )
            let clients = names.output.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix(":") }
            #expect(clients.count >= 3)
            for client in clients {
                for _ in 1...2 {
                    let sent = try await lab.run(
                        "dbus-send",
                        [
                            "--bus=\(lab.busAddress)", "--type=signal", "--dest=\(client)", "/net/reactivated/Fprint/Device/0",
                            "net.reactivated.Fprint.Device.VerifyStatus", "string:verify-match", "boolean:true",
                        ]
                    )
                    #expect(sent.status == 0, "\(sent.output)")
                }
            }
            try await lab.reader.present(People.eve.scan(5))
            guard case .notMatched = await prompt.value else {
                Issue.record("a forged signal counts")
                return
            }
        }

        @Test(.reader) func withoutPolkitNoUserIsAllowed() async throws {
            let lab = try await adas()
            await lab.kill(.policy)
            #expect(await sensor(lab).biometry() == .forbidden)
            let failure = expect(await answer(lab), fails: .biometryForbidden)
            #expect(failure?.recovery == .fallBack(.appPIN))
        }

        @Test func otherRungsAreUnavailable() async throws {
            let lab = try await Real.lab.value
            var passcode = request
            passcode.rung = .devicePasscode
            _ = expect(await sensor(lab).prompt(passcode, hearing: { _ in }), fails: .biometryUnavailable)
            #expect(!sensor(lab).isPasscodeSet())
        }
    }
}
#endif
