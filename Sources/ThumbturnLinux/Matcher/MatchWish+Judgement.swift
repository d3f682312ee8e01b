#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// What the matcher found out by itself about a wish: what the person is asked for, and the one command that a match allows.
struct JudgedWish: Hashable, Sendable {
    var purpose: Purpose
    /// What is approved, where that is the purpose.
    var transaction: ApprovalTransaction?
    /// The server, from the challenge.
    var issuer: String
    /// The hash of the command that signs exactly this message with exactly this key.
    var command: [UInt8]
    var reference: [UInt8]
}

extension MatchWish {
    /// Every rule that a wish has to meet before anybody is asked for a finger.
    ///
    /// The matcher would be a confused deputy if it signed what a device computed. So it takes the message itself, reads what it is
    /// for, and computes every byte of what it will sign.
    func judged(by identity: MatcherIdentity) throws(MatcherRefusal) -> JudgedWish {
        guard let area = TPMPublicArea(Array(key)), let publicKey = area.publicKey,
            let matcher = identity.key.publicKey.map(TPMPublicArea.init(verifying:))
        else { throw .malformed }

        // The server's address is shown to the person and written into the log, so it is text that can do nothing there.
        guard server.utf8.count <= 256, server.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .malformed }

        // The message is a proof, and its challenge is for this key and this key's server. Nothing else is ever signed: no request, no
        // token, no text.
        let message = Array(message)
        guard let jws = CompactJWS(String(decoding: message, as: UTF8.self) + ".AA"), jws.signingInput == message,
            let header = Self.read(ProofHeader.self, jws.header), header == ProofHeader(kid: Signing.thumbprint(of: publicKey)),
            let challenge = CompactJWS(String(decoding: jws.payload, as: UTF8.self)),
            let claims = Self.read(ChallengeClaims.self, challenge.payload),
            claims.iss == server, claims.aud == server, claims.kids.contains(header.kid)
        else { throw .malformed }

        // What somebody approves is shown to them here as well, so it has to be readable.
        let transaction = try claims.purpose == .approve ? Self.transaction(claims.txn) : nil

        // The key is one that our signature and the counter guard, and it was made at this enrolment.
        let policy = TPMPolicy.biometric(
            matcher: matcher.name, reference: name.reference, counter: identity.counter.name, at: identity.value
        )
        var template = area
        (template.x, template.y) = ([], [])
        guard template == .guarded(by: policy) else { throw .enrolmentChanged }

        return JudgedWish(
            purpose: claims.purpose, transaction: transaction, issuer: claims.iss,
            command: TPMAuthorization.signing(Array(SHA256.hash(data: message)), with: area.name), reference: name.reference
        )
    }

    private static func transaction(_ txn: String?) throws(MatcherRefusal) -> ApprovalTransaction {
        guard let bytes = txn.flatMap({ Base64URL.decode($0) }), bytes.count <= ApprovalTransaction.largest,
            let transaction = read(ApprovalTransaction.self, bytes)
        else { throw .malformed }
        return transaction
    }

    private static func read<Content: Message>(_ type: Content.Type, _ json: [UInt8]) -> Content? {
        guard JSONScan.isUnambiguous(json) else { return nil }
        return try? JSONDecoder().decode(Strict<Content>.self, from: Data(json)).content
    }
}

extension JudgedWish {
    /// What the person of this name reads before the finger goes down.
    func words(for user: String) -> String {
        switch purpose {
        case .signIn: "\(user): touch the reader to sign in to \(issuer)"
        case .enrol: "\(user): touch the reader to set this device up for \(issuer)"
        case .manage: "\(user): touch the reader to change how this device signs in to \(issuer)"
        case .approve: "\(user): touch the reader to approve at \(issuer): \(summary)"
        case .stepUp: "\(user): touch the reader to confirm an action at \(issuer)"
        }
    }

    /// The lines that matter most.
    private var summary: String {
        guard let transaction else { return "" }
        let lines = transaction.lines.prefix(2).map(\.value).joined(separator: ", ")
        let caution = transaction.hasUnusualName ? " (\(PersonMessage(.readLetterByLetter).text(in: .english)))" : ""
        return "\(transaction.title.text(in: .english)), \(lines)\(caution)"
    }

    /// What stands there afterwards, so that nobody answers a question that is over.
    static let wordsWhenOver = "Nobody is asked for a finger now."
}
