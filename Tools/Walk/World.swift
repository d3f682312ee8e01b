#if Tools
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer
import ThumbturnVerifier

/// The people of a walk, who are accounts of the server.
enum Person: String, CaseIterable, Sendable, Comparable {
    case ada, ben

    static func < (lhs: Person, rhs: Person) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The phones of a walk. Each has keys of every kind, enrolled or not.
enum PhoneName: Int, CaseIterable, Sendable, Comparable, CustomStringConvertible {
    case first, second, bens, new

    static func < (lhs: PhoneName, rhs: PhoneName) -> Bool { lhs.rawValue < rhs.rawValue }

    var description: String {
        switch self {
        case .first: "ada's phone"
        case .second: "ada's second phone"
        case .bens: "ben's phone"
        case .new: "a new phone"
        }
    }
}

/// One key of a phone. A change of a key brings its next edition.
struct KeyName: Hashable, Sendable, CustomStringConvertible {
    var phone: PhoneName
    var kind: KeyKind
    var edition: Int

    var description: String { "\(phone)'s \(kind) key" + (edition == 0 ? "" : " \(edition + 1)") }
}

/// All keys of the phones.
struct Cast: Sendable {
    /// More than a walk uses.
    static let editions = 12

    private let keys: [KeyName: WalkKey]

    init() {
        var keys: [KeyName: WalkKey] = [:]
        for phone in PhoneName.allCases {
            for kind in KeyKind.allCases {
                for edition in 0..<Self.editions { keys[KeyName(phone: phone, kind: kind, edition: edition)] = WalkKey() }
            }
        }
        self.keys = keys
    }

    func key(_ name: KeyName) -> WalkKey {
        guard let key = keys[name] else { preconditionFailure("the cast has no \(name)") }
        return key
    }

    func session(of phone: PhoneName) -> WalkKey { key(KeyName(phone: phone, kind: .session, edition: 0)) }
}

/// What has happened in a walk so far, by the rules of `WalkRules` and not by what the server keeps.
struct World: Sendable {
    var elapsed = Duration.zero
    /// Each restored backup and each command `new-epoch` begins another epoch.
    var epoch = 0
    var people: [Person: PersonState] = [:]
    var phones: [PhoneName: Phone] = [:]
    /// The next edition of each key.
    var editions: [KeyName: Int] = [:]
    /// The keys by their ids.
    var kids: [String: KeyName] = [:]
    var approvals: [Approval] = []

    // What was ever sent, for everyone to use.
    var tickets: [Ticket] = []
    var sessions: [Session] = []
    var visits: [Visit] = []
    var held: Prepared?
    /// The last messages that were accepted and must never be again.
    var accepted: [Prepared] = []
    /// Every challenge and ticket that was accepted.
    var consumed: Set<String> = []

    var backup: Backup?
    /// The keys of access tokens, with the epoch in which each began to sign.
    var tokenKeys: [String: Int] = [:]
    var revokedTokenKeys: [String: TokenSigner] = [:]
    /// The number of the operator's rotations of that key.
    var rotations = 0

    struct PersonState: Hashable, Sendable {
        var id: String
        var isOff = false
        /// Grows whenever earlier tickets become void.
        var generation = 0
        /// The number of changes of the password.
        var passwords = 0
        /// Signatures from before this time approve nothing.
        var signaturesOver = Duration.seconds(-1)
    }

    struct Phone: Hashable, Sendable {
        var person: Person
        var id: String
        var revokedAt: Duration?
        var isRevoked: Bool { revokedAt != nil }
        var coolsUntil = Duration.zero
        /// The keys that are enrolled now, the session key not among them.
        var keys: [KeyKind: Key] = [:]
        /// The last key of each kind that was replaced or removed.
        var former: [KeyKind: Key] = [:]
    }

    struct Key: Hashable, Sendable {
        var name: KeyName
        var kid: String
        /// What a signature shows: the kind, or less, if less brought the key.
        var shows: KeyKind
        var wrong = 0
        var pausedUntil = Duration.zero
        var isProven = true
    }

    struct Ticket: Hashable, Sendable {
        var text: String
        var phone: PhoneName
        var person: Person
        /// The index of the vouching device's session; nil after a full sign-in.
        var voucher: Int?
        var generation: Int
        var epoch: Int
        var madeAt: Duration
        var isSpent = false
        /// Whether a visit gave it, and not a full sign-in itself.
        var isOfVisit = false
    }

    /// A session of full credentials without an enrolled phone.
    struct Visit: Hashable, Sendable {
        var phone: PhoneName
        var person: Person
        var generation: Int
        var epoch: Int
        var access: String
        var accessAt: Duration
        /// When the credentials were verified.
        var openedAt: Duration
        var refresh: String
        var hasTicket = false
        var isOver = false
    }

    struct Session: Hashable, Sendable {
        var phone: PhoneName
        /// The key that opened it.
        var key: KeyName
        var shows: KeyKind
        /// The action that a step-up granted; nil after a sign-in.
        var act: String?
        var access: String
        var accessAt: Duration
        var openedAt: Duration
        var refresh: String?
        var formerRefresh: String?
        var refreshedAt: Duration
        /// The factors that were shown.
        var factors: Set<KeyKind> = []
        var isOver = false
    }

    struct Approval: Hashable, Sendable {
        var id: String
        var transaction: String
        var people: [Person]
        var demand: ApprovalDemand
        var expiresAt: Duration
        var signatures: [Signature] = []
        var end: ApprovalState?
        var receipt: String?

        struct Signature: Hashable, Sendable {
            var person: Person
            var key: Key
            var at: Duration
        }
    }

    /// A backup of the operator's, with what had happened when it was made.
    final class Backup: Sendable {
        let image: StoreImage
        let world: World

        init(_ image: StoreImage, _ world: World) {
            self.image = image
            self.world = world
        }
    }

    func person(of phone: PhoneName) -> Person? { phones[phone]?.person }

    /// Whether a phone is enrolled and may do anything at all.
    func isLive(_ phone: PhoneName) -> Bool {
        guard let state = phones[phone] else { return false }
        return !state.isRevoked && people[state.person]?.isOff == false
    }

    func isCooling(_ phone: PhoneName) -> Bool { phones[phone].map { elapsed < $0.coolsUntil } ?? false }

    /// Whether a session is live, whatever the age of its access token.
    func isLive(_ session: Session) -> Bool { !session.isOver && isLive(session.phone) }

    /// Whether a visit has not ended, whatever its age.
    func isLive(_ visit: Visit) -> Bool {
        guard let person = people[visit.person], !visit.isOver, visit.epoch == epoch else { return false }
        return !person.isOff && person.generation == visit.generation
    }

    func nextEdition(of kind: KeyKind, on phone: PhoneName) -> KeyName {
        KeyName(phone: phone, kind: kind, edition: editions[KeyName(phone: phone, kind: kind, edition: 0)] ?? 0)
    }

    mutating func use(_ key: Key) {
        editions[KeyName(phone: key.name.phone, kind: key.name.kind, edition: 0)] = key.name.edition + 1
        kids[key.kid] = key.name
    }

    mutating func endSessions(where isOver: (Session) -> Bool) {
        for index in sessions.indices where isOver(sessions[index]) { sessions[index].isOver = true }
    }

    /// Whether a person has another phone, or had one within a cool-off.
    func hasOtherPhones(than phone: PhoneName, of person: Person) -> Bool {
        phones.contains { name, other in
            name != phone && other.person == person && other.revokedAt.map { elapsed - $0 < WalkRules.coolOff } ?? true
        }
    }

    // MARK: Its name

    /// A text that is equal for equal worlds. What is over counts as equal, whatever it was.
    var name: String {
        var parts = ["time \(elapsed.components.seconds) epoch \(epoch)"]
        for (person, state) in people.sorted(by: { $0.key < $1.key }) {
            parts.append("\(person) \(state.isOff) \(state.passwords)")
        }
        for (phone, state) in phones.sorted(by: { $0.key < $1.key }) {
            let former = state.former.values.map { "\($0.name.kind)\($0.name.edition)" }.sorted()
            let cools = max(state.coolsUntil - elapsed, .zero).components.seconds
            let isLately = state.revokedAt.map { elapsed - $0 < WalkRules.coolOff } ?? false
            parts.append("\(phone.rawValue) \(state.isRevoked) \(isLately) \(cools) former \(former)")
            for key in state.keys.values.sorted(by: { $0.name.kind.rawValue < $1.name.kind.rawValue }) {
                let pause = max(key.pausedUntil - elapsed, .zero).components.seconds
                let wrong = min(key.wrong, WalkRules.mostWrongPINs)
                parts.append("\(key.name.kind) \(key.name.edition) \(key.shows) \(wrong) \(pause) \(key.isProven)")
            }
        }
        for approval in approvals {
            let signatures = approval.signatures.map {
                "\($0.key.name) \($0.key.shows) \(people[$0.person]?.signaturesOver ?? .zero >= $0.at)"
            }
            let isOver = elapsed >= approval.expiresAt
            parts.append("approval \(approval.end?.rawValue ?? "") \(isOver) \(signatures.sorted())")
        }
        parts += Set(tickets.filter(isUsable).map(name)).sorted()
        parts += Set(sessions.map(name)).sorted()
        parts += visits.map(name).sorted()
        if let held { parts.append("held \(held.action) \(elapsed - held.madeAt) \(held.epoch == epoch)") }
        if let backup { parts.append("backup of [\(backup.world.name)]") }
        parts.append("token keys \(tokenKeys.count) \(revokedTokenKeys.count) \(rotations)")
        return parts.joined(separator: "\n")
    }

    private func name(_ ticket: Ticket) -> String {
        let voucher = ticket.voucher.map { "\(sessions[$0].phone.rawValue) \(sessions[$0].shows) \(isLive(sessions[$0]))" }
        return "ticket \(ticket.phone.rawValue) \(ticket.person) \(voucher ?? "") \(ticket.isOfVisit)"
    }

    private func name(_ visit: Visit) -> String {
        let age = elapsed - visit.openedAt
        guard isLive(visit), age < WalkRules.visitLife else { return "visit over \(visit.phone.rawValue)" }
        let isFresh = elapsed - visit.accessAt < WalkRules.accessTokenLife
        return "visit \(visit.phone.rawValue) \(isFresh) \(visit.hasTicket) \(age <= WalkRules.presenceLife)"
    }

    private func name(_ session: Session) -> String {
        guard isLive(session) else { return "over \(session.phone.rawValue) \(session.act ?? "")" }
        let (key, isRefreshed) = ("\(session.key.kind)\(session.key.edition)", session.formerRefresh != nil)
        let isFresh = elapsed - session.accessAt < WalkRules.accessTokenLife
        return "session \(session.phone.rawValue) \(key) \(session.act ?? "") \(isFresh) \(isRefreshed)"
    }

    func isUsable(_ ticket: Ticket) -> Bool {
        !ticket.isSpent && ticket.epoch == epoch && ticket.generation == people[ticket.person]?.generation
            && elapsed - ticket.madeAt < WalkRules.ticketLife
    }
}
#endif
