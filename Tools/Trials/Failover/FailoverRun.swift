#if Tools
import Foundation
import NIOCore
import NIOPosix
import ThumbturnLoad
import ThumbturnMessages

/// Sign-ins one after the other while the server breaks, and whether what was answered still holds afterwards.
///
/// Two devices take turns. A device has 32 sessions, and each further sign-in ends its oldest one. So a device that is interrupted
/// rests with its newest sign-ins, and the other one goes on; whether they are there is asked at the end, or before the first one is
/// needed again.
struct FailoverRun: Sendable {
    private(set) var refused = 0
    private(set) var unanswered = 0
    private(set) var interruptions = 0
    private(set) var acceptedTwice = 0
    private(set) var lookedUp = 0
    private(set) var lost = 0
    /// Those that a node refused at first, and that were accepted later.
    var knownLate: Int { firstRefusal.count - lost }

    private let line: FailoverLine
    private let sessionsMayEnd: Bool
    /// When an access token was refused for the first time.
    private var firstRefusal: [String: ContinuousClock.Instant] = [:]
    private var active: Signer
    private var resting: Signer

    /// The sign-ins of a device that are kept. Sign-ins whose answers were lost have sessions as well, so it is less than 32.
    private static let kept = 24
    /// The sign-ins after which an interrupted device rests. With fewer it goes on, because it is still the interruption that the other
    /// one rests for; these few are not kept.
    private static let fewest = 8

    /// The longest time until a node knows of a promotion. It looks for one every 5 seconds, and has to connect.
    private static let latest = Duration.seconds(20)

    private struct Signer {
        let device: LoadDevice
        /// The proofs that were accepted.
        var proofs: [String] = []
        /// The access tokens of the newest sign-ins that were not looked up yet.
        var tokens: [String] = []
    }

    init(_ first: LoadDevice, _ second: LoadDevice, sessionsMayEnd: Bool, over line: FailoverLine) {
        (active, resting) = (Signer(device: first), Signer(device: second))
        (self.line, self.sessionsMayEnd) = (line, sessionsMayEnd)
    }

    var signedIn: Int { active.proofs.count + resting.proofs.count }

    /// Signs in until this moment, and calls `note` after each sign-in.
    mutating func signIn(until end: ContinuousClock.Instant, _ note: @Sendable () -> Void) async {
        var (open, isInterrupted): (LoadConnection?, Bool) = (nil, false)
        while ContinuousClock.now < end {
            do {
                if isInterrupted { try await changeDevice() }
                isInterrupted = false
                let connection: LoadConnection
                if let open { connection = open } else { connection = try await line.connect() }
                open = connection
                let (challenge, nonce) = try await active.device.challenge(over: connection)
                let proof = active.device.proof(challenge)
                let answer = try await active.device.redeem(proof, nonce: nonce, over: connection)
                if answer.status == 200 {
                    active.proofs.append(proof)
                    let token = try active.device.read(TokenAnswer.self, answer, expecting: 200).accessToken
                    active.tokens = active.tokens.suffix(Self.kept - 1) + [token]
                    note()
                    continue
                }
                refused += 1
            } catch is LoadDevice.Unexpected {
                refused += 1
            } catch {
                unanswered += 1
                try? await open?.close()
                open = nil
            }
            isInterrupted = true
            try? await Task.sleep(for: .milliseconds(100))
        }
        try? await open?.close()
    }

    private mutating func changeDevice() async throws {
        guard active.tokens.count >= Self.fewest else { return }
        var inquiry = Inquiry(line, tries: 1)
        try await lookUpResting(&inquiry, isFinal: false)
        await inquiry.close()
        swap(&active, &resting)
        interruptions += 1
    }

    /// Uses the newest sign-ins of both devices, and sends all proofs again.
    mutating func check() async throws {
        var inquiry = Inquiry(line, tries: 40)
        for _ in 0..<2 {
            try await lookUpResting(&inquiry, isFinal: true)
            swap(&active, &resting)
        }
        for signer in [active, resting] {
            let device = signer.device
            for proof in signer.proofs {
                let isAccepted = try await inquiry.isAccepted(orRefusedWith: "invalid_grant") { nonce, connection in
                    try await device.redeem(proof, nonce: nonce, over: connection)
                }
                if isAccepted { acceptedTwice += 1 }
            }
        }
        await inquiry.close()
    }

    /// Uses the sign-ins that the resting device keeps. A node that does not know of a promotion yet does not know what was signed in
    /// since, and is asked again: what it accepts within some seconds was known late, and is not lost.
    ///
    /// - Throws: unless it is final, `LoadDevice.Unexpected` where one is not accepted yet, so that the caller asks again.
    private mutating func lookUpResting(_ inquiry: inout Inquiry, isFinal: Bool) async throws {
        var gone = try await refused(resting.tokens, resting.device, &inquiry)
        while !sessionsMayEnd, gone.contains(where: { mayFollow($0) }) {
            await inquiry.close()
            guard isFinal else { throw LoadDevice.Unexpected(description: "\(gone.count) sign-ins are not known") }
            try await Task.sleep(for: .seconds(1))
            gone = try await refused(gone, resting.device, &inquiry)
        }
        lookedUp += resting.tokens.count
        lost += gone.count
        resting.tokens = []
    }

    /// Whether a token that was refused may still be accepted.
    private func mayFollow(_ token: String) -> Bool {
        firstRefusal[token].map { .now - $0 < Self.latest } ?? false
    }

    /// Those of a device's access tokens that are not accepted.
    private mutating func refused(_ tokens: [String], _ device: LoadDevice, _ inquiry: inout Inquiry) async throws -> [String] {
        var gone: [String] = []
        for token in tokens {
            let isThere = try await inquiry.isAccepted(orRefusedWith: "invalid_token") { nonce, connection in
                try await device.get("/v1/me", token: token, nonce: nonce, over: connection)
            }
            guard !isThere else { continue }
            gone.append(token)
            firstRefusal[token] = firstRefusal[token] ?? .now
        }
        return gone
    }
}

/// How the devices reach the server.
struct FailoverLine: Sendable {
    let host: String
    let port: Int
    let patience: Int

    func connect() async throws -> LoadConnection {
        try await LoadConnection(host: host, port: port, on: .singleton, limit: .seconds(Int64(patience)))
    }
}

/// Asks whether the server accepts something, until an answer decides it.
private struct Inquiry {
    private let line: FailoverLine
    private let tries: Int
    private var open: LoadConnection?
    /// The server's newest nonce; it does not know the first one, and sends another.
    private var nonce = "none"

    init(_ line: FailoverLine, tries: Int) {
        (self.line, self.tries) = (line, tries)
    }

    mutating func isAccepted(
        orRefusedWith code: String, _ request: (_ nonce: String, LoadConnection) async throws -> LoadConnection.Answer
    ) async throws -> Bool {
        var left = tries
        while true {
            do { return try await decide(code, request) } catch {
                await close()
                left -= 1
                guard left > 0 else { throw error }
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    private mutating func decide(
        _ code: String, _ request: (_ nonce: String, LoadConnection) async throws -> LoadConnection.Answer
    ) async throws -> Bool {
        let connection: LoadConnection
        if let open { connection = open } else { connection = try await line.connect() }
        open = connection
        var answer = try await send(request, over: connection)
        // The refusal of an old nonce is no judgement.
        if Self.error(in: answer) == "use_dpop_nonce" { answer = try await send(request, over: connection) }
        if answer.status == 200 { return true }
        guard Self.error(in: answer) == code else {
            throw LoadDevice.Unexpected(
                description: "expected 200 or \(code), found \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return false
    }

    private mutating func send(
        _ request: (_ nonce: String, LoadConnection) async throws -> LoadConnection.Answer, over connection: LoadConnection
    ) async throws -> LoadConnection.Answer {
        let answer = try await request(nonce, connection)
        nonce = answer.nonce ?? nonce
        return answer
    }

    private static func error(in answer: LoadConnection.Answer) -> String? {
        (try? JSONDecoder().decode(Problem.self, from: Data(answer.body)))?.error
    }

    mutating func close() async {
        try? await open?.close()
        open = nil
    }
}
#endif
