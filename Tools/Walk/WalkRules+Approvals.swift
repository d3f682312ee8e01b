#if Tools
import Crypto
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The rules for approvals: what phones see, which signatures count, and how an approval ends. The rules for signing one are
/// in `WalkRules+Proofs.swift`.
extension WalkRules {
    // MARK: Phones

    static func list(_ phone: PhoneName, _ answer: WalkServer.Answer, in world: World) throws -> Violation? {
        let list = try answer.read(ApprovalList.self)
        return refusalToSee(phone, in: world) ?? refusalOfList(list, phone, in: world)
    }

    static func decline(_ index: Int, _ phone: PhoneName, in world: inout World) -> Violation? {
        let approval = world.approvals[index]
        let isStranger = !approval.people.contains { $0 == world.person(of: phone) }
        let violation: Violation? =
            refusalToSee(phone, in: world) ?? (isStranger ? "a stranger declined an approval" : nil)
            ?? refusalOfEnd(approval, in: world)
        world.approvals[index].end = .declined
        return violation
    }

    private static func refusalToSee(_ phone: PhoneName, in world: World) -> Violation? {
        if !world.isLive(phone) { return "\(phone) saw or changed approvals, and it is removed, or its account is off" }
        return world.isCooling(phone) ? "\(phone) saw or changed approvals during its cool-off" : nil
    }

    private static func refusalOfList(_ list: ApprovalList, _ phone: PhoneName, in world: World) -> Violation? {
        let shown = world.approvals.filter { approval in list.approvals.contains { $0.id == approval.id } }
        if shown.count != list.approvals.count { return "a list has an approval that is unknown" }
        for approval in shown {
            guard let person = world.person(of: phone), approval.people.contains(person) else {
                return "a list has an approval of another account"
            }
            if let refused = refusalOfEnd(approval, in: world) { return refused }
        }
        let texts = Set(world.approvals.map { Base64URL.encode(Array($0.transaction.utf8)) })
        return list.approvals.allSatisfy { texts.contains($0.txn) } ? nil : "a list has another transaction"
    }

    // MARK: Signatures

    /// The signatures that still count: of keys that are enrolled as they were, from after the account was last off.
    private static func signatures(of approval: World.Approval, in world: World) -> [World.Approval.Signature] {
        approval.signatures.filter { signature in
            let phone = signature.key.name.phone
            return world.isLive(phone) && world.phones[phone]?.person == signature.person
                && world.phones[phone]?.keys[signature.key.name.kind]?.kid == signature.key.kid
                && signature.at > world.people[signature.person]?.signaturesOver ?? .zero
        }
    }

    static func isSigned(_ approval: World.Approval, by person: Person, in world: World) -> Bool {
        let shown = Set(signatures(of: approval, in: world).filter { $0.person == person }.map(\.key.shows))
        return approval.demand.keys.map { shown.isSuperset(of: $0) } ?? !shown.isDisjoint(with: [.biometric, .pin])
    }

    // MARK: Back ends

    static func redeem(
        _ index: Int, _ client: String, _ answer: WalkServer.Answer, in world: inout World
    ) throws -> Violation? {
        let approval = world.approvals[index]
        if client != "shop" { return "a back end redeemed another one's approval" }
        let proof = try answer.read(ApprovalProof.self)
        if let receipt = approval.receipt { return proof.receipt == receipt ? nil : "an approval was redeemed twice" }
        world.approvals[index].end = .redeemed
        world.approvals[index].receipt = proof.receipt
        if approval.end != nil { return "an approval that was over was redeemed" }
        if world.elapsed >= approval.expiresAt { return "an approval was redeemed after its time" }
        guard let jws = CompactJWS(proof.receipt),
            let receipt = try? WireJSON.decodeClaims(ApprovalReceipt.self, from: jws.payload)
        else { return "a receipt cannot be read" }
        let valid = signatures(of: approval, in: world)
        if Set(receipt.approvedBy.map(\.kid)) != Set(valid.map(\.key.kid)) {
            return "the receipt names \(receipt.approvedBy.count) signatures, and \(valid.count) count"
        }
        if let person = approval.people.first(where: { !isSigned(approval, by: $0, in: world) }) {
            return "an approval was redeemed that \(person) had not signed as demanded"
        }
        let bytes = Array(approval.transaction.utf8)
        if proof.txn != Base64URL.encode(bytes) { return "another transaction was redeemed" }
        if receipt.txnHash != Base64URL.encode(SHA256.hash(data: bytes)) { return "the receipt is for another transaction" }
        guard let header = try? WireJSON.decodeClaims(Header.self, from: jws.header) else { return "a receipt cannot be read" }
        return refusal(ofTokenKey: header.kid, in: world)
    }

    static func withdraw(_ index: Int, _ client: String, in world: inout World) -> Violation? {
        let violation: Violation? =
            client == "shop" ? refusalOfEnd(world.approvals[index], in: world) : "a back end withdrew another one's approval"
        world.approvals[index].end = .withdrawn
        return violation
    }

    private static func refusalOfEnd(_ approval: World.Approval, in world: World) -> Violation? {
        approval.end == nil && world.elapsed < approval.expiresAt ? nil : "an approval ended that was over"
    }
}
#endif
