import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

extension JavaAndroid {
    /// Moves Java's time on to Swift's, and lets happen on Java's phone what has happened on the simulated one.
    func mirror() {
        let (facts, now) = (phone.facts(), clock.now)
        let (told, passed) = state.withLock { state in
            let passed = state.reached.duration(to: now).milliseconds
            // What is less than a millisecond is kept for the next time.
            state.reached = state.reached.advanced(by: .milliseconds(passed))
            defer { state.told = facts }
            return (state.told, passed)
        }
        if passed > 0 { JavaPhone.tell("advance \(passed)") }
        if facts.passcode == nil, told.passcode != nil {
            JavaPhone.tell("remove-lock")
        } else if facts.enrolment != told.enrolment, facts.sensor != nil {
            JavaPhone.tell(facts.enrolment == nil ? "remove-fingers" : "enrol")
        }
        if facts.biometry != told.biometry { JavaPhone.tell("trouble \(Self.trouble(facts.biometry))") }
        if facts.biometry == .weak { JavaPhone.tell("sensor weak") }
        if facts.sensor == nil, told.sensor != nil { JavaPhone.tell("sensor none") }
        if facts.isReadable != told.isReadable {
            JavaPhone.tell("unlocked-since-boot \(facts.isReadable ? "yes" : "no")")
            JavaPhone.tell("locked \(facts.isReadable ? "no" : "yes")")
        }
    }

    /// The answer of `canAuthenticate` that nothing else on Java's phone leads to; 0 for none.
    private static func trouble(_ state: BiometryState) -> Int {
        switch state {
        case .ready, .lockedOut, .paused, .notEnrolled, .passcodeNotSet, .absent, .weak: 0
        case .switchedOff: 21
        case .permissionDenied, .unconfirmed, .lidClosed, .forbidden, .unavailable: 1
        }
    }

    /// From now on Java's activities follow the simulated app.
    func hearPhases() {
        let hears = state.withLock { state in
            defer { state.hearsPhases = true }
            return state.hearsPhases
        }
        guard !hears else { return }
        let phases = phone.appPhases.phases()
        Task(executorPreference: executor) {
            for await phase in phases {
                switch phase {
                case .front: JavaPhone.tell("front")
                case .inactive: JavaPhone.tell("pause")
                case .back: JavaPhone.tell("back")
                }
            }
        }
    }

    // MARK: The person

    /// Does at the prompt on Java's screen what the simulated person does.
    func answer(_ request: [UInt8]) async {
        guard let asked = try? Asked(request) else { preconditionFailure("a request for a prompt") }
        let answer = await phone.platform(transport: server).sensor.prompt(asked.request) { news in
            switch news {
            case .readPoorly(let reading): JavaPhone.tell("help \(Self.code(of: reading))")
            case .mismatched: JavaPhone.tell("fail")
            case .appeared: break
            }
        }
        // The prompt has gone meanwhile.
        guard !Task.isCancelled else { return }
        mirror()
        switch answer {
        case .matched: match(asked.rung)
        case .notMatched: JavaPhone.tell("fail")
        case .failed(let failure):
            let other: Int64? = state.withLock { state in
                defer { state.nextRefusal = nil }
                return state.nextRefusal
            }
            let code = other ?? Int64(failure.status?.code ?? (failure.code == .notYetReadable ? 1 : 5))
            JavaPhone.tell("error \(code)")
        }
    }

    private func match(_ rung: Rung) {
        let isVoid = state.withLock { state in
            defer { state.nextMatchIsVoid = false }
            return state.nextMatchIsVoid
        }
        // Java's Keystore authorises nothing while it is locked.
        if isVoid { JavaPhone.tell("unlocked-since-boot no") }
        JavaPhone.tell(rung == .biometric ? "match" : "credential")
        if isVoid { JavaPhone.tell("unlocked-since-boot yes") }
    }

    /// A code that a sensor for fingers gives for a reading.
    private static func code(of reading: PoorReading) -> Int {
        switch reading {
        case .tooShort: 5
        case .notCentered: 1
        case .removeAndRetry: 4
        case .tooPoor: 2
        }
    }
}

/// What a prompt asks for, as far as a person sees it.
private struct Asked {
    var rung: Rung
    var reason: String

    init(_ request: [UInt8]) throws(BridgeReader.Malformed) {
        var reader = BridgeReader(request)
        rung = try reader.number() == 1 ? .biometric : .devicePasscode
        let title = try reader.text()
        reason = try reader.optionalText() ?? title
    }

    var request: PromptRequest {
        PromptRequest(
            rung: rung, reason: reason, cancelButton: .cancel,
            key: KeyName(server: "", account: "", kind: rung.key ?? .passcode), message: [])
    }
}
