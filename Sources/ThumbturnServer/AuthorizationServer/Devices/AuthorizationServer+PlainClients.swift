#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The routes of plain clients: apps that sign with one key of another library and have no session key. Their keys are
/// in a table of their own, which no ceremony reads. `CeremonyRules` explains why it has no row for them.
extension AuthorizationServer {
    /// `POST /v1/plain/devices`: enrols a plain client. A ticket authorises it, as for every device: it was issued for
    /// full credentials, or to a device that may vouch for others. The key signs the ticket, which serves as the
    /// challenge: the server made it, for this account and for one use.
    func enrol(plain request: PlainEnrolRequest, dpop: DPoPProof) async throws -> PlainEnrolAnswer {
        guard DeviceName.isAcceptable(request.name) else { throw RequestError.malformed() }
        let ticket: Tickets.Right
        do throws(VerificationError) {
            ticket = try tickets.verify(request.ticket, jkt: dpop.jkt, at: time.now)
            // Such a device has no cool-off, and its tokens say that the person was verified now.
            guard ticket.freshness.worth.datesTokens else { throw .insufficient }
            // A plain client brings no evidence, and must not be the way around it.
            guard settings.enrolmentLiveness == nil, settings.evidence.current.withoutEvidence == .lower else {
                throw .insufficient
            }
        } catch {
            throw RequestError.unverified(.init(.enrolment, error))
        }
        let (key, format): (PlainKey, PlainFormat)
        do throws(VerificationError) {
            (key, format) = (try PlainKey(spki: request.spki), request.format ?? .digits)
            // The key that signs DPoP proofs cannot be the plain key as well.
            guard key.kid != dpop.jkt, key.takes(format) else { throw .unacceptableKey }
            guard let signature = PlainSignature(request.signature), signature.format == format,
                key.isValid(signature, for: format.message(request.ticket))
            else { throw .wrongSignature }
        } catch {
            _ = try await store.spend([ticket.spend])
            throw RequestError.unverified(.init(.enrolment, error))
        }
        await beforeSpending()
        // Such a device has no session key and can change nothing, so it needs no cool-off, whatever the ticket is worth: it
        // never does more than another device does during its cool-off.
        let device = NewDevice(
            id: .random(), account: ticket.account, name: request.name, sessionJKT: "", keys: [], coolOff: .zero
        )
        let new = NewPlainKey(kid: key.kid, spki: key.spki, format: format)
        guard try await store.enrol(device, with: new, by: ticket) else {
            throw RequestError.unverified(.init(.enrolment, .replayed))
        }
        return PlainEnrolAnswer(userID: ticket.account.text, device: device.id.text, kid: key.kid)
    }

    /// `POST /v1/plain/challenges`: issues a challenge. The account is not looked up, so the answer reveals nothing
    /// about it.
    package func challenge(plain request: PlainChallengeRequest) throws -> PlainChallengeAnswer {
        guard let account = AccountID(request.userID) else { throw RequestError.malformed() }
        let (id, challenge) = plainChallenges.issue(to: account, at: time.now)
        metrics.countPlainChallenge()
        return PlainChallengeAnswer(
            challengeID: id, challenge: challenge, expiresIn: PlainChallenges.lifetime.components.seconds
        )
    }

    /// `POST /v1/plain/sign-in`: exchanges a signature for one short-lived token, without a refresh token. An unknown
    /// account, an account without plain keys and a wrong signature get the same answer after the same work.
    ///
    /// No session key authenticates the caller, so a wrong signature is counted against its network: an attacker cannot
    /// lock the account out. While the network is throttled, no signature is checked.
    package func signIn(plain request: PlainSignInRequest, from network: Network) async throws -> PlainTokenAnswer {
        let asked: PlainChallenges.Asked
        do throws(VerificationError) {
            asked = try plainChallenges.verify(request.challengeID, at: time.now)
        } catch {
            throw RequestError.unverified(.init(.proof, error))
        }
        guard try await mayTry(from: network) else { throw RequestError.unverified(.init(.proof, .paused)) }
        let signer = try await signer(of: PlainSignature(request.signature), for: asked)
        guard request.userID == asked.account.text, let signer else {
            _ = try await store.spend([asked.spend])
            throw RequestError.unverified(.init(.proof, .wrongSignature)).byStranger
        }
        try admit(signer.device)
        await beforeSpending()
        guard let generation = try await store.spend(asked.spend, on: signer) else {
            throw RequestError.unverified(.init(.proof, .replayed))
        }
        return try token(for: signer, generation: generation)
    }

    /// The account's key that made the signature. Neither the rows that are read nor the work depends on how many keys
    /// the account has: the same number of keys is always tried, filled up with keys of other accounts and with decoys.
    ///
    /// A signature in one format is judged by the keys of the other one too, and never accepted from them.
    private func signer(of signature: PlainSignature?, for asked: PlainChallenges.Asked) async throws -> EnrolledPlainKey? {
        guard let signature else { return nil }
        let found = try await store.plainKeys(around: asked.account, ofLength: signature.kind.spkiLength)
        let message = signature.format.message(asked.challenge)
        var signer: EnrolledPlainKey?
        for index in 0..<EnrolledPlainKey.mostOfAnAccount {
            let row = index < found.count ? found[index] : nil
            let key = try PlainKey(spkiDER: row?.spki ?? signature.kind.decoy)
            counters.verifications.count()
            let isValid = key.isValid(signature, for: message)
            if isValid, row?.format == signature.format, row?.account == asked.account { signer = row }
        }
        return signer
    }

    /// The claims of a plain client's token, if it is active: its key is still enrolled, the account's credentials are those
    /// of then, and the operator still allows such keys.
    func plainClaims(of text: String) async throws -> PlainTokenClaims? {
        guard settings.allowsPlainClients else { return nil }
        let keys = try await currentTokenKeys()
        guard
            let claims = try? PlainTokenClaims(
                verifying: text, keys: keys, issuer: settings.publicURL, audience: settings.audience,
                longestLife: settings.accessTokenLifetime, at: time.now
            ),
            let device = DeviceID(claims.did), let generation = try await store.plainGeneration(of: device),
            case let name = name(ofCredentials: generation, of: claims.sub),
            // A node of an older version names none, during the rollout of this one.
            claims.credentials ?? name == name
        else { return nil }
        return claims
    }

    private func token(for key: EnrolledPlainKey, generation: Int64) throws -> PlainTokenAnswer {
        let now = time.now
        let lifetime = min(settings.accessTokenLifetime, Self.longestPlainToken)
        let claims = PlainTokenClaims(
            iss: settings.publicURL, aud: settings.audience, account: key.account.text, clientID: settings.clientID, iat: now,
            exp: now + lifetime, jti: Identifier<PlainTokenClaims>.random().text, device: key.device.text,
            credentials: name(ofCredentials: generation, of: key.account.text)
        )
        counters.tokens.count()
        return PlainTokenAnswer(
            accessToken: try secrets.current.signer(at: time.now).sign(claims), expiresIn: lifetime.components.seconds
        )
    }

    /// Names a generation of an account's credentials, so that no resource server can count them.
    private func name(ofCredentials generation: Int64, of account: String) -> String {
        let key = secrets.current.masterKey.derive("credentials in plain tokens")
        return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Data("\(account) \(generation)".utf8), using: key).prefix(8))
    }

    private func mayTry(from network: Network) async throws -> Bool {
        let attempt = SignInAttempt(
            account: nil, evidence: .nothing, inARow: [], byRate: [throttlePlaces.address(network)], limits: throttleLimits
        )
        return try await store.standing(of: attempt) == .open
    }

    /// The longest life of a plain client's token. The token is not bound to a key, so a thief can use it; the setting
    /// for bound tokens may shorten its life and cannot extend it.
    private static let longestPlainToken = Duration.seconds(300)

    private var plainChallenges: PlainChallenges { PlainChallenges(issuer: settings.publicURL, secrets: secrets.current) }
}
#endif
