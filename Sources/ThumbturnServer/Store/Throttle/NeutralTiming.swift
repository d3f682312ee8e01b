#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

/// Measures whether the time of a refused sign-in tells why it was refused, as dudect does (Reparaz, Balasch, Verbauwhede: "Dude, is my
/// code constant time?", 2017): two classes interleaved at random, and Welch's t over all samples and over the fastest ones, cropped at
/// a hundred percentiles, because a rare interruption would hide a small difference.
///
/// It calls the server's decision itself, store and commit included, without HTTP before it: that only adds noise, and its bytes are
/// compared elsewhere. The password hash costs the least that libsodium allows, so that the difference of everything else shows; with
/// the real cost the same difference drowns in more noise.
package struct NeutralTiming: Sendable {
    package enum Comparison: String, CaseIterable, Sendable {
        case unknownAndWrong = "unknown account, wrong password"
        case unknownAndPaused = "unknown account, account that pauses"
        case wrongAndWithoutCode = "wrong password, right one without its one-time code"
        case wrongWithAndWithoutCodes = "wrong password: account without one-time codes, with them"
        case unknownAndWrongCode = "unknown account, wrong recovery code"
        case plainChallenge = "plain client: challenge for an unknown person, for a known one"
        case plainES256 = "plain client, ES256: unknown person, wrong signature"
        case plainRS256 = "plain client, RS256: unknown person, wrong signature"
        case plainKeys = "plain client, ES256: person with one key, with as many as there may be"

        fileprivate var attempts: (Attempt, Attempt) {
            switch self {
            case .unknownAndWrong: (.signIn("never"), .signIn("known"))
            case .unknownAndPaused: (.signIn("never"), .signIn("pause"))
            case .wrongAndWithoutCode: (.signIn("coded"), .signIn("coded", password: NeutralTiming.right))
            case .wrongWithAndWithoutCodes: (.signIn("known"), .signIn("coded"))
            case .unknownAndWrongCode: (.recover("never"), .recover("known"))
            case .plainChallenge: (.plainChallenge("nobody beside known"), .plainChallenge("known"))
            case .plainES256: (.plainSignIn("nobody beside known", .es256), .plainSignIn("known", .es256))
            case .plainRS256:
                (.plainSignIn("nobody beside coded", .rs256With2048Bits), .plainSignIn("coded", .rs256With2048Bits))
            case .plainKeys: (.plainSignIn("known", .es256), .plainSignIn("pause", .es256))
            }
        }
    }

    fileprivate enum Attempt: Sendable {
        case signIn(String, password: String = "correct horse battery stable")
        case recover(String)
        case plainChallenge(String)
        case plainSignIn(String, PlainKey.Kind)

        /// Challenges are for everybody. All else is refused.
        var isAnswered: Bool { if case .plainChallenge = self { true } else { false } }
    }

    package struct Result: Sendable {
        package var comparison: Comparison
        package var samples: (Int, Int)
        /// Mean time in microseconds.
        package var means: (Double, Double)
        /// Welch's t over all samples.
        package var t: Double
        /// The t that is farthest from 0 among all crops, and what share of the samples it kept.
        package var worst: (t: Double, kept: Double)
    }

    private var service: AuthorizationServer
    private let sender = Sender(jkt: Base64URL.encode([UInt8](repeating: 1, count: 32)), network: .unknown)
    private var ids: [String: AccountID] = [:]
    private static let right = "correct horse battery staple"

    /// - Parameter folder: an empty or missing folder for a server of its own.
    package init(folder: String) async throws {
        var service = try await AuthorizationServer(ServerSettings(publicURL: "http://localhost", dataFolder: folder))
        service.passwords = try Passwords(cost: .least)
        for name in ["known", "pause", "coded"] { try await service.addAccount(named: name, password: Self.right) }
        _ = try await service.setOneTimeCodes(ofAccountNamed: "coded")
        _ = try await service.makeRecoveryCodes(ofAccountNamed: "known")
        service.throttleLimits = .none
        self.service = service
        try await enrol(1, .es256, of: "known")
        try await enrol(1, .rs256With2048Bits, of: "coded")
        try await enrol(EnrolledPlainKey.mostOfAnAccount, .es256, of: "pause")
        // Nobody differs by being new.
        for name in ["never", "known", "pause", "coded"] {
            for _ in 1...5 { _ = try await time(.signIn(name)) }
        }
        (self.service.throttleLimits.firstWait, self.service.throttleLimits.longestWait) = (.seconds(100_000), .seconds(100_000))
        _ = try await time(.signIn("pause"))
        self.service.throttleLimits = .none
    }

    /// - Parameter pairs: half the number of samples. Which class comes next is left to chance.
    package func compare(_ comparison: Comparison, pairs: Int, until end: ContinuousClock.Instant?) async throws -> Result {
        let attempts = comparison.attempts
        var (first, second): ([Double], [Double]) = ([], [])
        // The first ones warm everything up.
        var remaining = 2 * pairs + min(pairs, 1000)
        while remaining > 0, end.map({ ContinuousClock.now < $0 }) ?? true {
            let isFirst = Bool.random()
            let took = try await time(isFirst ? attempts.0 : attempts.1)
            remaining -= 1
            guard remaining < 2 * pairs else { continue }
            if isFirst { first.append(took) } else { second.append(took) }
        }
        return Self.judge(first, second, comparison)
    }

    /// Gives an account keys of plain clients, which nobody has.
    private mutating func enrol(_ count: Int, _ kind: PlainKey.Kind, of name: String) async throws {
        guard let account = try await service.store.account(named: name)?.id else {
            preconditionFailure("keys are for the accounts that were just made")
        }
        ids[name] = account
        // Whoever asks knows where an id lies among the others, so that is nothing to compare: this one is nobody's, and the next.
        ids["nobody beside \(name)"] = AccountID(account.bytes.dropLast() + [account.bytes[15] ^ 1])
        for _ in 1...count {
            let key = try PlainKey(spkiDER: kind.makeDecoy())
            let device = NewDevice(id: .random(), account: account, name: "Test", sessionJKT: "", keys: [], coolOff: .zero)
            let ticket = Spend(
                .ticket, id: DeviceID.random().bytes, expiresAt: service.time.now + .seconds(60),
                epoch: service.secrets.current.epoch
            )
            let isEnrolled = try await service.store.enrol(
                device, with: NewPlainKey(kid: key.kid, spki: key.spki), spending: ticket
            )
            precondition(isEnrolled, "an account may have this many")
        }
    }

    /// Microseconds.
    private func time(_ attempt: Attempt) async throws -> Double {
        let send = try prepare(attempt)
        var refused: RequestError?
        let began = ContinuousClock.now
        do { try await send() } catch let error as RequestError { refused = error }
        let took = began.duration(to: .now).components
        precondition(
            attempt.isAnswered ? refused == nil : refused?.problem.status == 401, "nobody signs in with these, nor is told why")
        return Double(took.seconds) * 1e6 + Double(took.attoseconds) / 1e12
    }

    /// All that the client does.
    private func prepare(_ attempt: Attempt) throws -> () async throws -> Void {
        switch attempt {
        case .signIn(let account, let password):
            let request = PasswordSignInRequest(account: account, password: password)
            return { _ = try await service.signIn(request, from: sender) }
        case .recover(let account):
            let request = RecoveryRequest(account: account, code: "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA")
            return { _ = try await service.recover(request, from: sender) }
        case .plainChallenge(let name):
            let request = PlainChallengeRequest(userID: try id(name))
            return { _ = try service.challenge(request) }
        case .plainSignIn(let name, let kind):
            let asked = try service.challenge(PlainChallengeRequest(userID: try id(name)))
            // Smaller than any modulus.
            let signature = [1] + (1..<kind.rawValue).map { _ in UInt8.random(in: .min ... .max) }
            let request = PlainSignInRequest(
                userID: try id(name), challengeID: asked.challengeID, signature: Base64URL.encode(signature)
            )
            return { _ = try await service.signIn(request, from: sender.network) }
        }
    }

    private func id(_ name: String) throws -> String {
        guard let id = ids[name] else { throw RequestError.malformed() }
        return id.text
    }

    package static func judge(_ first: [Double], _ second: [Double], _ comparison: Comparison) -> Result {
        let pooled = (first + second).sorted()
        var worst = (t: welch(first, second), kept: 1.0)
        let raw = worst.t
        for index in 1...100 where !pooled.isEmpty {
            let kept = 1 - pow(0.5, 10 * Double(index) / 100)
            let limit = pooled[min(pooled.count - 1, Int(kept * Double(pooled.count)))]
            let (left, right) = (first.filter { $0 < limit }, second.filter { $0 < limit })
            guard min(left.count, right.count) >= 100 else { continue }
            let t = welch(left, right)
            if abs(t) > abs(worst.t) { worst = (t, kept) }
        }
        return Result(
            comparison: comparison, samples: (first.count, second.count), means: (mean(first), mean(second)), t: raw, worst: worst
        )
    }

    /// Welch's t of two samples.
    package static func welch(_ first: [Double], _ second: [Double]) -> Double {
        guard first.count > 1, second.count > 1 else { return 0 }
        let spread = variance(first) / Double(first.count) + variance(second) / Double(second.count)
        return spread > 0 ? (mean(first) - mean(second)) / spread.squareRoot() : 0
    }

    private static func mean(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count) }

    private static func variance(_ values: [Double]) -> Double {
        let mean = mean(values)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    }
}
#endif
