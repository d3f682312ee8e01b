#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/devices`: one ticket, one challenge, one request with all proofs. All of it holds, or nothing is enrolled.
    func enrol(_ request: EnrolRequest, dpop: DPoPProof) async throws -> DeviceRecord {
        guard DeviceName.isAcceptable(request.name), (2...4).contains(request.keys.count) else { throw RequestError.malformed() }
        let ticket: Tickets.Right
        let claims: ChallengeClaims
        let spend: Spend
        do {
            ticket = try tickets.verify(request.ticket, jkt: dpop.jkt, at: time.now)
            guard let challenge = request.keys.lazy.compactMap(\.proof).compactMap(UnverifiedProof.challenge).first else {
                throw VerificationError.malformed
            }
            (claims, spend) = try await verified(challenge, for: .enrol)
            guard claims.cnf.jkt == dpop.jkt else { throw VerificationError.foreignKey }
        } catch let refusal as VerificationError {
            throw RequestError.unverified(.init(.enrolment, refusal))
        }

        // From here on both are spent, whatever the keys and proofs say: one challenge, one attempt.
        let spends = [ticket.spend, spend]
        let candidate: Candidate
        do {
            candidate = try Candidate(request.keys)
            try candidate.judge(claims: claims, jkt: dpop.jkt)
        } catch let refusal as VerificationError {
            _ = try await store.spend(spends)
            throw RequestError.unverified(.init(.enrolment, refusal))
        }
        await beforeSpending()
        var device = NewDevice(
            id: .random(), account: ticket.account, name: request.name, sessionJKT: dpop.jkt,
            keys: candidate.keys.map {
                .init(kid: $0.kid, kind: $0.kind, x963: $0.key.x963, isActive: $0.proof != nil)
            },
            coolOff: settings.coolOff
        )
        device.voucher = ticket.voucher
        device.ifEnrolled = request.ifEnrolled ?? .fail
        guard let enrolled = try await store.enrol(device, spending: spends) else {
            throw RequestError.unverified(.init(.enrolment, .replayed))
        }
        return record(of: enrolled, current: enrolled.id)
    }

    func record(of device: DeviceView, current: DeviceID) -> DeviceRecord {
        DeviceRecord(
            id: device.id.text, name: device.name, keys: device.keys, enrolledAt: device.enrolledAt,
            current: device.id == current, use: device.isPlain ? .plain : nil
        )
    }
}

/// How a person calls a device: it must show in a list as what it is.
enum DeviceName {
    /// 1 to 64 characters in at most 256 bytes, without control and format characters (those can turn or hide text) and without
    /// line separators.
    static func isAcceptable(_ name: String) -> Bool {
        (1...64).contains(name.count) && name.utf8.count <= 256
            && !name.unicodeScalars.contains { scalar in
                [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }
    }
}

/// The keys that ask to be enrolled, and whether their proofs hold.
private struct Candidate {
    let keys: [RegisteredKey]

    init(_ registrations: [KeyRegistration]) throws {
        guard Set(registrations.map(\.kind)).count == registrations.count else { throw VerificationError.malformed }
        keys = try registrations.map { try RegisteredKey($0) }
        // No key answers for two factors.
        guard Set(keys.map(\.key)).count == keys.count else { throw VerificationError.unacceptableKey }
    }

    /// Returns if every key may be enrolled under this challenge.
    func judge(claims: ChallengeClaims, jkt: String) throws(VerificationError) {
        // The challenge names exactly these keys, so a signature over it vouches for all of them.
        guard Set(keys.map(\.kid)) == Set(claims.kids), claims.kids.count == keys.count else { throw .unknownKey }
        guard let session = keys.first(where: { $0.kind == .session }), session.key.thumbprint == jkt, session.proof != nil
        else { throw .foreignKey }
        guard keys.contains(where: { $0.kind.userVerification > .none && $0.proof != nil }) else { throw .wrongSignature }
        guard Set(keys.compactMap(\.proof?.challenge)).count == 1 else { throw .wrongSignature }
        for key in keys {
            guard let proof = key.proof else {
                // Only a passcode key may come without a proof of its own, beside a key that proves more: no PIN vouches for it.
                guard key.kind == .passcode, keys.contains(where: { $0.kind == .biometric && $0.proof != nil }) else {
                    throw .wrongSignature
                }
                continue
            }
            guard proof.kid == key.kid else { throw .unknownKey }
            try proof.verify(by: key.key)
        }
    }
}
#endif
