#if Tools
package import NIOCore
import ThumbturnMessages

/// Refreshes. Each device makes one at a time.
package struct RefreshLoad: OpenLoop.Work {
    private let devices: [BenchDevice]
    private var requests: BenchRequests
    private var tokens: [Int: [UInt8]]
    private var nonce: [UInt8]
    private var free: [Int]
    package private(set) var refreshed = 0
    /// The last unexpected answer.
    package private(set) var lastProblem: String?

    /// - Parameter tokens: the refresh token of each device that has one.
    package init(_ devices: [BenchDevice], tokens: [Int: [UInt8]], nonce: [UInt8], _ requests: BenchRequests) {
        self.devices = devices
        self.requests = requests.forAnotherLoad
        self.tokens = tokens
        self.nonce = nonce
        free = Array(tokens.keys).shuffled()
    }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? {
        guard let device = free.popLast(), let token = tokens[device] else { return nil }
        return (device, requests.refresh(token[...], nonce: nonce[...], by: devices[device]))
    }

    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        if !answer.nonce.isEmpty { nonce = Array(answer.nonce) }
        guard answer.status == 200, let token = answer.text("refresh_token") else {
            lastProblem = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            return .failed
        }
        tokens[ticket] = Array(token)
        // The device goes to a random position, so that picks do not repeat the last few, cached devices.
        free.insert(ticket, at: Int.random(in: 0...free.count))
        refreshed += 1
        return .done
    }

    package mutating func connectionLost(_ ticket: Int) { lastProblem = "a connection was closed" }
}
#endif
