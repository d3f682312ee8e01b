import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// The reports that a sink takes: one for each unlock, however it ends.
@Suite struct TelemetryReportTests {
    final class Sink: TelemetrySink {
        private let taken = Mutex<[UnlockReport]>([])
        var reports: [UnlockReport] { taken.withLock { $0 } }
        func take(_ report: UnlockReport) { taken.withLock { $0.append(report) } }
    }

    /// An enrolled phone, and an authenticator of it whose platform has a sink.
    private static func observed(
        _ story: @escaping @Sendable (World, Authenticator, Sink) async throws -> Void
    ) async throws {
        let sink = Sink()
        try await World.enrolled { world in
            var platform = world.auth.platform
            platform.telemetry = sink
            try await story(
                world, try Authenticator(server: InMemoryServer.url, platform: platform) { world.news.hear($0) }, sink)
        }
    }

    @Test func anUnlockIsOneReportOfWhatWasTold() async throws {
        try await Self.observed { world, auth, sink in
            let before = world.news.records.count
            let began = world.clock.civilTime
            world.phone.next(.noMatch, .match, after: .seconds(1))
            _ = try await auth.authenticate("Unlock")
            let told = Array(world.news.records.dropFirst(before))
            #expect(told.count > 4)
            #expect(sink.reports.map(\.events) == [told.map(\.event)])
            #expect(sink.reports.map(\.began) == [began] && sink.reports.map(\.context) == [told[0].context])
            #expect(sink.reports[0].context.policy == "unlock" && sink.reports[0].context.sensor != nil)
        }
    }

    @Test(
        "a flow that ends without a success is reported",
        arguments: [
            (SimulatedPhone.Act.cancel, Failure.Code.cancelledByUser), (.systemCancel, .cancelledBySystem),
            (.supersede, .superseded),
        ])
    func cancels(_ act: SimulatedPhone.Act, _ code: Failure.Code) async throws {
        try await Self.observed { world, auth, sink in
            world.phone.next(act)
            await expectFailure(code) { _ = try await auth.authenticate("Unlock") }
            #expect(sink.reports.count == 1)
            #expect(sink.reports.first?.events.contains(.cancelled(code)) == true, "\(sink.reports)")
        }
    }

    @Test func anAnswerToTheOfferIsAReportAndTheSwitchIsNone() async throws {
        try await Self.observed { world, auth, sink in
            let offer = await BiometricOfferModel(for: auth) {}
            await offer.answer(.notNow)
            await offer.answer(.never)
            #expect(sink.reports.map(\.events) == [[.offerAnswered(.notNow)], [.offerAnswered(.never)]])
            #expect(sink.reports.allSatisfy { $0.began == world.clock.civilTime && $0.context.policy == nil })
            let toggle = await BiometricsToggleModel(for: auth) {}
            await toggle.refresh()
            await toggle.set(true)
            await toggle.set(false)
            try await auth.declineBiometrics()
            #expect(sink.reports.count == 2)
        }
    }

    @Test func aCancelledTaskIsReported() async throws {
        try await Self.observed { world, auth, sink in
            world.phone.next(.ignore)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await auth.authenticate("Unlock") }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                group.cancelAll()
            }
            #expect(sink.reports.count == 1)
            #expect(sink.reports.first?.events.last == .cancelled(.cancelledByApp))
        }
    }

    @Test func aFailedUnlockIsReported() async throws {
        try await Self.observed { world, auth, sink in
            world.phone.next(.noMatch, .noMatch, .noMatch)
            _ = await failure { _ = try await auth.authenticate("Pay", policy: World.sensorAlone) }
            #expect(sink.reports.count == 1)
            #expect(sink.reports.first?.events.contains(.promptShown(.biometric)) == true)
        }
    }

    @Test func callsThatShareOneUnlockAreOneReport() async throws {
        try await Self.observed { world, auth, sink in
            world.phone.next(.match, after: .seconds(1))
            async let first = auth.authenticate("Unlock").rung
            async let second = auth.authenticate("Unlock").rung
            expect([try await first, try await second], is: [.biometric, .biometric])
            #expect(sink.reports.count == 1)
        }
    }

    @Test func anEarlierUnlockThatNeverEndedIsAReportOfItsOwnAndOnce() async throws {
        try await Self.observed { world, auth, sink in
            world.phone.next(.ignore)
            let question = Question()
            async let stopped = question.asking { try await auth.authenticate("Unlock").rung }
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(9)))
            let name = "open flow https://bank.example default"
            let note = try #require(try await auth.platform.secrets.read(name))
            question.useAnotherWay()
            expect(try await stopped, is: .devicePasscode)
            // A killed app leaves this behind.
            try await auth.platform.secrets.write(note, as: name)
            let then = world.clock.civilTime
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(60)))
            _ = try await auth.authenticate("Unlock")
            #expect(sink.reports.count == 3)
            #expect(sink.reports[1].events == [.abandoned(.hinted, after: .seconds(8))])
            #expect(sink.reports[1].began < then, "when it was noted, and not now")
            #expect(sink.reports[2].events.contains { if case .abandoned = $0 { true } else { false } } == false)
        }
    }

    /// An app that is killed again before its flow notes anything does not tell the earlier flow again.
    @Test func anEarlierUnlockIsForgottenWhenItIsTold() async throws {
        try await Self.observed { world, auth, sink in
            let record = TelemetryRecord(.abandoned(.retry, after: .seconds(3)), at: world.clock.civilTime, in: .init())
            let name = "open flow https://bank.example default"
            try await auth.platform.secrets.write(Array(JSONEncoder().encode([record])), as: name)
            world.phone.next(.ignore)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await auth.authenticate("Unlock") }
                while sink.reports.isEmpty { await Task.yield() }
                expect(try? await auth.platform.secrets.read(name), is: nil)
                group.cancelAll()
            }
            #expect(sink.reports.first?.events == [record.event])
        }
    }

    @Test func aVaultsUnlockIsReported() async throws {
        let (clock, sink) = (VirtualClock(), Sink())
        let phone = SimulatedPhone(.iPhone(.face), clock: clock)
        var platform = phone.platform()
        platform.telemetry = TelemetrySinks([sink, sink])
        let vault = Vault(named: "notes", platform: platform, access: .userPresence)
        try await clock.run {
            phone.next(.match)
            try await vault.unlocked("Open your notes") { _ in }
        }
        #expect(sink.reports.count == 2, "each of the sinks takes it")
        #expect(sink.reports[0].events.contains { if case .authenticated(.biometric, _, _) = $0 { true } else { false } })
    }

    // MARK: Whose a report is

    @Test func aReportHasTheOwnerOfItsAccountOrItsVault() async throws {
        try await Self.observed { world, auth, sink in
            let platform = auth.platform
            let vault = Vault(named: "notes", platform: platform, access: .userPresence)
            _ = try await auth.authenticate("Unlock")
            let offer = await BiometricOfferModel(for: auth) {}
            await offer.answer(.notNow)
            try await vault.unlocked("Open your notes") { _ in }
            let account = try #require(await ReportOwner.now(of: auth.asker, on: platform))
            let notes = try #require(await ReportOwner.now(of: vault.asker, on: platform))
            #expect(sink.reports.map(\.owner) == [account, account, notes] && account != notes)
        }
    }

    @Test func anotherAccountAndAnotherPersonAreOtherOwners() async throws {
        try await Self.observed { world, auth, sink in
            let other = try Authenticator(server: InMemoryServer.url, account: "second", platform: auth.platform)
            try await other.enrol(with: EnrolmentTests.bob)
            var policy = UnlockPolicy.unlock
            policy.name = "counted"
            for account in [auth, other] { _ = try await account.authenticate("Unlock", policy: policy) }
            try await auth.revoke()
            try await auth.enrol(with: World.signIn)
            _ = try await auth.authenticate("Unlock", policy: policy)
            try await auth.enrol(with: EnrolmentTests.bob)
            _ = try await auth.authenticate("Unlock", policy: policy)
            let owners = sink.reports.filter { $0.context.policy == "counted" }.compactMap(\.owner)
            #expect(owners.count == 4)
            #expect(Set(owners).count == 4, "the two accounts, the one after a revocation, and the next person")
        }
    }

    @Test func anUnlockThatNeverEndedIsNotToldAboutTheNextPerson() async throws {
        try await Self.observed { world, auth, sink in
            let record = TelemetryRecord(.abandoned(.retry, after: .seconds(3)), at: world.clock.civilTime, in: .init())
            let note = try JSONEncoder().encode([record])
            try await auth.platform.secrets.write(Array(note), as: "open flow https://bank.example default")
            try await auth.revoke()
            try await auth.enrol(with: EnrolmentTests.bob)
            _ = try await auth.authenticate("Unlock")
            #expect(!sink.reports.isEmpty && !sink.reports.contains { $0.events == [record.event] })
        }
    }

    @Test func theOwnerIsInNoJSONAndInNoText() throws {
        var report = UnlockReport([.hintShown], began: UnixTime(seconds: 1), in: .init())
        let json = StrictJSON.encode(report)
        report.owner = ReportOwner("s3cret-mark")
        #expect(StrictJSON.encode(report) == json)
        var text = ""
        dump(report, to: &text)
        #expect(!"\(report) \(String(reflecting: report)) \(text)".contains("s3cret"))
    }

    @Test func withoutASinkNothingIsCollectedAndAllElseIsTheSame() async throws {
        try await World.enrolled { world in
            #expect(world.auth.platform.telemetry == nil)
            _ = try await world.auth.authenticate("Unlock")
            #expect(!world.news.records.isEmpty)
            expect(try await world.auth.platform.secrets.read("telemetry owner https://bank.example default"), is: nil)
        }
    }
}
