#if Tools
package import NIOCore
import ThumbturnMessages

/// Refreshes, each device one at a time.
package struct RefreshLoad: OpenLoop.Work {
    private let devices: [BenchDevice]
    private var requests: BenchRequests
    private var tokens: [Int: [UInt8]]
    private var nonce: [UInt8]
    private var free: [Int]
    package private(set) var refreshed = 0
    package private(set) var complaint: String?

    /// - Parameter tokens: the refresh token of each device that has one.
    package init(_ devices: [BenchDevice], tokens: [Int: [UInt8]], nonce: [UInt8], _ requests: BenchRequests) {
        self.devices = devices
        self.requests = requests.anew
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
            complaint = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            return .failed
        }
        tokens[ticket] = Array(token)
        // Picked again at random, so that not only the last few are warm.
        free.insert(ticket, at: Int.random(in: 0...free.count))
        refreshed += 1
        return .done
    }

    package mutating func broke(_ ticket: Int) { complaint = "a connection broke" }
}
#endif
