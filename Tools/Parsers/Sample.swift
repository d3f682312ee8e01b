#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier

/// The valid texts that hostile ones are made from, and the keys that judge them.
enum Sample {
    /// The most bytes of a request's body.
    static let largestBody = 64 * 1024
    static let now = UnixTime(seconds: 1000)
    static let request = DPoPProof.Request(method: "POST", uri: "https://bank.example/v1/token")
    static let challenges = Challenges(
        issuer: "https://bank.example", audience: "https://bank.example",
        secrets: [ChallengeSecret(id: "1", bytes: [UInt8](repeating: 7, count: 32))])

    static let message = Array("a message".utf8)
    static let key: VerifyingKey = {
        guard let key = try? VerifyingKey(x963: Array(signer.publicKey.x963Representation)) else {
            preconditionFailure("a P-256 key has an uncompressed point")
        }
        return key
    }()
    static let thumbprint = key.thumbprint
    static let jwk = #"{"crv":"P-256","kty":"EC","x":"\#(key.jwk.x)","y":"\#(key.jwk.y)"}"#
    static let pem = signer.publicKey.pemRepresentation
    static let derSignature = Array(signature(over: message).derRepresentation)

    static let challenge: String = {
        var generator = SeededGenerator(seed: 1)
        let request = ChallengeRequest(purpose: .signIn, kids: [thumbprint], jkt: thumbprint)
        guard let challenge = try? challenges.issue(request, at: now, using: &generator) else {
            preconditionFailure("a challenge for one key is issued")
        }
        return challenge
    }()

    static let dpopHeader = #"{"alg":"ES256","jwk":\#(jwk),"typ":"dpop+jwt"}"#
    static let dpop: String = {
        let claims = #"{"htm":"POST","htu":"https://bank.example/v1/token","iat":1000,"jti":"12345678","nonce":"n"}"#
        let input = CompactJWS.signingInput(header: Array(dpopHeader.utf8), payload: Array(claims.utf8))
        return CompactJWS.compact(signingInput: input, signature: Array(signature(over: input).rawRepresentation))
    }()

    /// A compact JWS whose signature is not valid.
    static func jws(_ header: String, _ payload: String) -> String {
        let input = CompactJWS.signingInput(header: Array(header.utf8), payload: Array(payload.utf8))
        return CompactJWS.compact(signingInput: input, signature: [UInt8](repeating: 7, count: 64))
    }

    static let approvalID = "AAAAAAAAAAAAAAAAAAAAAA"

    /// The record of an approval of a transaction.
    static func approval(of transaction: String) -> String {
        """
        {"created_at":1000,"demand":{},"expires_at":1300,"from":"a shop","id":"\(approvalID)","signed":false,"state":"open",\
        "txn":"\(Base64URL.encode(Array(transaction.utf8)))"}
        """
    }

    static let transactions = [
        #"""
        {"payload":{"amount":"12.50","currency":"EUR","date_time":"2026-11-21T10:20:30Z","execution_date":"2026-11-24",\#
        "payee":{"id":"DE75512108001245126199","name":"Super Store"},"pisp":{"brand_name":"Pay","domain_name":"pay.example",\#
        "legal_name":"Pay Ltd"},"transaction_id":"t-1"},"type":"urn:eudi:sca:payment:1"}
        """#,
        #"""
        {"payload":{"action":"Raise the daily limit","date_time":"2026-11-21T10:20:30Z","service":"Acme Bank",\#
        "transaction_id":"t-1"},"type":"urn:eudi:sca:login_risk_transaction:1"}
        """#,
        #"""
        {"payload":{"aisp":{"legal_name":"Pay Ltd"},"description":"Balances for 90 days","transaction_id":"t-1"},\#
        "type":"urn:eudi:sca:account_access:1"}
        """#,
        #"""
        {"payload":{"amount":"80","creditor_id":"DE98ZZZ09999999999","currency":"EUR","end_date":"2027-12-01",\#
        "payee":{"id":"DE75512108001245126199","name":"Süper Störe"},"purpose":"Electricity","reference_number":"m-1",\#
        "start_date":"2026-12-01","transaction_id":"t-1"},"type":"urn:eudi:sca:emandate:1"}
        """#,
    ]

    static let scenario = #"""
        {"format":"thumbturn-scenario/1","name":"a","shows":"b","pains":[1],"policy":"unlock",\#
        "start":{"by":"tap","biometry":"notEnrolled","keys":{},"effects":[]},"events":[],\#
        "end":{"failed":{"code":"notEnrolled","recovery":"signInAgain"}}}
        """#

    private static let signer: P256.Signing.PrivateKey = {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 1, count: 32)) else {
            preconditionFailure("32 bytes of 1 are a private key")
        }
        return key
    }()

    private static func signature(over message: [UInt8]) -> P256.Signing.ECDSASignature {
        guard let signature = try? signer.signature(for: message) else { preconditionFailure("a key in memory always signs") }
        return signature
    }
}
