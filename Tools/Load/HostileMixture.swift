#if Tools
package import NIOCore

/// The requests of attackers, one kind after another: bodies and headers that cost parsers much, floods of challenges,
/// proofs by unknown keys, sign-ins to unknown accounts, and one accepted request again and again.
package struct HostileMixture: Sendable {
    /// The kinds of requests.
    package enum Kind: Sendable, CaseIterable { case json, form, dpop, header, challenge, proof, signIn, replay }

    private let stranger = BenchDevice()
    private let replayed: BenchDevice
    private var requests: BenchRequests
    private let made: [Kind: [ByteBuffer]]
    private var counter = 0
    private let run = UInt32.random(in: 0 ... .max)
    /// The newest nonce of the server, and a challenge for the stranger's key.
    private var nonce: [UInt8] = []
    private var challenge: [UInt8] = Array("a.b.c".utf8)
    /// A request that the server has accepted or is about to accept.
    private var replay: ByteBuffer?

    /// - Parameters:
    ///   - replayed: an enrolled device, whose sign-in is sent again and again.
    ///   - json: JSON bodies that cost much.
    ///   - forms: bodies of forms that cost much.
    ///   - dpop: DPoP proofs that cost much.
    package init(
        replaying replayed: BenchDevice, _ requests: BenchRequests, json: [[UInt8]], forms: [[UInt8]], dpop: [[UInt8]]
    ) {
        self.replayed = replayed
        self.requests = requests.forAnotherLoad
        let signIn = Array(#"{"account":"a","password":"a"}"#.utf8)
        // A field value is one line of text.
        let lines = dpop.filter { $0.allSatisfy { (0x21...0x7E).contains($0) } }
        made = [
            .json: json.map { requests.request("POST", "/v1/challenges", type: "application/json", [], body: $0) },
            .form: forms.map { requests.request("POST", "/v1/token", type: "application/x-www-form-urlencoded", [], body: $0) },
            .dpop: lines.map {
                requests.request("POST", "/v1/accounts/sign-in", type: "application/json", [("DPoP", $0)], body: signIn)
            },
            .header: Self.headers.map { requests.request("GET", "/v1/me", type: "", $0, body: []) },
        ]
    }

    private static let headers: [[(name: String, value: [UInt8])]] = [
        [(name: "X-Long", value: [UInt8](repeating: UInt8(ascii: "a"), count: 60_000))],
        (0..<200).map { (name: "X-Many-\($0)", value: [UInt8](repeating: UInt8(ascii: "a"), count: 250)) },
        [(name: "X-Forwarded-For", value: [UInt8](repeating: UInt8(ascii: ","), count: 12_000))],
        [(name: "Authorization", value: Array("DPoP ".utf8) + [UInt8](repeating: UInt8(ascii: "."), count: 12_000))],
    ]

    /// The next request.
    package mutating func next() -> (kind: Kind, request: ByteBuffer) {
        counter += 1
        let kind = Kind.allCases[counter % Kind.allCases.count]
        if let made = made[kind], !made.isEmpty { return (kind, made[counter / Kind.allCases.count % made.count]) }
        switch kind {
        case .proof where !nonce.isEmpty: return (kind, requests.redeem(challenge[...], nonce: nonce[...], by: stranger))
        case .signIn where !nonce.isEmpty:
            let body = Array(#"{"account":"stranger-\#(run)-\#(counter)","password":"a guess of fifteen characters"}"#.utf8)
            return (kind, requests.send("POST", "/v1/accounts/sign-in", body, nonce: nonce[...], by: stranger))
        case .replay: return (kind, replay ?? requests.challenge(of: replayed))
        case .json, .form, .dpop, .header, .challenge, .proof, .signIn: return (.challenge, requests.challenge(of: stranger))
        }
    }

    /// Takes from an answer what later requests need.
    mutating func learn(_ kind: Kind, _ answer: OpenLoop.Answer) {
        if !answer.nonce.isEmpty { nonce = Array(answer.nonce) }
        guard let challenge = answer.text("challenge") else { return }
        if kind == .replay, replay == nil {
            replay = requests.redeem(challenge, nonce: answer.nonce, by: replayed)
        } else if kind == .challenge {
            self.challenge = Array(challenge)
        }
    }

    /// The head of a request whose body comes one byte at a time.
    func slowHead() -> ByteBuffer {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 4096)
        var head = requests.request("POST", "/v1/challenges", type: "application/json", [], body: body)
        head.moveWriterIndex(to: head.writerIndex - body.count)
        return head
    }
}
#endif
