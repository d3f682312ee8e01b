#if Tools
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// The server's, not that of a device.
typealias Ceremony = ThumbturnServer.Ceremony

/// A ceremony as an honest device would run it, with all that a server would find for it. A test changes one thing and runs it.
struct CeremonyDraft {
    /// The rows of the table, by name.
    enum Row: String, CaseIterable, Sendable {
        case signIn, stepUp, approve, bringKey, removeKey, replaceKeyByTicket, enrol

        var rules: CeremonyRules {
            switch self {
            case .signIn: .signIn
            case .stepUp: .stepUp
            case .approve: .approve
            case .bringKey: .bringKey
            case .removeKey: .removeKey
            case .replaceKeyByTicket: .replaceKeyByTicket
            case .enrol: .enrol
            }
        }

        static let byKey: [Row] = [.signIn, .stepUp, .approve, .bringKey, .removeKey]
        static let byTicket: [Row] = [.replaceKeyByTicket, .enrol]
        static let byTwoKeys: [Row] = [.signIn, .stepUp]
        static let registering: [Row] = [.bringKey, .replaceKeyByTicket, .enrol]
    }

    /// How a proof is made.
    struct Pen {
        var kid: String
        var key: P256.Signing.PrivateKey
        var typ = ProofHeader.type
        var alg = "ES256"
        /// Another challenge than the draft's.
        var over: String?

        func proof(_ challenge: String) -> String {
            let header = #"{"alg":"\#(alg)","kid":"\#(kid)","typ":"\#(typ)"}"#
            let input = CompactJWS.signingInput(header: Array(header.utf8), payload: Array((over ?? challenge).utf8))
            let signature = (try? key.signature(for: input)).map { Array($0.rawRepresentation) } ?? []
            return CompactJWS.compact(signingInput: input, signature: signature)
        }
    }

    struct NewKey {
        var kind: KeyKind
        var key: P256.Signing.PrivateKey
        var pen: Pen?
    }

    let row: Row
    static let start = UnixTime(seconds: 1_000_000)
    var now = start
    let challenges = Challenges(
        issuer: "server", audience: "server", secrets: [ChallengeSecret(id: "one", bytes: [UInt8](repeating: 1, count: 32))])

    // What the device sends.
    var claims: ChallengeClaims
    var signers: [Pen] = []
    var newKeys: [NewKey] = []
    var ticket: String?
    /// The key of the DPoP proof.
    var caller: String
    var liveness: String?
    var ifEnrolled = IfEnrolled.fail
    var table = StepUpTable.standard
    var letsPasscodeReplaceBiometricKey = true

    // What the server finds.
    var rows: [EnrolledKey]
    var device: JudgedDevice?
    var approval: ApprovalView?
    var openedTicket: Result<Tickets.Right, VerificationError>
    var wasSpent = false

    // What it did.
    private(set) var spendings = 0
    private(set) var counted: [String] = []
    private(set) var committed: Ceremony.Commit?
    private(set) var verifications = 0

    static func key() -> P256.Signing.PrivateKey { P256.Signing.PrivateKey() }
    static func kid(_ key: P256.Signing.PrivateKey) -> String {
        Base64URL.encode(SHA256.hash(data: PINKeyTests.jwk(key).thumbprintInput))
    }

    let session = Self.key()
    let face = Self.key()
    let passcode = Self.key()
    let pin = Self.key()
    let fresh = Self.key()
    let approvalID = ApprovalID.random()
    static let handle = "pin.AAAAAAAAAAAAAAAAAAAAAA"
    static let txn = "e30"

    init(_ row: Row) {
        self.row = row
        let jkt = Self.kid(session)
        let (deviceID, account) = (DeviceID.random(), AccountID.random())
        caller = jkt
        func enrolled(_ kid: String, _ kind: KeyKind, _ key: P256.Signing.PrivateKey) -> EnrolledKey {
            EnrolledKey(
                kid: kid, kind: kind, x963: Array(key.publicKey.x963Representation), device: deviceID, account: account,
                accountName: "ada", coolsOffUntil: UnixTime(seconds: 0), sessionJKT: jkt, isRevoked: false, isActive: true,
                enrolledBy: .credentials, wrongInARow: 0)
        }
        rows = [
            enrolled(Self.kid(face), .biometric, face), enrolled(Self.kid(passcode), .passcode, passcode),
            enrolled(Self.handle, .pin, pin), enrolled(jkt, .session, session),
        ]
        device = JudgedDevice(id: deviceID, account: account, coolsOffUntil: UnixTime(seconds: 0), keys: rows)
        openedTicket = .success(
            Tickets.Right(
                account: account, spend: Spend(.ticket, id: [2], expiresAt: now + .seconds(300), epoch: 0), voucher: nil,
                freshness: .fresh))
        claims = ChallengeClaims(
            iss: "server", aud: "server", jti: Base64URL.encode([UInt8](repeating: 7, count: 16)), iat: now,
            exp: now + row.rules.challenge.lifetime, kids: rows.dropLast().map(\.kid), cnf: KeyConfirmation(jkt: jkt),
            purpose: row.rules.challenge)
        let sensor = Pen(kid: Self.kid(face), key: face)
        let new = NewKey(kind: .biometric, key: fresh, pen: Pen(kid: Self.kid(fresh), key: fresh))
        switch row {
        case .signIn: signers = [sensor]
        case .stepUp: (signers, claims.act) = ([sensor], "card-details")
        case .approve:
            approval = ApprovalView(
                id: approvalID, creator: "bank", account: account, txn: Self.txn, demand: .oneKey, createdAt: now,
                expiresAt: now + .seconds(300), state: .open, signatures: [])
            (claims.act, claims.txn, claims.demand) = (approvalID.text, Self.txn, .oneKey)
            signers = [sensor]
        case .bringKey:
            claims.act = KeyChange.replaceBiometric.rawValue
            claims.kids.insert(Self.kid(fresh), at: 0)
            claims.kids.removeLast()
            (signers, newKeys) = ([Pen(kid: Self.kid(passcode), key: passcode)], [new])
        case .removeKey: (signers, claims.act) = ([sensor], KeyChange.removeBiometric.rawValue)
        case .replaceKeyByTicket:
            (claims.act, claims.kids) = (KeyChange.replaceBiometric.rawValue, [Self.kid(fresh)])
            (newKeys, ticket) = ([new], "ticket")
        case .enrol:
            claims.kids = [jkt, Self.kid(fresh)]
            newKeys = [NewKey(kind: .session, key: session, pen: Pen(kid: jkt, key: session)), new]
            (device, rows, ticket) = (nil, [], "ticket")
        }
    }

    /// Changes the enrolled key of the first proof.
    mutating func changeSigner(_ change: (inout EnrolledKey) -> Void) {
        for index in rows.indices where rows[index].kid == signers[0].kid { change(&rows[index]) }
        device?.keys = rows.filter { !$0.isRevoked }
    }

    /// Lets the PIN key authorise it.
    mutating func usePIN() {
        signers = [Pen(kid: Self.handle, key: pin)]
        guard row == .bringKey else { return }
        claims.act = KeyChange.changePIN.rawValue
        claims.kids = ["pin.BBBBBBBBBBBBBBBBBBBBBA", Self.handle]
        newKeys = [NewKey(kind: .pin, key: fresh, pen: Pen(kid: claims.kids[0], key: fresh))]
    }

    /// The last of the new keys.
    var newest: NewKey {
        get { newKeys[newKeys.count - 1] }
        set { newKeys[newKeys.count - 1] = newValue }
    }

    /// Lets the biometric and the PIN key sign.
    mutating func useTwoKeys() { signers.append(Pen(kid: Self.handle, key: pin)) }

    private func intent(_ challenge: String) -> Ceremony.Intent {
        let registrations = newKeys.map {
            KeyRegistration(kind: $0.kind, jwk: PINKeyTests.jwk($0.key), proof: $0.pen?.proof(challenge))
        }
        switch row {
        case .signIn: return .signIn
        case .stepUp:
            let act = "card-details"
            let judge: LivenessJudge = { evidence, over, _ in evidence == "live" && over == challenge ? .highLiveness : nil }
            return .stepUp(
                StepUpIntent(act: act, ask: ActionAsk(text: act)!, table: table, liveness: liveness, livenessJudge: judge))
        case .approve:
            return .approve(
                ApprovalIntent(
                    id: approvalID, proof: signers.first?.proof(challenge) ?? "", liveness: liveness, vendors: LivenessVendors(),
                    redeemableFor: .seconds(300)))
        case .bringKey, .removeKey, .replaceKeyByTicket:
            return .changeKeys(
                KeyChangeIntent(
                    key: registrations.first,
                    policy: KeyChangeRules(letsPasscodeReplaceBiometricKey: letsPasscodeReplaceBiometricKey),
                    coolOff: .seconds(100)))
        case .enrol:
            return .enrol(
                EnrolmentIntent(
                    device: .random(), name: "Phone", keys: registrations, coolOff: .seconds(100), ifEnrolled: ifEnrolled))
        }
    }

    /// Runs it to its end, and answers each request as a server with these rows would.
    mutating func run() -> Ceremony.Refusal? {
        let challenge = challenges.sign(claims)
        var ceremony = Ceremony(
            intent(challenge), proofs: signers.map { $0.proof(challenge) }, ticket: ticket, jkt: caller)
        var step = ceremony.begin()
        defer { verifications = ceremony.verifications }
        for _ in 0..<10 {
            switch step {
            case .ask(let request): step = ceremony.handle(answer(request), at: now)
            case .end(.success): return nil
            case .end(.failure(let refusal)): return refusal
            }
        }
        preconditionFailure("a ceremony ends")
    }

    private mutating func answer(_ request: Ceremony.Request) -> Ceremony.Answer {
        switch request {
        case .openTicket:
            switch openedTicket {
            case .success(let ticket): return .ticket(ticket)
            case .failure(let error): return .notOpened(error)
            }
        case .openChallenge(let challenge, let purpose):
            do throws(VerificationError) {
                let claims = try challenges.verify(challenge, for: purpose, at: now)
                return .challenge(claims, Spend(.challenge, id: [1], expiresAt: claims.exp, epoch: 0))
            } catch {
                return .notOpened(error)
            }
        case .findKeys(let kids): return .found(.init(keys: rows.filter { kids.contains($0.kid) }))
        case .findDevice: return .found(.init(keys: device?.keys ?? [], device: device))
        case .findApproval: return .found(.init(keys: device?.keys ?? [], device: device, approval: approval))
        case .spend(let spends, _, by: _):
            spendings += spends.count
            return .spent
        case .countWrongSignature(let kid, let spends):
            spendings += spends.count
            guard !wasSpent else { return .counted(nil) }
            counted.append(kid)
            return .counted((rows.first { $0.kid == kid }?.wrongInARow ?? 0) + 1)
        case .commit(let commit, let authorisation):
            spendings += authorisation.spends.count
            guard !wasSpent else { return .committed(.refused) }
            switch authorisation.judge(authorisation.kids.map { kid in rows.first { $0.kid == kid } }, at: now) {
            case .refused: return .committed(.refused)
            case .disabled: return .committed(.disabled)
            case .insufficient: return .committed(.insufficient)
            case .full(let quota): return .committed(.full(quota))
            case .done: break
            }
            committed = commit
            return .committed(
                .done(.device(DeviceView(id: .random(), name: "", enrolledAt: now, keys: [], isPlain: false))))
        }
    }
}
#endif
