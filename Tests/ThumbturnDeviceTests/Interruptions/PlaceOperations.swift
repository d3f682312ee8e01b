import Synchronization
import TestSupport
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// What ada has done on the phone before.
enum Setting: Sendable {
    case nothing, visit, enrolment, enrolmentWithoutPIN, visitBesideEnrolment

    /// - Returns: the success that opened the session; nil if there is none.
    func prepare(_ auth: Authenticator) async throws -> Grant? {
        switch self {
        case .nothing: return nil
        case .visit: return try await auth.signIn(with: Resident.ada.signIn)
        case .enrolment, .enrolmentWithoutPIN:
            let policy = self == .enrolment ? .unlock : UnlockPolicy(ladder: [.biometric, .devicePasscode])
            try await auth.enrol(with: Resident.ada.signIn, policy: policy)
            return try await auth.authenticate("Open", policy: policy)
        case .visitBesideEnrolment:
            _ = try await Self.enrolment.prepare(auth)
            return try await auth.signIn(with: Resident.ada.signIn)
        }
    }
}

/// One thing that a person does on the phone.
struct Operation: Sendable {
    /// What a dismissal ends.
    enum Kind: Sendable {
        /// A success: never after a dismissal.
        case success
        /// An approval, which nothing takes back once its proof is sent.
        case approval
        /// An enrolment: until it is live.
        case enrolment
        /// A change of keys, which nothing takes back once it is sent.
        case keyChange
        /// A call that needs no person, and goes on.
        case upkeep
    }

    let name: String
    let setting: Setting
    let kind: Kind
    /// Who owns the place if it succeeds; nil for nobody.
    let owner: Resident?
    /// Whether it begins with credentials, for which the person may leave the app.
    let takesCredentials: Bool
    /// - Returns: the success, where the call gives one.
    let act: @Sendable (Authenticator) async throws -> Grant?

    private init(
        _ name: String, _ setting: Setting, _ kind: Kind, owner: Resident? = .ada, takesCredentials: Bool = false,
        _ act: @escaping @Sendable (Authenticator) async throws -> Grant?
    ) {
        (self.name, self.setting, self.kind, self.act) = (name, setting, kind, act)
        (self.owner, self.takesCredentials) = (owner, takesCredentials)
    }

    private static let byPIN = UnlockPolicy(ladder: [.appPIN])

    static let all: [Operation] = [
        Operation("sign in", .nothing, .success) { try await $0.signIn(with: Resident.ada.signIn) },
        Operation("sign in again", .visit, .success) { try await $0.signIn(with: Resident.ada.signIn) },
        Operation("sign in over another's visit", .visit, .success, owner: .bob) {
            try await $0.signIn(with: Resident.bob.signIn)
        },
        Operation("sign in beside the enrolment", .enrolment, .success) { try await $0.signIn(with: Resident.ada.signIn) },
        Operation("unlock by a key over a visit", .visitBesideEnrolment, .success) { try await $0.authenticate("Unlock") },
        Operation("unlock by the PIN", .enrolment, .success) { try await $0.authenticate("Unlock", policy: byPIN) },
        Operation("step up", .enrolment, .success) { try await $0.stepUp(for: .newRecipient, reason: "Pay") },
        Operation("approve", .enrolment, .approval) {
            try await $0.approve(try await $0.approval(ApprovingServer.id))
            return nil
        },
        Operation("enrol", .nothing, .enrolment, takesCredentials: true) { try await enrol($0, .ada) },
        Operation("enrol anew", .enrolment, .enrolment, takesCredentials: true) { try await enrol($0, .ada, .replace) },
        Operation("enrol and keep", .enrolment, .enrolment, takesCredentials: true) { try await enrol($0, .ada) },
        Operation("enrol over another's visit", .visit, .enrolment, owner: .bob, takesCredentials: true) {
            try await enrol($0, .bob)
        },
        Operation("enrol over another's enrolment", .enrolment, .enrolment, owner: .bob, takesCredentials: true) {
            try await enrol($0, .bob)
        },
        Operation("add biometrics", .visit, .enrolment) {
            try await $0.addBiometrics()
            return nil
        },
        Operation("add biometrics beside the enrolment", .visitBesideEnrolment, .enrolment) {
            try await $0.addBiometrics()
            return nil
        },
        Operation("replace the biometric key", .enrolment, .keyChange, takesCredentials: true) {
            try await $0.replaceBiometricKey(with: Resident.ada.signIn)
            return nil
        },
        Operation("remove the biometric key", .enrolment, .keyChange) {
            try await $0.removeBiometricKey(policy: UnlockPolicy(ladder: [.devicePasscode]))
            return nil
        },
        Operation("set a PIN", .enrolmentWithoutPIN, .keyChange) {
            try await $0.setPIN()
            return nil
        },
        Operation("change the PIN", .enrolment, .keyChange) {
            try await $0.changePIN(policy: byPIN)
            return nil
        },
        Operation("reset the PIN", .enrolment, .keyChange, takesCredentials: true) {
            try await $0.resetPIN(with: Resident.ada.signIn)
            return nil
        },
        Operation("remove the PIN", .enrolment, .keyChange) {
            try await $0.removePIN(policy: byPIN)
            return nil
        },
        Operation("refresh", .visitBesideEnrolment, .upkeep) {
            try await $0.refresh()
            return nil
        },
        Operation("sign out", .visitBesideEnrolment, .upkeep) {
            try await $0.signOut(forgetDevice: false)
            return nil
        },
        Operation("sign out and forget the device", .enrolment, .upkeep, owner: nil) {
            try await $0.signOut(forgetDevice: true)
            return nil
        },
        Operation("revoke", .visitBesideEnrolment, .upkeep, owner: nil) {
            try await $0.revoke()
            return nil
        },
    ]

    private static func enrol(
        _ auth: Authenticator, _ who: Resident, _ ifExists: Authenticator.IfExists = .keep
    ) async throws -> Grant? {
        try await auth.enrol(with: who.signIn, ifExists: ifExists)
        return nil
    }
}

/// A person whose phone it is now gets in, and what the phone does is theirs alone.
extension SharedPhone {
    /// The policy of a person whose sensor may be switched off.
    static let anyRung = UnlockPolicy(ladder: [.biometric, .devicePasscode, .appPIN])

    /// What is wrong with the owner of the place: every answer of the server has to be about them, in each process. Prompts
    /// nobody.
    func problemsOfTheOwner(_ processes: [PhoneProcess]) async -> [String] {
        guard let owner = try? await processes[0].auth.enrolments().owner.account else {
            let sent = requests.count
            for process in processes { _ = await failure { _ = try await process.auth.me() } }
            return requests.accounts(since: sent).map { "nobody owns the place, and \($0) was asked for" }
        }
        var problems: [String] = []
        let visits = (try? await accountsOfVisits(processes[0].auth)) ?? ["a visit without a key"]
        problems += visits.filter { $0 != owner }.map { "\(owner) owns the place, and a visit of \($0) is open" }
        for process in processes {
            let sent = requests.count
            if let me = try? await process.auth.me(), me.id != owner {
                problems.append("\(owner) owns the place, and me() is \(me.id)")
            }
            _ = await failure { _ = try await process.auth.devices() }
            _ = await failure { _ = try await process.auth.approvals() }
            _ = await failure { try await process.auth.refresh() }
            problems += requests.accounts(since: sent).filter { $0 != owner }.map {
                "\(owner) owns the place, and \($0) was asked for"
            }
        }
        return problems
    }

    /// The accounts of the open visits, as the server knows them by their session keys.
    func accountsOfVisits(_ auth: Authenticator) async throws -> [String] {
        var accounts: [String] = []
        for visit in try await auth.enrolments().visits {
            let key = try await auth.platform.keys.publicKey(of: auth.name(of: .session, in: visit.number))
            let account = server.state.withLock { $0.visits[Signing.thumbprint(of: key)] }
            accounts.append(InMemoryServer.id(of: account ?? "nobody"))
        }
        return accounts
    }

    /// What keeps the owner, or ada if nobody owns the place, from getting in: by what the device has, and else by their
    /// password.
    func problemsGettingIn(_ auth: Authenticator) async -> [String] {
        do {
            let owner = try await auth.enrolments().owner
            let person = Resident(id: owner.account) ?? .ada
            if case .enrolment = owner {
            } else {
                _ = try await auth.signIn(with: person.signIn)
                guard try await auth.me().id == person.id else { return ["\(person) signs in as another"] }
                try await auth.enrol(with: person.signIn)
            }
            _ = try await auth.authenticate("Get in", policy: Self.anyRung)
            let sent = requests.count
            _ = try await auth.stepUp(for: .newRecipient, reason: "Pay", policy: Self.anyRung)
            guard try await auth.me().id == person.id, requests.accounts(since: sent) == [person.id] else {
                return ["\(person) gets in as another"]
            }
            return []
        } catch {
            return ["the next use fails: \(error)"]
        }
    }

    /// What is left of those who are not enrolled, once everything had its time; then of anyone, after a revocation.
    ///
    /// - Parameter lost: the number of devices at the server whose keys are gone, so that nothing here can end them.
    func problemsOfLeftovers(_ auth: Authenticator, lost: Int = 0) async throws -> [String] {
        var problems: [String] = []
        try await pass(.seconds(1000))
        await auth.settle()
        let journal = try await auth.enrolments()
        let live = journal.live == nil ? 0 : 1
        if records != live + lost { problems.append("the server lists \(records) devices, and \(live) is enrolled") }
        if phone.keyCount != journal.kinds.count + journal.visits.count {
            problems.append("\(phone.keyCount) keys of \(journal.kinds.count) kinds and \(journal.visits.count) visits")
        }
        if !journal.unfinished.isEmpty || !journal.opening.isEmpty || journal.change != nil || !journal.stale.isEmpty {
            problems.append("the journal is not settled: \(journal)")
        }
        let failed = await failure { try await auth.revoke() }
        if let failed, failed.code != .notEnrolled || live > 0 { problems.append("revoking fails: \(failed)") }
        if phone.keyCount > 0 || !leftovers.isEmpty || records > lost {
            problems.append("\(phone.keyCount) keys, \(leftovers) and \(records) devices outlive a revocation")
        }
        if try await !auth.enrolments().isEmpty { problems.append("the journal outlives a revocation") }
        return problems
    }
}
