#if Tools
package import NIOCore
import ThumbturnMessages

/// Complete sign-ins of random devices: each gets a challenge and exchanges its proof for a token.
package struct SignInLoad: OpenLoop.Work {
    private let devices: [BenchDevice]
    private var requests: BenchRequests
    private var open: [(device: Int, challenge: ArraySlice<UInt8>?)] = []
    private var free: [Int] = []
    /// The challenges that were accepted, by their last 43 characters.
    package private(set) var accepted: [ArraySlice<UInt8>] = []
    /// The last refresh token of each device that has one.
    package private(set) var refreshTokens: [Int: [UInt8]] = [:]
    /// The newest nonce of the server.
    package private(set) var nonce: [UInt8] = []
    /// The last unexpected answer.
    package private(set) var lastProblem: String?

    package init(_ devices: [BenchDevice], _ requests: BenchRequests) {
        self.devices = devices
        self.requests = requests.forAnotherLoad
    }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? {
        let device = Int.random(in: 0..<devices.count)
        let ticket = free.popLast() ?? open.count
        if ticket == open.count { open.append((device, nil)) } else { open[ticket] = (device, nil) }
        return (ticket, requests.challenge(of: devices[device]))
    }

    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        let (device, challenge) = open[ticket]
        nonce = Array(answer.nonce)
        if challenge == nil, answer.status == 200, let challenge = answer.text("challenge"), !answer.nonce.isEmpty {
            open[ticket].challenge = ArraySlice(Array(challenge.suffix(43)))
            return .request(requests.redeem(challenge, nonce: answer.nonce, by: devices[device]))
        }
        free.append(ticket)
        guard let challenge, answer.status == 200, answer.text("access_token") != nil, let token = answer.text("refresh_token")
        else {
            lastProblem = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            return .failed
        }
        accepted.append(challenge)
        refreshTokens[device] = Array(token)
        return .done
    }

    package mutating func connectionLost(_ ticket: Int) {
        free.append(ticket)
        lastProblem = "a connection was closed"
    }
}
#endif
