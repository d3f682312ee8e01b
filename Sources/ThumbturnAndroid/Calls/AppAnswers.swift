import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages

/// The kinds of answers to a call; the numbers are those of the contract.
enum AppAnswerKind: Int64 {
    case done = 0
    case failed = 1
    case news = 2
}

extension BridgeWriter {
    /// The message of an answer with these fields.
    func message(_ kind: AppAnswerKind) -> [UInt8] {
        var head = BridgeWriter()
        head.put(kind.rawValue)
        return head.message + message
    }

    /// An answer without fields.
    static let empty = BridgeWriter()

    /// The fields that the closure writes.
    static func fields(_ write: (inout BridgeWriter) -> Void) -> BridgeWriter {
        var writer = BridgeWriter()
        write(&writer)
        return writer
    }

    mutating func put<Element>(_ list: [Element], _ write: (inout BridgeWriter, Element) -> Void) {
        put(Int64(list.count))
        for element in list { write(&self, element) }
    }

    /// Appends a number; nil is null.
    mutating func put(optional number: Int64?) {
        guard let number else { return put(nil as [UInt8]?) }
        put(number)
    }
}

// MARK: - Failures

/// A request that breaks the contract of the calls; the numbers are those of the raw status.
enum AppRefusal: Int {
    case malformed = 1
    case unknownOperation = 2
    case unknownHandle = 3
    /// Java did not take the answer.
    case answerLost = 4
}

extension Failure {
    /// A request that breaks the contract, or an answer that was not taken.
    static func bridge(_ refusal: AppRefusal) -> Failure {
        Failure(
            .platform, recovery: .report, status: .init(domain: "thumbturn.bridge", code: refusal.rawValue),
            hint: refusal == .answerLost
                ? "Java did not take the answer. What was asked for may have been done."
                : "The call does not keep the contract between Java and Swift.")
    }
}

extension Recovery {
    /// The name of the step in the contract, with its values.
    var named: (name: String, rung: Rung?, wait: Duration?) {
        switch self {
        case .retry: ("retry", nil, nil)
        case .wait(let time): ("wait", nil, time)
        case .fallBack(let rung): ("fallBack", rung, nil)
        case .reEnrol: ("reEnrol", nil, nil)
        case .openSettings: ("openSettings", nil, nil)
        case .setPasscode: ("setPasscode", nil, nil)
        case .signInAgain: ("signInAgain", nil, nil)
        case .report: ("report", nil, nil)
        }
    }
}

extension BridgeWriter {
    mutating func put(_ failure: Failure, in language: MessageLanguage) {
        let step = failure.recovery.named
        put(failure.code.name)
        put(step.name)
        put(step.rung?.rawValue)
        put(optional: step.wait?.milliseconds)
        put(failure.message.text(in: language))
        put(failure.recovery.button?.text(in: language))
        put(failure.status?.description)
        put(failure.developerHint)
        put(optional: failure.until?.seconds)
    }
}

// MARK: - Values

extension BridgeWriter {
    mutating func put(_ grant: Grant) {
        put(grant.rung.rawValue)
        put(grant.session.accessToken)
        put(grant.session.expiresAt.seconds)
    }

    mutating func put(_ readiness: Readiness, in language: MessageLanguage) {
        put(readiness.nextRung.rawValue)
        put(readiness.usableRungs) { $0.put($1.rawValue) }
        put(readiness.isEnrolled)
        put(readiness.sensor?.rawValue)
        put(readiness.biometry.message?.naming(readiness.sensor).text(in: language))
        put(readiness.biometry.description)
        put(readiness.biometry.obstacle != nil)
        if let obstacle = readiness.biometry.obstacle { put(obstacle, in: language) }
        put(KeyKind.allCases) { message, kind in
            message.put(kind.rawValue)
            message.put(readiness.state(of: kind), in: language)
        }
    }

    private mutating func put(_ state: KeyState, in language: MessageLanguage) {
        let (name, loss, pause): (String, KeyLoss?, Duration?) =
            switch state {
            case .usable: ("usable", nil, nil)
            case .missing: ("missing", nil, nil)
            case .invalidated(let loss): ("invalidated", loss, nil)
            case .paused(let time): ("paused", nil, time)
            case .notYetReadable: ("notYetReadable", nil, nil)
            }
        put(name)
        put(loss?.rawValue)
        put(optional: pause?.milliseconds)
        put(state.message?.text(in: language))
    }

    mutating func put(_ device: EnrolledDevice) {
        put(device.id)
        put(device.name)
        put(device.enrolledAt.seconds)
        put(device.isCurrent)
        put(device.onlySignsIn)
        put(device.keys) { message, key in
            message.put(key.id)
            message.put(key.kind.rawValue)
            message.put(key.isActive)
        }
    }

    mutating func put(_ approval: Approval, in language: MessageLanguage) {
        let details = approval.details(in: language)
        // The time of its creation is not kept, and nothing shows it.
        let record = ApprovalRecord(
            id: approval.id, state: approval.state, txn: approval.txn, demand: approval.demand, from: approval.from,
            createdAt: approval.expiresAt, expiresAt: approval.expiresAt, signed: approval.isSigned)
        put(StrictJSON.encode(record))
        put(approval.id)
        put(approval.state.rawValue)
        put(approval.isSigned)
        put(approval.from)
        put(details.title)
        put(details.lines) { message, line in
            message.put(line.label)
            message.put(line.value)
        }
        put(details.caution?.text(in: language))
        put(approval.expiresAt.seconds)
    }

    mutating func put(_ account: SignedInAccount) {
        put(account.id)
        put(account.name)
        put(account.deviceID)
        put(account.acr)
        put(account.amr) { $0.put($1) }
        put(account.verifiedAt.seconds)
    }

    mutating func put(_ headers: [String: String]) {
        put(headers.sorted { $0.key < $1.key }) { message, field in
            message.put(field.key)
            message.put(field.value)
        }
    }

    mutating func put(_ news: UnlockNews, in language: MessageLanguage) {
        switch news {
        case .hint(let rung):
            put(Int64(1))
            put(rung.rawValue)
            put(rung.hint.text(in: language))
        case .readPoorly(let reading):
            put(Int64(2))
            put(reading.rawValue)
            put(reading.message.text(in: language))
        case .offerSetUp(let failure):
            put(Int64(3))
            put(failure, in: language)
        case .moved(let from, let to, let trigger, let time):
            put(Int64(4))
            put(from.rawValue)
            put(to.rawValue)
            put(trigger.description)
            put(time.milliseconds)
            put(to.announcement.text(in: language))
        case .began(let ceremony, number: let number):
            put(Int64(5))
            put(ceremony.rawValue)
            put(Int64(number))
        case .ended(let ceremony, number: let number, let code):
            put(Int64(6))
            put(ceremony.rawValue)
            put(Int64(number))
            put(code?.name)
        case .telemetry(let record):
            put(Int64(7))
            put(record.description)
        }
    }
}
