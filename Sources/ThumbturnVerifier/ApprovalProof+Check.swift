import Crypto
import Foundation
import ThumbturnCore
public import ThumbturnMessages

/// What a proof object shows, after every check that can be made offline.
///
/// That the signatures are over these bytes is checked with the keys in the object. Whose keys they are, and when they signed, is the
/// server's word in its receipt; so this is no proof against the server. The MAC of a challenge is the server's own and is not checked.
public struct CheckedApproval: Sendable {
    /// What was approved.
    public let transaction: ApprovalTransaction
    /// The receipt's claims.
    public let receipt: ApprovalReceipt
    /// Whether the receipt's own signature was checked: false where no key set was given.
    public let hasReceiptSignature: Bool

    /// Checks a proof object.
    ///
    /// - Parameters:
    ///   - json: the object as it was archived.
    ///   - keys: the server's key set of that time; nil leaves the receipt's signature unchecked.
    /// - Throws: the first thing that does not hold; see `ApprovalProofFault`.
    public init(json: [UInt8], keys: JWKS?) throws(ApprovalProofFault) {
        let proof: ApprovalProof
        do throws(VerificationError) {
            proof = try WireJSON.decode(ApprovalProof.self, from: json)
        } catch {
            throw .unreadable
        }
        try self.init(proof, keys: keys)
    }

    /// Checks a proof object that was read.
    public init(_ proof: ApprovalProof, keys: JWKS?) throws(ApprovalProofFault) {
        guard let bytes = Base64URL.decode(proof.txn), bytes.count <= ApprovalTransaction.largest,
            let transaction = try? WireJSON.decode(ApprovalTransaction.self, from: bytes)
        else { throw .transaction }
        self.transaction = transaction

        guard let jws = CompactJWS(proof.receipt), let header = try? WireJSON.decode(NamedKeyJWS.Header.self, from: jws.header),
            header.typ == ApprovalReceipt.type, header.alg == "ES256",
            let receipt = try? WireJSON.decodeClaims(ApprovalReceipt.self, from: jws.payload)
        else { throw .receipt }
        if let keys {
            guard let key = keys.byKid[header.kid] else { throw .unknownReceiptKey }
            guard key.isValid(jws.signature, for: jws.signingInput) else { throw .receiptSignature }
        }
        hasReceiptSignature = keys != nil
        guard receipt.txnHash == Base64URL.encode(SHA256.hash(data: bytes)) else { throw .anotherTransaction }
        self.receipt = receipt

        // What a PIN key signed is nobody's to check; all others have to be here, each once.
        let signers = receipt.approvedBy.filter { $0.kind != .pin }
        guard !signers.isEmpty else { throw .nothingToCheck }
        guard signers.count == proof.signatures.count else { throw .signers }
        for signature in proof.signatures {
            let demand = try Self.check(signature, of: proof.txn, receipt)
            let account = signers.first { $0.proofHash == Self.hash(signature.proof) }?.account
            guard demand.isMet(by: receipt.approvedBy.filter { $0.account == account }.map(\.kind)) else { throw .demand }
        }
    }

    private static func check(
        _ signature: ApprovalProof.Signature, of txn: String, _ receipt: ApprovalReceipt
    ) throws(ApprovalProofFault) -> ApprovalDemand {
        guard let jws = CompactJWS(signature.challenge),
            let claims = try? WireJSON.decode(ChallengeClaims.self, from: jws.payload), claims.purpose == .approve,
            claims.iss == receipt.iss, claims.act == receipt.approval, let demand = claims.demand
        else { throw .challenge }
        guard claims.txn == txn else { throw .anotherTransaction }
        guard let key = try? VerifyingKey(jwk: signature.publicKey), let made = try? UnverifiedProof(signature.proof),
            made.challenge == signature.challenge, made.kid == key.thumbprint, claims.kids.contains(key.thumbprint),
            (try? made.verify(by: key)) != nil
        else { throw .signature }
        guard let signer = receipt.approvedBy.first(where: { $0.kid == key.thumbprint }),
            signer.proofHash == hash(signature.proof), claims.iat <= signer.at, signer.at < claims.exp, signer.at <= receipt.iat
        else { throw .signers }
        if demand.wantsLiveness(with: signer.kind) || signature.liveness != nil {
            guard let evidence = signature.liveness.flatMap(CompactJWS.init),
                let liveness = try? WireJSON.decodeClaims(LivenessClaims.self, from: evidence.payload),
                liveness.nonce == LivenessClaims.nonce(of: signature.challenge)
            else { throw .liveness }
        }
        return demand
    }

    private static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }
}

/// What does not hold in a proof object.
public enum ApprovalProofFault: String, Error, Hashable, Sendable, CaseIterable {
    /// Not a proof object in JSON.
    case unreadable
    /// The transaction cannot be read.
    case transaction
    /// The receipt cannot be read.
    case receipt
    /// The receipt was signed by a key that is not in the key set.
    case unknownReceiptKey
    /// The receipt's signature is not good.
    case receiptSignature
    /// Something that was signed is about another transaction.
    case anotherTransaction
    /// There is no signature that anybody but the server could check: a PIN key alone approved.
    case nothingToCheck
    /// The receipt speaks of other signatures than those that are here.
    case signers
    /// A challenge is not one for this approval.
    case challenge
    /// A signature is not good, or by another key.
    case signature
    /// Something that was demanded is missing.
    case demand
    /// The evidence of a liveness check is missing or for something else.
    case liveness

    /// In a sentence.
    public var sentence: String {
        switch self {
        case .unreadable: "This is not a proof object."
        case .transaction: "The transaction cannot be read."
        case .receipt: "The server's receipt cannot be read."
        case .unknownReceiptKey: "The server's receipt was signed by a key that is not in the key set."
        case .receiptSignature: "The signature of the server's receipt is not good."
        case .anotherTransaction: "What was signed is not this transaction."
        case .nothingToCheck:
            "A PIN key alone approved this. Its signature is nobody's but the server's, so there is nothing to check."
        case .signers: "The server's receipt speaks of other signatures than those that are here."
        case .challenge: "A challenge is not one for this approval."
        case .signature: "A signature is not good, or it was made by another key."
        case .demand: "Not all that was demanded has signed."
        case .liveness: "The evidence of the liveness check is missing, or it is for something else."
        }
    }
}
