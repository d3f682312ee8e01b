import Foundation
import Synchronization
import TestSupport
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
@testable import ThumbturnAndroid

/// A server with one open approval and a second device, and the app's own API at another origin, beside the server in memory.
final class AppServer: Transport {
    static let approval = Base64URL.encode([UInt8](repeating: 7, count: 16))
    static let api = "https://api.bank.example"

    struct State {
        var decline = 0
        var otherDevice: String? = "tablet"
        /// Whether the API demands a newer nonce from the next request.
        var wantsNonce = false
        /// What the API demands before the next request.
        var demand: String?
        /// The password that the person has set.
        var password: String?
        /// Requests to the API with both proofs.
        var authorized = 0
    }

    let server: InMemoryServer
    let state = Mutex(State())
    private let txn = Base64URL.encode(
        Array(
            (#"{"payload":{"action":"Sign in","service":"Acme","transaction_id":"1"},"#
                + #""type":"urn:eudi:sca:login_risk_transaction:1"}"#).utf8))

    init(_ server: InMemoryServer) { self.server = server }

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        if request.url.hasPrefix(Self.api) { return api(request) }
        let path = request.url.dropFirst(20)
        let one = "/v1/approvals/" + Self.approval
        switch (request.method, path) {
        case ("GET", "/v1/approvals"): return answer(ApprovalList(approvals: [record(.open)]))
        case ("GET", one[...]): return answer(record(.open))
        case ("POST", (one + "/challenge")[...]): return answer(challenge(request))
        case ("POST", (one + "/proofs")[...]): return answer(record(.approved))
        case ("POST", (one + "/decline")[...]):
            state.withLock { $0.decline += 1 }
            return answer(record(.declined))
        case ("GET", "/v1/devices"): return answer(DeviceList(devices: devices))
        case ("PATCH", "/v1/devices/tablet"):
            state.withLock { $0.otherDevice = "renamed" }
            return answer(other(named: "renamed"))
        case ("DELETE", "/v1/devices/tablet"):
            state.withLock { $0.otherDevice = nil }
            return TransportResponse(status: 204, headers: [:], body: [])
        case ("POST", "/v1/password"):
            state.withLock { $0.password = try? StrictJSON.decode(PasswordChangeRequest.self, from: request.body).password }
            return TransportResponse(status: 204, headers: [:], body: [])
        default: return try await server.send(request)
        }
    }

    private var devices: [DeviceRecord] {
        let own = server.state.withLock { Array($0.devices.values) }
        return own + state.withLock { $0.otherDevice.map { [other(named: $0)] } ?? [] }
    }

    private func other(named name: String) -> DeviceRecord {
        DeviceRecord(
            id: "tablet", name: name, keys: [.init(kid: "k", kind: .passcode, active: true)], enrolledAt: UnixTime(seconds: 5),
            current: false)
    }

    private func record(_ state: ApprovalState) -> ApprovalRecord {
        ApprovalRecord(
            id: Self.approval, state: state, txn: txn, demand: .oneKey, from: "Acme", createdAt: UnixTime(seconds: 0),
            expiresAt: UnixTime(seconds: 86400), signed: state == .approved)
    }

    /// The device cannot check a challenge's MAC.
    private func challenge(_ request: TransportRequest) -> ChallengeAnswer {
        let kids = (try? StrictJSON.decode(ApprovalChallengeRequest.self, from: request.body))?.kids ?? []
        let session = server.state.withLock { $0.devices.keys.first ?? "" }
        let claims = ChallengeClaims(
            iss: "https://bank.example", aud: "https://bank.example", jti: Self.approval, iat: UnixTime(seconds: 1),
            exp: UnixTime(seconds: 121), kids: kids, cnf: KeyConfirmation(jkt: session), purpose: .approve, act: Self.approval,
            txn: txn, demand: .oneKey)
        let input = CompactJWS.signingInput(header: Array("{}".utf8), payload: StrictJSON.encode(claims))
        return ChallengeAnswer(challenge: CompactJWS.compact(signingInput: input, signature: [1]), expiresIn: 120)
    }

    private func api(_ request: TransportRequest) -> TransportResponse {
        let isProved =
            request.headers["Authorization"]?.hasPrefix("DPoP ") == true && request.headers["DPoP"]?.isEmpty == false
        return state.withLock { state in
            guard isProved else { return TransportResponse(status: 401, headers: [:], body: []) }
            if state.wantsNonce {
                state.wantsNonce = false
                return TransportResponse(
                    status: 401, headers: ["www-authenticate": #"DPoP error="use_dpop_nonce""#, "dpop-nonce": "n2"], body: [])
            }
            if let demand = state.demand {
                state.demand = nil
                return TransportResponse(status: 401, headers: ["www-authenticate": demand], body: [])
            }
            state.authorized += 1
            return TransportResponse(status: 200, headers: ["content-type": "text/plain"], body: Array("12.50".utf8))
        }
    }

    private func answer(_ message: some Message) -> TransportResponse {
        TransportResponse(status: 200, headers: [:], body: StrictJSON.encode(message))
    }
}
