#if Server
import Foundation
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/devices`: one ticket, one challenge, one request with all proofs. All of it holds, or nothing is enrolled.
    func enrol(_ request: EnrolRequest, dpop: DPoPProof) async throws -> DeviceRecord {
        let name = request.name
        guard (1...64).contains(name.count), !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw Refused.malformed() }
        let candidate = try readCandidate(request.keys)
        guard let challenge = candidate.challenge else { throw Refused.malformed() }

        let ticket: (account: AccountID, spend: Spend)
        let claims: ChallengeClaims
        do {
            ticket = try tickets.verify(request.ticket, jkt: dpop.jkt, at: time.now)
            claims = try await verified(challenge, for: .enrol)
            guard claims.cnf.jkt == dpop.jkt else { throw Refusal.foreignKey }
        } catch let refusal as Refusal {
            throw Refused.unverified("enrol \(refusal.rawValue)")
        }

        // From here on both are spent, whatever the proofs say: one challenge, one attempt.
        let spends = [ticket.spend, try spend(of: claims)]
        if let refusal = candidate.refusal(claims: claims, jkt: dpop.jkt) {
            _ = try await store.spend(spends)
            throw Refused.unverified("enrol \(refusal.rawValue)")
        }
        await beforeSpending()
        let device = NewDevice(
            id: .random(), account: ticket.account, name: name, sessionJKT: dpop.jkt,
            keys: candidate.keys.map {
                .init(kid: $0.key.thumbprint, kind: $0.kind, x963: $0.key.x963, isActive: $0.proof != nil)
            },
            coolOff: settings.coolOff
        )
        guard let enrolled = try await store.enrol(device, spending: spends) else {
            throw Refused.unverified("enrol \(Refusal.replayed.rawValue)")
        }
        return record(of: enrolled, current: enrolled.id)
    }

    func record(of device: DeviceView, current: DeviceID) -> DeviceRecord {
        DeviceRecord(
            id: device.id.text, name: device.name, keys: device.keys, enrolledAt: device.enrolledAt,
            current: device.id == current
        )
    }

    private func readCandidate(_ registrations: [KeyRegistration]) throws -> Candidate {
        guard (2...4).contains(registrations.count), Set(registrations.map(\.kind)).count == registrations.count else {
            throw Refused.malformed()
        }
        do {
            return Candidate(
                keys: try registrations.map { registration in
                    // A PIN key's id must not be derived from the key; until it has one of its own, none is accepted.
                    guard registration.kind != .pin else { throw Refusal.malformed }
                    return .init(
                        kind: registration.kind, key: try Self.publicKey(registration),
                        proof: try registration.proof.map { try UnverifiedProof($0) }
                    )
                }
            )
        } catch let refusal as Refusal {
            throw Refused.malformed(refusal)
        }
    }

    private static func publicKey(_ registration: KeyRegistration) throws -> VerifyingKey {
        switch (registration.jwk, registration.spki, registration.x963) {
        case (let jwk?, nil, nil): return try VerifyingKey(jwk: jwk)
        case (nil, let spki?, nil): return try VerifyingKey(spki: spki)
        case (nil, nil, let point?):
            guard let bytes = Base64URL.decode(point) else { throw Refusal.malformed }
            return try VerifyingKey(x963: bytes)
        default: throw Refusal.malformed
        }
    }
}

/// The keys that ask to be enrolled, and whether their proofs hold.
private struct Candidate {
    struct Key {
        var kind: KeyKind
        var key: VerifyingKey
        var proof: UnverifiedProof?
    }

    var keys: [Key]

    /// The challenge that the proofs are over, if there is just one.
    var challenge: String? {
        let challenges = Set(keys.compactMap(\.proof?.challenge))
        return challenges.count == 1 ? challenges.first : nil
    }

    /// Why the keys cannot be enrolled, or nil.
    func refusal(claims: ChallengeClaims, jkt: String) -> Refusal? {
        // The challenge names exactly these keys, so a signature over it vouches for all of them.
        guard Set(keys.map(\.key.thumbprint)) == Set(claims.kids), claims.kids.count == keys.count else { return .unknownKey }
        guard let session = keys.first(where: { $0.kind == .session }), session.key.thumbprint == jkt, session.proof != nil
        else { return .foreignKey }
        guard keys.contains(where: { $0.kind.userVerification > .none && $0.proof != nil }) else { return .wrongSignature }
        for key in keys {
            guard let proof = key.proof else {
                // Only a passcode key may come without a proof of its own, beside a key that proves more.
                guard key.kind == .passcode else { return .wrongSignature }
                continue
            }
            guard proof.kid == key.key.thumbprint else { return .unknownKey }
            do {
                try proof.verify(by: key.key)
            } catch {
                return error
            }
        }
        return nil
    }
}
#endif
