#if Server
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// `GET /v1/devices/current`, by the session key alone: what became of a change whose answer was lost.
    func currentDevice(_ dpop: DPoPProof) async throws -> DeviceRecord {
        guard let device = try await store.device(withSessionKey: dpop.jkt),
            let view = try await store.devices(of: device.account).first(where: { $0.id == device.id })
        else { throw RequestError.notFound }
        return record(of: view, current: device.id)
    }

    /// `POST /v1/devices/current/keys`: one key takes another's place, or a key goes. `KeyChangeRules` says who may pay for it.
    ///
    /// The order is the rule, as for a sign-in: nothing is spent until the sender has shown the session key that the challenge names.
    /// From then on all of it is spent. The paying proof is judged last, so that no answer says whether a PIN is right unless it
    /// was counted.
    func change(_ request: KeyChangeRequest, dpop: DPoPProof) async throws -> DeviceRecord {
        guard (request.proof == nil) != (request.ticket == nil) else { throw RequestError.malformed() }
        let change: KeyChange
        let claims: ChallengeClaims
        let spend: Spend
        let ticket: Tickets.Right?
        do {
            ticket = try request.ticket.map { try tickets.verify($0, jkt: dpop.jkt, at: time.now) }
            // A device that vouches for another one brings it in, and no more.
            guard ticket?.voucher == nil else { throw VerificationError.foreignKey }
            guard
                let challenge = [request.proof, request.key?.proof].lazy.compactMap({ $0 })
                    .compactMap(UnverifiedProof.challenge).first
            else { throw VerificationError.malformed }
            (claims, spend) = try await verified(challenge, for: .manage)
            guard claims.cnf.jkt == dpop.jkt else { throw VerificationError.foreignKey }
            guard let act = claims.act.flatMap(KeyChange.init(rawValue:)) else { throw VerificationError.wrongPurpose }
            change = act
        } catch let refusal as VerificationError {
            throw RequestError.unverified(.init(.keyChange, refusal)).counting(refusal)
        }

        let spends = [spend] + (ticket.map { [$0.spend] } ?? [])
        let judged: (keys: NewKeys, payer: (proof: UnverifiedProof, key: EnrolledKey)?)
        do {
            judged = try await judge(request, change, claims, paidBy: ticket?.account)
        } catch let refusal as VerificationError {
            _ = try await store.spend(spends)
            throw RequestError.unverified(.init(.keyChange, refusal)).counting(refusal)
        }
        if let (proof, key) = judged.payer {
            try await refuseIfPaused(key, spending: spends)
            do throws(VerificationError) {
                try proof.verify(by: try VerifyingKey(x963: key.x963))
            } catch {
                guard let count = try await store.spend(spends, wronglySignedBy: key.kid), key.kind == .pin else {
                    throw RequestError.unverified(.init(.keyChange, error))
                }
                throw RequestError.wrongPIN(after: count)
            }
        }

        await beforeSpending()
        switch try await store.change(judged.keys, spending: spends) {
        case .done(let device): return record(of: device, current: device.id)
        case .refused: throw RequestError.unverified(.init(.keyChange, .replayed))
        case .disabled: throw RequestError.wrongPIN(after: PINLedger.limit)
        }
    }

    /// Everything but the paying signature.
    private func judge(
        _ request: KeyChangeRequest, _ change: KeyChange, _ claims: ChallengeClaims, paidBy account: AccountID?
    ) async throws -> (keys: NewKeys, payer: (proof: UnverifiedProof, key: EnrolledKey)?) {
        guard let device = try await store.device(withSessionKey: claims.cnf.jkt) else { throw VerificationError.unknownKey }
        let rules = KeyChangeRules(letsPasscodeReplaceBiometricKey: settings.letsPasscodeReplaceBiometricKey)
        let payer: (proof: UnverifiedProof, key: EnrolledKey)?
        let origin: KeyOrigin
        if let account {
            guard account == device.account, rules.allow(change, with: .credentials, on: device) else {
                throw VerificationError.foreignKey
            }
            (payer, origin) = (nil, .credentials)
        } else {
            let proof = try UnverifiedProof(request.proof ?? "")
            // The first of the ids is the new key's, and no key vouches for itself.
            guard claims.kids.dropFirst(change.bringsKey ? 1 : 0).contains(proof.kid),
                let key = device.keys.first(where: { $0.kid == proof.kid }), let kind = KeyChangeRules.payer(key),
                rules.allow(change, with: kind, on: device)
            else { throw VerificationError.unknownKey }
            // Until a device that the password alone brought has cooled off, none of its keys brings another.
            guard !change.bringsKey || time.now >= device.coolsOffUntil else { throw VerificationError.notYetValid }
            (payer, origin) = ((proof, key), KeyChangeRules.origin(paidBy: key))
        }
        let keys = NewKeys(
            device: device.id, kind: change.kind, old: device.keys.first { $0.kind == change.kind }?.kid,
            new: try newKey(request.key, change, claims, beside: device.keys, payer?.proof), origin: origin,
            payer: payer?.key.kid, coolOff: settings.coolOff
        )
        return (keys, payer)
    }

    /// The new key, which has signed this very challenge under the id that stands first in it.
    private func newKey(
        _ registration: KeyRegistration?, _ change: KeyChange, _ claims: ChallengeClaims, beside others: [EnrolledKey],
        _ payer: UnverifiedProof?
    ) throws -> NewDevice.Key? {
        guard change.bringsKey else {
            guard registration == nil else { throw VerificationError.malformed }
            return nil
        }
        guard let registration, registration.kind == change.kind else { throw VerificationError.malformed }
        let new = try RegisteredKey(registration)
        guard let proof = new.proof, proof.kid == new.kid, new.kid == claims.kids.first else {
            throw VerificationError.unknownKey
        }
        // Both proofs are over the one challenge that was verified.
        guard payer == nil || payer?.challenge == proof.challenge else { throw VerificationError.wrongSignature }
        try proof.verify(by: new.key)
        // No key answers for two factors, and none is its own successor. PIN keys are not compared: whoever has a device's half of a
        // derived one would learn from the answer, uncounted, whether a PIN is right.
        guard !others.contains(where: { $0.kind != .pin && $0.x963 == new.key.x963 }) else {
            throw VerificationError.unacceptableKey
        }
        return NewDevice.Key(kid: new.kid, kind: new.kind, x963: new.key.x963, isActive: true)
    }
}
#endif
