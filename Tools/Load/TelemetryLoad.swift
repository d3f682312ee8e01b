#if Tools
package import NIOCore
package import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages

/// Batches of reports of unlocks, by enrolled devices or with a write key. No two have the same name.
package struct TelemetryLoad: OpenLoop.Work {
    /// The sender of the batches.
    package enum Sender: Sendable {
        /// The write key of an app, as its text.
        case key(String)
        /// Devices, each with a DPoP proof.
        case devices([BenchDevice])
    }

    private let sender: Sender
    private var requests: BenchRequests
    private var nonce: [UInt8] = []
    /// The texts of unlocks, of which each batch has one.
    private let bodies: [[UInt8]]
    private let unlocksInABatch: Int
    private var generator = SystemRandomNumberGenerator()

    /// The batches that were accepted.
    package private(set) var accepted = 0
    /// The last unexpected answer.
    package private(set) var lastProblem: String?

    /// The events of each unlock: the reader's first answer is a mismatch.
    package static let events: [Telemetry] = [
        .promptShown(.biometric), .promptAppeared(.biometric, .told),
        .sensorAnswered(.failed(.notMatched), after: .milliseconds(900), total: .milliseconds(900)), .retry(1),
        .sensorAnswered(.matched, after: .milliseconds(2100), total: .milliseconds(2100)),
        .authenticated(.biometric, after: .milliseconds(2150), attempts: 1),
    ]

    /// The unlocks that were accepted.
    package var unlocks: Int { accepted * unlocksInABatch }

    /// - Parameters:
    ///   - unlocks: the unlocks of a batch.
    ///   - kinds: the kinds of devices, each of which has a cell of its own.
    package init(
        _ sender: Sender, _ requests: BenchRequests, unlocks: Int, kinds: Int, at now: UnixTime
    ) {
        self.sender = sender
        self.requests = requests.forAnotherLoad
        unlocksInABatch = unlocks
        bodies = (0..<kinds).map { kind in
            let context = TelemetryContext(
                system: "iOS", model: TelemetryLabel("iPhone\(kind),1"), systemVersion: "26.1", appVersion: "4.2.0",
                sensor: .faceID, policy: "unlock")
            return Signing.encode((0..<unlocks).map { _ in UnlockReport(Self.events, began: now, in: context) })
        }
    }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? {
        // The answer to a challenge has the first nonce.
        if case .devices(let devices) = sender, nonce.isEmpty {
            return (Self.nonceTicket, requests.challenge(of: devices[0]))
        }
        return (Self.batchTicket, batch())
    }

    private mutating func batch() -> ByteBuffer {
        let names = [TelemetryBatch.Name(using: &generator), TelemetryBatch.Name(using: &generator)].map(\.text)
        let body =
            Array(#"{"batch":"\#(names[0])","day":"\#(names[1])","unlocks":"#.utf8)
            + bodies[Int.random(in: 0..<bodies.count, using: &generator)] + [UInt8(ascii: "}")]
        switch sender {
        case .key(let key): return requests.telemetry(body, key: key)
        case .devices(let devices):
            let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
            return requests.send("POST", "/v1/telemetry", body, nonce: nonce[...], by: device)
        }
    }

    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        if !answer.nonce.isEmpty { nonce = Array(answer.nonce) }
        if ticket == Self.nonceTicket, answer.status == 200 { return .done }
        guard answer.status == 202 else {
            lastProblem = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            return .failed
        }
        accepted += 1
        return .done
    }

    private static let (batchTicket, nonceTicket) = (0, 1)

    package mutating func connectionLost(_ ticket: Int) { lastProblem = "a connection was closed" }
}
#endif
