#if Tools
import Crypto
import HTTPTypes
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnServer

/// What has happened when a walk begins.
struct Beginning: Sendable {
    var name: String
    var actions: [Action]

    private static let enrolFirst: [Action] = [.password(.first, isFormer: false), .enrol(ticket: 0, caller: .first, .fail)]
    private static let enrolBen: [Action] = [.password(.bens, isFormer: false), .enrol(ticket: 1, caller: .bens, .fail)]

    private static func proof(_ act: Act, _ kind: KeyKind, by phone: PhoneName = .first) -> Action {
        .attempt(Attempt(act, by: phone, [Signer(phone: phone, kind: kind)]))
    }

    private static func wrong(_ kind: KeyKind) -> Action {
        var attempt = Attempt(.signIn, by: .first, [Signer(phone: .first, kind: kind)])
        attempt.isWrong = true
        return .attempt(attempt)
    }

    private static func second(by kind: KeyKind) -> [Action] {
        [proof(.signIn, kind), .vouch(session: 0, for: .second), .enrol(ticket: 2, caller: .second, .fail)]
    }

    /// Every beginning: ada and ben have a phone each, and then this.
    static let all: [Beginning] = [
        ("ada has a phone, with a PIN", []),
        ("ada's phone has no PIN", [proof(.change(.removePIN), .biometric)]),
        (
            "ada's second phone came with her password, and cools off",
            [.password(.second, isFormer: false), .enrol(ticket: 2, caller: .second, .fail)]
        ),
        ("ada's second phone came with the face of the first", second(by: .biometric)),
        ("ada's second phone came with the PIN of the first, and cools off", second(by: .pin)),
        ("ada's second phone was removed", second(by: .biometric) + [.remove(.second, session: 0)]),
        ("ada's PIN was wrong ten times", Array(repeating: wrong(.pin), count: 10)),
        ("the signatures of ada's face were wrong five times, and it pauses", Array(repeating: wrong(.biometric), count: 5)),
        ("ada's PIN signed in, and changed itself", [proof(.signIn, .pin), proof(.change(.changePIN), .pin)]),
        ("the passcode set ada's PIN", [proof(.change(.removePIN), .biometric), proof(.change(.setPIN), .passcode)]),
        ("ada's PIN has approved a payment", [proof(.approve(0), .pin)]),
        (
            "ada's PIN has approved a payment, and was changed since",
            [proof(.approve(0), .pin), proof(.change(.changePIN), .biometric)]
        ),
        ("ada's PIN signed in, and removed itself", [proof(.signIn, .pin), proof(.change(.removePIN), .pin)]),
        ("ada has a ticket for her own phone", [.password(.first, isFormer: false)]),
        (
            "ada is on a visit, and the ticket of another one is unused",
            [.password(.new, isFormer: false), .visit(ticket: 2, caller: .new), .password(.second, isFormer: false)]
        ),
        ("ada's face may set the password", [proof(.stepUp("change-password"), .biometric)]),
        (
            "the second payment lacks ben's PIN",
            [proof(.approve(1), .biometric), proof(.approve(1), .pin), proof(.approve(1), .biometric, by: .bens)]
        ),
        (
            "ada's phone kept an approval, and then cools off",
            second(by: .biometric) + [
                .hold(Attempt(.approve(0), by: .first, [Signer(phone: .first, kind: .biometric)])),
                .password(.first, isFormer: false), .changeByTicket(.resetPIN, ticket: 3, caller: .first),
            ]
        ),
        ("ada's account was switched off", [.command(.disable)]),
        (
            "ada's account was off after her PIN had approved",
            [proof(.approve(0), .pin), .command(.disable), .command(.enable)]
        ),
        (
            "there is a backup, and another token key signs since",
            [.command(.backUp), .command(.rotateTokenKey), .pass(.seconds(660))]
        ),
        ("a backup was restored", [.command(.backUp), proof(.change(.changePIN), .pin), .command(.restore)]),
    ].map { Beginning(name: $0.0, actions: enrolFirst + enrolBen + $0.1) }
}

extension Sending {
    /// Makes the accounts, the back ends and two approvals that ada is asked for, of which ben signs the second, too.
    func open(_ server: WalkServer) async throws -> World {
        var world = World()
        let operated = EmbeddedServer(server.service)
        for person in Person.allCases {
            try await operated.addAccount(named: person.rawValue, password: Self.password(0))
            guard let account = try await server.store.account(named: person.rawValue) else { throw WalkError("no account") }
            world.people[person] = World.PersonState(id: account.id.text)
        }
        for client in ["shop", "other"] {
            let point = cast.key(KeyName(phone: .new, kind: .session, edition: 1)).publicKey.x963
            let key = try P256.Signing.PublicKey(x963Representation: point).pemRepresentation
            try await operated.addClient(named: client, scopes: [.approvals], keys: [key])
        }
        guard let ada = world.people[.ada]?.id, let ben = world.people[.ben]?.id else { throw WalkError("no account") }
        guard let demand = ApprovalDemand(keys: [.biometric, .pin]) else { throw WalkError("no demand for two keys") }
        for (index, people) in [[Person.ada], [.ada, .ben]].enumerated() {
            // In the canonical form, so that it can be compared with what the server says was signed.
            let transaction = """
                {"payload":{"amount":"12.50","currency":"EUR","payee":{"id":"DE75512108001245126199","name":"Super Store"},\
                "transaction_id":"t-\(index)"},"type":"urn:eudi:sca:payment:1"}
                """
            let more = index == 0 ? "" : #","second_account":"\#(ben)","demand":{"keys":["biometric","pin"]}"#
            let answer = try await server.send(
                .post, "/v1/approvals",
                .json(Array(#"{"account":"\#(ada)","expires_in":86400,"transaction":\#(transaction)\#(more)}"#.utf8)),
                by: cast.session(of: .new), token: try Self.token(of: "shop", cast, server))
            world.approvals.append(
                World.Approval(
                    id: try answer.read(ApprovalRecord.self).id, transaction: transaction, people: people,
                    demand: index == 0 ? .oneKey : demand, expiresAt: .seconds(86400)))
        }
        return world
    }
}
#endif
