#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
import ThumbturnMessages
import ThumbturnLoad
@testable import ThumbturnServer

/// An enrolment that demands a live face: evidence of a trusted vendor, bound to the enrolment's challenge.
@Suite struct EnrolmentLivenessTests {
    typealias Attempt = EnrolmentTests.Attempt

    private func run(_ test: @escaping @Sendable (LiveServer) async throws -> Void) async throws {
        try await LiveServer.run(
            configure: { settings in
                settings.approvals.livenessVendors = try! ApprovalDemandTests.vendors()
                settings.enrolmentLiveness = .substantial
                settings.allowsPlainClients = true
            }, test)
    }

    @Test func evidenceForThisChallengeEnrols() async throws {
        try await run { live in
            let attempt = try await Attempt(live)
            let answer = try await attempt.enrol {
                $0.liveness = try? ApprovalDemandTests.evidence($1, at: live.clock.now)
            }
            #expect(answer.status == 201, "\(answer.text)")
        }
    }

    @Test(
        "without it nothing is enrolled",
        arguments: ["none", "another challenge", "another key", "stale", "not certified", "no evidence at all"])
    func refused(_ what: String) async throws {
        try await run { live in
            let attempt = try await Attempt(live)
            let (other, _) = try await attempt.device.challenge(.enrol, over: attempt.connection)
            let now = live.clock.now
            let answer = try await attempt.enrol { request, challenge in
                request.liveness =
                    switch what {
                    case "none": nil
                    case "another challenge": try? ApprovalDemandTests.evidence(other, at: now)
                    case "another key": try? ApprovalDemandTests.evidence(challenge, at: now, by: P256.Signing.PrivateKey())
                    case "stale": try? ApprovalDemandTests.evidence(challenge, at: now + .seconds(-61))
                    case "not certified": try? ApprovalDemandTests.evidence(challenge, at: now, level: .high)
                    default: "e30.e30.AA"
                    }
            }
            #expect(answer.status == 401 && answer.kind == "verification-failed", "\(answer.text)")
            expect(try await live.server.devices(ofAccountNamed: "ada").isEmpty)
        }
    }

    private func expect(_ isTrue: Bool) { #expect(isTrue) }

    @Test func aDeviceThatAnotherOneVouchesForNeedsItTooAndAPlainClientIsNoWayAround() async throws {
        try await run { live in
            let first = try await Attempt(live)
            _ = try await first.enrol { $0.liveness = try? ApprovalDemandTests.evidence($1, at: live.clock.now) }
            let ada = LiveServer.Enrolled(device: first.device, connection: first.connection)
            let second = try await Attempt(live)
            let ticket = try await ada.vouch(for: second.device, token: try await ada.signIn().accessToken)
                .read(EnrolmentTicket.self).ticket
            #expect(try await second.enrol(ticket: ticket).kind == "verification-failed")
            let plain = try await PlainClient.enrol(try PlainClient.Key.make("ES256"), try await Attempt(live))
            #expect(plain.kind == "verification-failed")
            let visit = try await live.visit().tokens
            #expect(visit.tokenType == "DPoP", "who cannot show a live face signs in without a device")
        }
    }

    @Test func theDeviceLibraryShowsALiveFace() async throws {
        try await run { live in
            let phone = SimulatedPhone()
            let auth = try Authenticator(server: URL(string: live.url)!, platform: phone.platform())
            let signIn = PasswordSignIn(account: "ada", password: LiveServer.password)
            await expectFailure(.refused) { _ = try await auth.enrol(with: signIn) }
            let camera = ApprovalDemandTests.Camera(clock: live.clock)
            try await auth.enrol(with: signIn, liveness: camera)
            #expect(camera.asked.value == 1)
            #expect(try await auth.authenticate("Unlock").rung == .biometric)
            let another = SimulatedPhone()
            let first = try Authenticator(server: URL(string: live.url)!, platform: another.platform())
            _ = try await first.signIn(with: signIn)
            try await first.addBiometrics(liveness: camera)
            #expect(await first.readiness().isEnrolled)
        }
    }

    @Test func evidenceThatIsNotDemandedIsRefused() async throws {
        try await LiveServer.run { live in
            let attempt = try await Attempt(live)
            let answer = try await attempt.enrol {
                $0.liveness = try? ApprovalDemandTests.evidence($1, at: live.clock.now)
            }
            #expect(answer.kind == "verification-failed", "it must not look as if it counted")
        }
    }
}
#endif
