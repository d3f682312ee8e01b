import Crypto
import Foundation
import ThumbturnCore
public import ThumbturnMessages

/// A proof object that passed every check that can be made offline.
///
/// The signatures are verified with the keys in the object. The owners of the keys and the times of the signatures are
/// claimed by the server in its receipt, so the object proves nothing against the server. The MAC of a challenge is not
/// checked, because only the server has its key.
public struct CheckedApproval: Sendable {
    /// The approved transaction.
    public let transaction: ApprovalTransaction
    /// The receipt's claims.
    public let receipt: ApprovalReceipt
    /// Whether the receipt's signature was verified: false if no key set was given.
    public let hasReceiptSignature: Bool

    /// Checks a proof object.
    ///
    /// - Parameters:
    ///   - json: the object as it was archived.
    ///   - keys: the server's key set of that time; nil leaves the receipt's signature unchecked.
    /// - Throws: the first check that failed; see `ApprovalProofFault`.
    public init(json: [UInt8], keys: JWKS?) throws(ApprovalProofFault) {
        let proof: ApprovalProof
        do throws(VerificationError) {
            proof = try WireJSON.decode(ApprovalProof.self, from: json)
        } catch {
            throw .unreadable
        }
        try self.init(proof, keys: keys)
    }

    /// Checks a decoded proof object. The parameter `keys` and the errors are those of `init(json:keys:)`.
    public init(_ proof: ApprovalProof, keys: JWKS?) throws(ApprovalProofFault) {
        guard let bytes = Base64URL.decode(proof.txn), bytes.count <= ApprovalTransaction.largest,
            let transaction = try? WireJSON.decode(ApprovalTransaction.self, from: bytes)
        else { throw .transaction }
        self.transaction = transaction

        guard let jws = try? NamedKeyJWS(proof.receipt, types: [ApprovalReceipt.type]),
            let receipt = try? WireJSON.decodeClaims(ApprovalReceipt.self, from: jws.payload)
        else { throw .receipt }
        if let keys {
            guard let key = keys.byKid[jws.kid] else { throw .unknownReceiptKey }
            guard (try? jws.verify(by: key)) != nil else { throw .receiptSignature }
        }
        hasReceiptSignature = keys != nil
        guard receipt.txnHash == Base64URL.encode(SHA256.hash(data: bytes)) else { throw .anotherTransaction }
        self.receipt = receipt

        // The server never publishes a PIN key's signature, so it cannot be checked. All others have to be here, each
        // once.
        let signers = receipt.approvedBy.filter { $0.kind != .pin }
        guard !signers.isEmpty else { throw .nothingToCheck }
        guard signers.count == proof.signatures.count else { throw .signers }
        for signature in proof.signatures {
            let demand = try Self.check(signature, of: proof.txn, receipt)
            let account = signers.first { $0.proofHash == Self.hash(signature.proof) }?.account
            guard demand.isMet(by: receipt.approvedBy.filter { $0.account == account }.map(\.factor)) else { throw .demand }
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
        guard demand.takes(Assurance(acr: signer.acr) ?? .withoutKey, of: signer.factor) else { throw .demand }
        if demand.wantsLiveness(with: signer.factor) || signature.liveness != nil {
            guard let evidence = signature.liveness.flatMap(CompactJWS.init),
                let liveness = try? WireJSON.decodeClaims(LivenessClaims.self, from: evidence.payload),
                liveness.nonce == LivenessClaims.nonce(of: signature.challenge)
            else { throw .liveness }
        }
        return demand
    }

    private static func hash(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }
}

/// The check of a proof object that failed.
public enum ApprovalProofFault: String, Error, Hashable, Sendable, CaseIterable {
    /// The text is not a proof object in JSON.
    case unreadable
    /// The transaction cannot be decoded.
    case transaction
    /// The receipt cannot be decoded.
    case receipt
    /// The receipt was signed by a key that is not in the key set.
    case unknownReceiptKey
    /// The receipt's signature is not valid.
    case receiptSignature
    /// A signature, or the receipt, is for another transaction.
    case anotherTransaction
    /// Only a PIN key approved, and only the server can check its signature.
    case nothingToCheck
    /// The receipt lists other signatures than the proof object has.
    case signers
    /// A challenge is for another approval.
    case challenge
    /// A signature is not valid, or was made by another key.
    case signature
    /// A demanded signature is missing, or its key has less assurance than is demanded.
    case demand
    /// The evidence of a liveness check is missing, or is for another challenge.
    case liveness

    /// The fault as an English sentence, for a person who checks a proof object.
    public var sentence: String {
        switch self {
        case .unreadable: "This is not a proof object."
        case .transaction: "The transaction cannot be read."
        case .receipt: "The server's receipt cannot be read."
        case .unknownReceiptKey: "The server's receipt was signed by a key that is not in the key set."
        case .receiptSignature: "The signature of the server's receipt is not valid."
        case .anotherTransaction: "The signatures are for another transaction."
        case .nothingToCheck:
            "Only a PIN key approved this, and only the server can check its signature."
        case .signers: "The server's receipt lists other signatures than the proof object has."
        case .challenge: "A challenge is for another approval."
        case .signature: "A signature is not valid, or it was made by another key."
        case .demand: "A demanded signature is missing, or its key has less assurance than is demanded."
        case .liveness: "The evidence of the liveness check is missing, or it is for another challenge."
        }
    }
}
