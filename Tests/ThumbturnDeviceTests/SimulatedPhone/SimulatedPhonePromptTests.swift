import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

/// One prompt on each model. Each test names the text that has its rule; a pain is one of the numbered reports by users of other
/// libraries.
@Suite struct SimulatedPhonePromptTests {
    // MARK: Tries

    @Test("Apple: a failed try before a match is not reported (pain 8)")
    func hidden() async throws {
        try await Asked.run(.iPhone(.finger)) { asked in
            asked.phone.next(.tryInVain, .tryInVain, .match)
            #expect(await asked.ask() == "matched")
            #expect(asked.phone.promptCount == 1)
        }
    }

    @Test(
        "Apple: three tries of a finger end a sheet, two of a face (LAError.h, LAPolicy)",
        arguments: [(SensorKind.finger, 3), (.face, 2)])
    func ended(_ sensor: SensorKind, _ tries: Int) async throws {
        try await Asked.run(.iPhone(sensor)) { asked in
            for _ in 1..<tries { asked.phone.next(.tryInVain) }
            asked.phone.next(.cancel)
            #expect(await asked.ask() == "cancelledByUser", "one fewer does not")
            asked.phone.unlockWithPasscode()
            for _ in 1...tries { asked.phone.next(.tryInVain) }
            #expect(await asked.ask() == "notMatched")
        }
    }

    @Test("Linux: each try is reported, and ends the prompt") func reported() async throws {
        try await Asked.run(.linux) { asked in
            asked.phone.next(.tryInVain, .match)
            #expect(await asked.ask() == "notMatched")
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("Android: each try is reported, and the prompt stays (onAuthenticationFailed)") func stays() async throws {
        try await Asked.run(.android()) { asked in
            asked.phone.next(.tryInVain, .noMatch, .match)
            let heard = Mutex<[PromptNews]>([])
            let answer = await asked.prompt { news in heard.withLock { $0.append(news) } }
            #expect(answer.outcome == "matched" && asked.phone.promptCount == 1)
            #expect(heard.withLock { $0 } == [.mismatched, .mismatched])
        }
    }

    @Test("Android: who is dismissed after a mismatch acts at the next prompt") func dismissed() async throws {
        try await Asked.run(.android()) { asked in
            asked.phone.next(.noMatch, .cancel)
            let (heard, mailbox) = AsyncStream.makeStream(of: PromptNews.self)
            let prompt = Task(executorPreference: asked.clock.executor) { await asked.prompt { mailbox.yield($0) } }
            for await _ in heard { break }
            prompt.cancel()
            #expect(await prompt.value.outcome == "cancelledByApp")
            #expect(await asked.ask() == "cancelledByUser")
        }
    }

    // MARK: Ends

    @Test("Android: an unanswered prompt ends after 30 s (ERROR_TIMEOUT)")
    func timeout() async throws {
        try await Asked.run(.android()) { asked in
            asked.phone.next(.ignore)
            let start = asked.clock.now
            let answer = await asked.prompt()
            #expect(answer.outcome == "timedOut" && answer.status?.code == 3)
            #expect(start.duration(to: asked.clock.now) == .seconds(30))
            asked.phone.next(.readPoorly(.tooShort), .match, after: .seconds(20))
            #expect(await asked.ask() == "timedOut", "a reading without a verdict does not start it again")
        }
    }

    @Test("Apple: no source knows of a prompt that ends by itself (LAContext.h)")
    func noTimeout() async throws {
        try await Asked.run(.iPhone()) { asked in
            asked.phone.next(.match, after: .seconds(3600))
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("raw codes are the platform's pairs (LAError.h, BiometricPrompt)")
    func codes() async throws {
        let apple = "com.apple.LocalAuthentication", android = "androidx.biometric.BiometricPrompt"
        let table: [(SimulatedPhone.Model, SimulatedPhone.Act, String, Int)] = [
            (.iPhone(), .cancel, apple, -2), (.iPhone(), .systemCancel, apple, -4), (.android(), .cancel, android, 10),
            (.android(), .systemCancel, android, 5),
        ]
        for (model, act, domain, code) in table {
            try await Asked.run(model) { asked in
                asked.phone.next(act)
                #expect(await asked.prompt().status == Failure.PlatformStatus(domain: domain, code: code))
            }
        }
    }

    @Test("Apple: through the keychain a cancel is -128, and everything else is -25293 (SecItem.m)")
    func flattened() async throws {
        var model = SimulatedPhone.Model.iPhone()
        model.flattensErrors = true
        try await Asked.run(model) { asked in
            asked.phone.next(.cancel, .systemCancel, .noMatch)
            let (cancelled, taken, other) = (await asked.prompt(), await asked.prompt(), await asked.prompt())
            #expect(cancelled.outcome == "cancelledByUser" && cancelled.status?.code == -128)
            for answer in [taken, other] {
                #expect(answer.outcome == "platform" && answer.status == .init(domain: "NSOSStatusErrorDomain", code: -25293))
            }
            await asked.tryInVain(5)
            #expect(await asked.prompt().status?.code == -25293, "a lockout too")
            #expect(await asked.biometry() == .lockedOut(.untilPasscode), "the preflight still knows (canEvaluatePolicy)")
            asked.phone.removeFaces()
            #expect(await asked.prompt().status?.code == -25293)
            asked.phone.prewarm()
            #expect(await asked.prompt().status?.code == -25308)
        }
    }

    @Test("a dropped callback never answers; the app's own cancel ends it (pain 20)")
    func dropped() async throws {
        try await Asked.run(.android()) { asked in
            asked.phone.next(.dropCallback)
            let answer = await Self.cancelled(after: .seconds(1000), asked)
            #expect(answer == "cancelledByApp" && asked.phone.promptCount == 0, "and no prompt was shown")
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("Android: a prompt asked for behind the screen is dropped without a callback (BiometricPrompt)")
    func unheard() async throws {
        try await Asked.run(.android()) { asked in
            asked.phone.moveToBack()
            #expect(await Self.cancelled(after: .seconds(1000), asked) == "cancelledByApp")
            #expect(asked.phone.promptCount == 0)
            asked.phone.moveToFront()
            #expect(await asked.ask() == "matched")
        }
    }

    @Test("Apple: a prompt asked for behind the screen is refused at once (LAError.h: systemCancel, notInteractive)")
    func refused() async throws {
        try await Asked.run(.iPhone()) { asked in
            asked.phone.moveToBack()
            #expect(await asked.ask() == "cancelledBySystem")
            #expect(asked.phone.promptCount == 0)
        }
    }

    @Test(
        "going to the background takes the prompt away (systemCancel, ERROR_CANCELED)",
        arguments: [SimulatedPhone.Model.plain, .iPhone(), .android()])
    func background(_ model: SimulatedPhone.Model) async throws {
        try await Asked.run(model) { asked in
            asked.phone.next(.ignore)
            async let answer = asked.ask()
            try await asked.clock.sleep(until: asked.clock.now.advanced(by: .seconds(2)))
            asked.phone.moveToBack()
            #expect(await answer == "cancelledBySystem")
            #expect(asked.phone.phase == .back, "and the prompt's end does not bring the app to the front")
        }
    }

    @Test("the second prompt takes the place of the first (BiometricPrompt; pain 21)")
    func second() async throws {
        try await Asked.run(.android()) { asked in
            asked.phone.next(.ignore, .match)
            async let first = asked.ask()
            try await asked.clock.sleep(until: asked.clock.now.advanced(by: .seconds(1)))
            #expect(await asked.ask() == "matched")
            #expect(await first == "superseded")
        }
    }

    @Test("a face asked again too soon after a match is refused by the system (pain 21)")
    func tooSoon() async throws {
        var model = SimulatedPhone.Model.iPhone()
        model.coolDown = .seconds(1)
        try await Asked.run(model) { asked in
            #expect(await asked.ask() == "matched")
            #expect(await asked.ask() == "cancelledBySystem")
            asked.clock.advance(by: .seconds(1))
            #expect(await asked.ask() == "matched")
        }
    }

    // MARK: The screen

    @Test("Apple: the app's own prompt makes it inactive, and its end active again (pain 17)")
    func ownPrompt() async throws {
        try await Asked.run(.iPhone()) { asked in
            let phases = asked.platform.phases.phases()
            asked.phone.next(.match, after: .seconds(1))
            #expect(await asked.ask() == "matched")
            asked.phone.moveToBack()
            var seen: [AppPhase] = []
            for await phase in phases {
                seen.append(phase)
                if phase == .back { break }
            }
            #expect(seen == [.front, .inactive, .front, .back])
        }
    }

    @Test("Android: a prompt leaves the app where it is") func androidPrompt() async throws {
        try await Asked.run(.android()) { asked in
            asked.phone.next(.ignore)
            async let answer = asked.ask()
            try await asked.clock.sleep(until: asked.clock.now.advanced(by: .seconds(2)))
            #expect(asked.phone.phase == .front)
            asked.phone.becomeInactive()
            #expect(asked.phone.phase == .inactive)
            asked.phone.moveToBack()
            _ = await answer
        }
    }

    @Test("every watcher receives the current phase and each later change") func watchers() async throws {
        let phone = SimulatedPhone()
        phone.moveToBack()
        let phases = phone.platform().phases.phases()
        phone.moveToBack()
        phone.moveToFront()
        var iterator = phases.makeAsyncIterator()
        #expect(await iterator.next() == .back)
        #expect(await iterator.next() == .front)
    }

    // MARK: Obstacles

    @Test("each obstacle has its own state, and the prompt says the same", arguments: Obstacle.allCases)
    func obstacles(_ obstacle: Obstacle) async throws {
        try await Asked.run(obstacle.model) { asked in
            obstacle.happen(asked.phone)
            #expect(await asked.biometry() == obstacle.state)
            let answer = await asked.ask()
            #expect(answer == obstacle.state.obstacle?.code.name && asked.phone.promptCount == 0)
        }
    }

    enum Obstacle: CaseIterable, Sendable {
        /// “Denied Face ID to this app” is code -6 like no hardware, and the kind of sensor tells them apart (LAContext.h; pain
        /// 4).
        case permission
        case removedFaces, switchedOff, lidClosed
        /// LAError -5 on Apple; none enrolled on Android, where the lock screen takes the prints along.
        case noPasscodeOnApple, noPasscodeOnAndroid
        /// Class 2 unlocks no key (Android biometric security, classes; pain 28).
        case weak

        var model: SimulatedPhone.Model {
            switch self {
            case .noPasscodeOnAndroid: .android()
            case .weak: .weakAndroid()
            default: .iPhone()
            }
        }

        func happen(_ phone: SimulatedPhone) {
            switch self {
            case .permission: phone.setPermission(false)
            case .removedFaces: phone.removeFaces()
            case .switchedOff: phone.setSwitchedOff(true)
            case .lidClosed: phone.setLidClosed(true)
            case .noPasscodeOnApple, .noPasscodeOnAndroid: phone.removePasscode()
            case .weak: break
            }
        }

        var state: BiometryState {
            switch self {
            case .permission: .permissionDenied
            case .removedFaces, .noPasscodeOnAndroid: .notEnrolled
            case .switchedOff: .switchedOff
            case .lidClosed: .lidClosed
            case .noPasscodeOnApple: .passcodeNotSet
            case .weak: .weak
            }
        }
    }

    @Test("an obstacle can be removed") func lifted() async throws {
        try await Asked.run(.iPhone()) { asked in
            asked.phone.setPermission(false)
            asked.phone.setSwitchedOff(true)
            asked.phone.setLidClosed(true)
            #expect(await asked.platform.sensor.kind() == .face, "the kind is known anyway")
            asked.phone.setPermission(true)
            asked.phone.setSwitchedOff(false)
            asked.phone.setLidClosed(false)
            #expect(await asked.biometry() == .ready)
        }
        try await Asked.run(.android()) { asked in
            asked.phone.setPermission(false)
            #expect(await asked.biometry() == .ready, "Android needs no permission for it")
        }
    }

    // MARK: Time to answer

    @Test("times to answer come from the distribution, the same for the same seed") func answerTimes() async throws {
        func times(_ seed: UInt64) async throws -> [Duration] {
            let asked = Asked(.iPhone())
            asked.phone.answerTimes(median: .seconds(1), spread: 0.5, seed: seed)
            return try await asked.clock.run {
                var times: [Duration] = []
                for _ in 0..<400 {
                    let start = asked.clock.now
                    _ = await asked.ask()
                    times.append(start.duration(to: asked.clock.now))
                }
                return times
            }
        }
        let drawn = try await times(7)
        expect(try await times(7), is: drawn)
        #expect(try await times(8) != drawn)
        let sorted = drawn.sorted()
        // 400 draws: the bounds are more than four standard errors wide, and the seed is fixed.
        #expect(sorted[200] > .milliseconds(880) && sorted[200] < .milliseconds(1130))
        #expect((240...300).contains(sorted.count { $0 > .milliseconds(607) && $0 < .milliseconds(1649) }))
    }

    private static func cancelled(after time: Duration, _ asked: Asked) async -> String {
        await withTaskGroup(of: String?.self) { group in
            group.addTask { await asked.ask() }
            group.addTask {
                try? await asked.clock.sleep(until: asked.clock.now.advanced(by: time))
                return nil
            }
            var answer: String?
            for await outcome in group {
                answer = answer ?? outcome
                group.cancelAll()
            }
            return answer ?? "nothing"
        }
    }
}
