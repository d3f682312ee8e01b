#if Tools
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

/// Measures whether the time of a refused sign-in tells why it was refused: sign-ins of two classes, interleaved at
/// random.
///
/// It calls the server's decision itself, store and commit included, without HTTP: HTTP would only add noise, and other
/// tests compare the bytes of the answers. The password hash has the lowest cost that libsodium allows, so that the
/// difference of everything else shows; with the real cost more noise would hide the same difference.
struct NeutralTiming: Sendable {
    enum Comparison: String, CaseIterable, Sendable {
        case unknownAndWrong = "unknown account, wrong password"
        case unknownAndPaused = "unknown account, paused account"
        case unknownAndDisabled = "unknown account, account that is switched off"
        case wrongAndWithoutCode = "wrong password, right one without its one-time code"
        case wrongWithAndWithoutCodes = "wrong password: account without one-time codes, with them"
        case unknownAndWrongCode = "unknown account, wrong recovery code"
        case plainChallenge = "plain client: challenge for an unknown person, for a known one"
        case plainES256 = "plain client, ES256: unknown person, wrong signature"
        case plainRS256 = "plain client, RS256: unknown person, wrong signature"
        case plainKeys = "plain client, ES256: person with one key, with the most keys that are allowed"

        fileprivate var attempts: (Attempt, Attempt) {
            switch self {
            case .unknownAndWrong: (.signIn("never"), .signIn("known"))
            case .unknownAndPaused: (.signIn("never"), .signIn("pause"))
            case .unknownAndDisabled: (.signIn("never"), .signIn("off", password: NeutralTiming.right))
            case .wrongAndWithoutCode: (.signIn("coded"), .signIn("coded", password: NeutralTiming.right))
            case .wrongWithAndWithoutCodes: (.signIn("known"), .signIn("coded"))
            case .unknownAndWrongCode: (.recover("never"), .recover("known"))
            case .plainChallenge: (.plainChallenge("unknown beside known"), .plainChallenge("known"))
            case .plainES256: (.plainSignIn("unknown beside known", .es256), .plainSignIn("known", .es256))
            case .plainRS256:
                (.plainSignIn("unknown beside coded", .rs256With2048Bits), .plainSignIn("coded", .rs256With2048Bits))
            case .plainKeys: (.plainSignIn("known", .es256), .plainSignIn("pause", .es256))
            }
        }
    }

    fileprivate enum Attempt: Sendable {
        case signIn(String, password: String = "correct horse battery stable")
        case recover(String)
        case plainChallenge(String)
        case plainSignIn(String, PlainKey.Kind)

        /// A challenge is issued to anyone. Every other attempt is refused.
        var isAnswered: Bool { if case .plainChallenge = self { true } else { false } }
    }

    private var service: AuthorizationServer
    private let sender = Sender(jkt: Base64URL.encode([UInt8](repeating: 1, count: 32)), network: .unknown)
    private var ids: [String: AccountID] = [:]
    private static let right = "correct horse battery staple"

    /// Makes a server with the accounts of the comparisons.
    ///
    /// - Parameter folder: an empty or missing folder for that server.
    init(folder: String) async throws {
        var service = try await AuthorizationServer(ServerSettings(publicURL: "http://localhost", dataFolder: folder))
        service.passwords = try Passwords(cost: .least)
        let server = EmbeddedServer(service)
        for name in ["known", "pause", "coded", "off"] { try await server.addAccount(named: name, password: Self.right) }
        _ = try await server.setOneTimeCodes(ofAccountNamed: "coded")
        _ = try await server.makeRecoveryCodes(ofAccountNamed: "known")
        service.throttleLimits = .unlimited
        self.service = service
        try await enrol(1, .es256, of: "known")
        try await enrol(1, .rs256With2048Bits, of: "coded")
        try await enrol(EnrolledPlainKey.mostOfAnAccount, .es256, of: "pause")
        // Afterwards every name has a row of counts, so that no class differs because its row is new.
        for name in ["never", "known", "pause", "coded", "off"] {
            for _ in 1...5 { _ = try await time(.signIn(name)) }
        }
        try await server.disable(accountNamed: "off")
        (self.service.throttleLimits.firstWait, self.service.throttleLimits.longestWait) = (.seconds(100_000), .seconds(100_000))
        _ = try await time(.signIn("pause"))
        self.service.throttleLimits = .unlimited
    }

    /// Measures one comparison.
    ///
    /// - Parameters:
    ///   - pairs: half the number of samples. Chance decides which class comes next.
    ///   - end: when to stop with fewer samples.
    func compare(_ comparison: Comparison, pairs: Int, until end: ContinuousClock.Instant?) async throws -> WelchTest {
        let attempts = comparison.attempts
        var (first, second): ([Double], [Double]) = ([], [])
        // The first samples warm the caches and are not kept.
        var remaining = 2 * pairs + min(pairs, 1000)
        while remaining > 0, end.map({ ContinuousClock.now < $0 }) ?? true {
            let isFirst = Bool.random()
            let took = try await time(isFirst ? attempts.0 : attempts.1)
            remaining -= 1
            guard remaining < 2 * pairs else { continue }
            if isFirst { first.append(took) } else { second.append(took) }
        }
        return WelchTest(first, second)
    }

    /// Gives an account keys of plain clients whose private halves do not exist.
    private mutating func enrol(_ count: Int, _ kind: PlainKey.Kind, of name: String) async throws {
        let account = try await service.enrolDecoys(count, kind, ofAccountNamed: name)
        ids[name] = account
        // An account's place in the index may be told, so the unknown account is its neighbour there.
        ids["unknown beside \(name)"] = AccountID(account.bytes.dropLast() + [account.bytes[15] ^ 1])
    }

    /// The time of an attempt in microseconds.
    private func time(_ attempt: Attempt) async throws -> Double {
        let send = try prepare(attempt)
        var refused: RequestError?
        let began = ContinuousClock.now
        do { try await send() } catch let error as RequestError { refused = error }
        let took = began.duration(to: .now).components
        precondition(
            attempt.isAnswered ? refused == nil : refused?.problem.status == 401,
            "every sign-in of a measurement is refused, with the one neutral answer")
        return Double(took.seconds) * 1e6 + Double(took.attoseconds) / 1e12
    }

    /// Does the client's part of an attempt.
    private func prepare(_ attempt: Attempt) throws -> () async throws -> Void {
        switch attempt {
        case .signIn(let account, let password):
            let request = PasswordSignInRequest(account: account, password: password)
            return { _ = try await service.signIn(request, from: sender) }
        case .recover(let account):
            let request = RecoveryRequest(account: account, code: "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA")
            return { _ = try await service.recover(request, from: sender) }
        case .plainChallenge(let name):
            let request = PlainChallengeRequest(userID: id(name))
            return { _ = try service.challenge(plain: request) }
        case .plainSignIn(let name, let kind):
            let asked = try service.challenge(plain: PlainChallengeRequest(userID: id(name)))
            // The first byte makes it smaller than any RSA modulus.
            let signature = [1] + (1..<kind.rawValue).map { _ in UInt8.random(in: .min ... .max) }
            let request = PlainSignInRequest(
                userID: id(name), challengeID: asked.challengeID, signature: Base64URL.encode(signature)
            )
            return { _ = try await service.signIn(plain: request, from: sender.network) }
        }
    }

    private func id(_ name: String) -> String {
        guard let id = ids[name] else { preconditionFailure("each plain attempt is for an account that was enrolled before") }
        return id.text
    }
}

extension ThrottleLimits {
    /// No limits, to measure the time of a single attempt. Notices are still written.
    fileprivate static let unlimited: ThrottleLimits = {
        var limits = ThrottleLimits()
        (limits.firstWait, limits.longestWait, limits.mostInARow) = (.zero, .zero, .max)
        (limits.addressBurst, limits.globalBurst) = (1_000_000_000, 1_000_000_000)
        return limits
    }()
}
#endif
