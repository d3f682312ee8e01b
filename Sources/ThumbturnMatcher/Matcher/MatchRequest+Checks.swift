#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import ThumbturnCore
import ThumbturnMessages

/// A match request after the matcher's own checks, with the text for the person and the one TPM command that a match
/// allows.
struct CheckedMatchRequest: Hashable, Sendable {
    var purpose: Purpose
    /// The transaction to approve, if approval is the purpose.
    var transaction: ApprovalTransaction?
    /// The server that issued the challenge.
    var issuer: String
    /// The hash of the TPM command that signs exactly this message with exactly this key.
    var command: [UInt8]
    var reference: [UInt8]
    /// The key's public area without its point: its attributes and its policy.
    fileprivate var template: TPMPublicArea
}

extension MatchRequest {
    /// Checks every rule that can be checked without the TPM. `confirm(_:)` checks the rest.
    ///
    /// The matcher would be a confused deputy if it signed a value that a device had computed. So it takes the message
    /// itself, reads its purpose, and computes every byte that it will sign.
    func checked() throws(MatcherRefusal) -> CheckedMatchRequest {
        guard let area = TPMPublicArea(Array(key)), let publicKey = area.publicKey else { throw .malformed }

        // The server's address is shown to the person and written to the log, so it must be printable ASCII without
        // control characters.
        guard server.utf8.count <= 256, server.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .malformed }

        // The message is a proof, and its challenge is for this key and this key's server. No other kind of message is
        // signed: no DPoP proof, no token, no text.
        let message = Array(message)
        guard let jws = CompactJWS(String(decoding: message, as: UTF8.self) + ".AA"), jws.signingInput == message,
            let header = Self.read(ProofHeader.self, jws.header), header == ProofHeader(kid: Self.thumbprint(of: publicKey)),
            let challenge = CompactJWS(String(decoding: jws.payload, as: UTF8.self)),
            let claims = Self.read(ChallengeClaims.self, challenge.payload),
            claims.iss == server, claims.aud == server, claims.kids.contains(header.kid)
        else { throw .malformed }

        // The matcher shows the transaction to the person as well, so it has to be readable.
        let transaction = try claims.purpose == .approve ? Self.transaction(claims.txn) : nil

        var template = area
        (template.x, template.y) = ([], [])
        return CheckedMatchRequest(
            purpose: claims.purpose, transaction: transaction, issuer: claims.iss,
            command: TPMAuthorization.signing(Array(SHA256.hash(data: message)), with: area.name), reference: reference,
            template: template
        )
    }

    /// The key's id: its thumbprint (RFC 7638).
    private static func thumbprint(of key: PublicKey) -> String {
        Base64URL.encode(SHA256.hash(data: JWK(key).thumbprintInput))
    }

    private static func transaction(_ txn: String?) throws(MatcherRefusal) -> ApprovalTransaction {
        guard let bytes = txn.flatMap({ Base64URL.decode($0) }), bytes.count <= ApprovalTransaction.largest,
            let transaction = read(ApprovalTransaction.self, bytes)
        else { throw .malformed }
        return transaction
    }

    private static func read<Content: Message>(_ type: Content.Type, _ json: [UInt8]) -> Content? {
        try? StrictJSON.decode(type, from: json)
    }
}

extension CheckedMatchRequest {
    /// Throws unless the key's policy demands this matcher's signature and the counter's present value, so that the key
    /// was created at the current enrolment.
    func confirm(_ identity: MatcherIdentity) throws(MatcherRefusal) {
        guard let matcher = identity.key.publicKey.map(TPMPublicArea.init(verifying:)) else { throw .broken }
        let policy = TPMKeyPolicy.biometric(
            matcher: matcher.name, reference: reference, counter: identity.counter.name, at: identity.value
        )
        guard template == .guarded(by: policy) else { throw .enrolmentChanged }
    }

    /// The text that the user with this name reads before touching the reader.
    func prompt(for user: String) -> String {
        switch purpose {
        case .signIn: "\(user): touch the reader to sign in to \(issuer)"
        case .enrol: "\(user): touch the reader to set this device up for \(issuer)"
        case .manage: "\(user): touch the reader to change how this device signs in to \(issuer)"
        case .approve: "\(user): touch the reader to approve at \(issuer): \(summary)"
        case .stepUp: "\(user): touch the reader to confirm an action at \(issuer)"
        }
    }

    /// The transaction's title and its first two lines.
    private var summary: String {
        guard let transaction else { return "" }
        let lines = transaction.lines.prefix(2).map(\.value).joined(separator: ", ")
        let caution = transaction.hasUnusualName ? " (\(PersonMessage(.readLetterByLetter).text(in: .english)))" : ""
        return "\(transaction.title.text(in: .english)), \(lines)\(caution)"
    }

    /// The text that replaces a prompt when it is over, so that the person does not touch the reader for it any more.
    static let idleText = "No finger is needed now."
}
