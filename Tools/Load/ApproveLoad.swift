#if Tools
package import NIOCore
import ThumbturnMessages

/// Complete approvals: a back end creates one, the person's device fetches it, gets a challenge over it and signs, and
/// the back end redeems it. Each account has one approval at a time.
package struct ApproveLoad: OpenLoop.Work {
    private struct Open {
        var step = Step.create
        var id: [UInt8] = []
        var transaction: [UInt8]
        var key: [UInt8]
    }

    private enum Step { case create, fetch, challenge, prove, redeem }

    private let devices: [BenchDevice]
    private let accounts: [String]
    private let backEnd: BenchBackEnd
    private let token: [UInt8]
    private var requests: BenchRequests
    private var nonce: [UInt8]
    private var open: [Int: Open] = [:]
    private var free: [Int]
    private var counter = 0
    private let run = UInt32.random(in: 0 ... .max)
    /// The ids of the approvals that were redeemed.
    package private(set) var redeemed: [[UInt8]] = []
    /// The last unexpected answer.
    package private(set) var lastProblem: String?

    /// - Parameters:
    ///   - accounts: the account of each device.
    ///   - token: the back end's access token, and the nonce that came with it.
    package init(
        _ devices: [BenchDevice], accounts: [String], of backEnd: BenchBackEnd, token: (token: String, nonce: String),
        _ requests: BenchRequests
    ) {
        self.devices = devices
        self.accounts = accounts
        self.backEnd = backEnd
        self.token = Array(token.token.utf8)
        self.requests = requests.forAnotherLoad
        nonce = Array(token.nonce.utf8)
        free = Array(devices.indices).shuffled()
    }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? {
        guard let device = free.popLast() else { return nil }
        counter += 1
        let name = "\(run)-\(counter)"
        let transaction = #"""
            {"payload":{"amount":"12.50","currency":"EUR","payee":{"id":"DE75512108001245126199","name":"Super Store"},\#
            "transaction_id":"\#(name)"},"type":"urn:eudi:sca:payment:1"}
            """#
        let next = Open(transaction: Array(transaction.utf8), key: Array(name.utf8))
        open[device] = next
        let body = Array(#"{"account":"\#(accounts[device])","transaction":"#.utf8) + next.transaction + [UInt8(ascii: "}")]
        return (device, requests.send("/v1/approvals", body, token: token, nonce: nonce[...], by: backEnd))
    }

    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        if !answer.nonce.isEmpty { nonce = Array(answer.nonce) }
        guard var current = open[ticket], (200..<300).contains(answer.status), let next = advance(&current, ticket, answer) else {
            lastProblem = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            end(ticket)
            return .failed
        }
        if case .done = next {
            redeemed.append(current.id)
            end(ticket)
        } else {
            open[ticket] = current
        }
        return next
    }

    /// The next request; nil if the answer is not the expected one of this step.
    private mutating func advance(_ current: inout Open, _ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next? {
        let device = devices[ticket]
        switch current.step {
        case .create:
            guard let id = answer.text("id") else { return nil }
            current.id = Array(id)
            current.step = .fetch
            return .request(requests.send("GET", path(current), nonce: nonce[...], by: device))
        case .fetch:
            guard answer.text("txn") != nil else { return nil }
            current.step = .challenge
            let body = Array(#"{"kids":["\#(device.kid)"]}"#.utf8)
            return .request(requests.send("POST", path(current) + "/challenge", body, nonce: nonce[...], by: device))
        case .challenge:
            guard let challenge = answer.text("challenge") else { return nil }
            current.step = .prove
            let proof = String(decoding: BenchRequests.proof(challenge, by: device), as: UTF8.self)
            let body = Array(#"{"proof":"\#(proof)"}"#.utf8)
            return .request(requests.send("POST", path(current) + "/proofs", body, nonce: nonce[...], by: device))
        case .prove:
            guard let state = answer.text("state"), state.elementsEqual("approved".utf8) else { return nil }
            current.step = .redeem
            let body = Array(#"{"transaction":"#.utf8) + current.transaction + [UInt8(ascii: "}")]
            return .request(
                requests.send(
                    path(current) + "/redeem", body, token: token, key: current.key, nonce: nonce[...], by: backEnd))
        case .redeem:
            return answer.text("receipt") == nil ? nil : .done
        }
    }

    package mutating func connectionLost(_ ticket: Int) { lastProblem = "a connection was closed" }

    private mutating func end(_ ticket: Int) {
        open[ticket] = nil
        // The device goes to a random position, so that picks do not repeat the last few, cached devices.
        free.insert(ticket, at: Int.random(in: 0...free.count))
    }

    private func path(_ current: Open) -> String { "/v1/approvals/" + String(decoding: current.id, as: UTF8.self) }
}
#endif
