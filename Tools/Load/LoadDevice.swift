#if Tools
#if canImport(CryptoKit)
package import CryptoKit
#else
package import Crypto
#endif
import Foundation
package import ThumbturnCore
package import ThumbturnMessages
import ThumbturnDevice

/// A device without a person, with two keys in memory. It builds the requests of a sign-in as a real device does.
package struct LoadDevice: Sendable {
    private let session: P256.Signing.PrivateKey
    private let biometric = P256.Signing.PrivateKey()
    private let server: String
    private let publicSessionKey: PublicKey
    private let publicBiometricKey: PublicKey
    package let sessionKid: String
    package let kid: String

    /// An unexpected answer of the server.
    package struct Unexpected: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// - Parameter server: the public address without a trailing slash.
    package init(server: String, session: P256.Signing.PrivateKey = .init()) {
        self.server = server
        self.session = session
        publicSessionKey = Self.publicKey(session)
        publicBiometricKey = Self.publicKey(biometric)
        sessionKid = Signing.thumbprint(of: publicSessionKey)
        kid = Signing.thumbprint(of: publicBiometricKey)
    }

    /// Enrols with an account's password.
    ///
    /// - Parameter kind: the kind of the key that signs in; a PIN key stands for a person who types the right PIN.
    /// - Returns: that key's id, its thumbprint or a PIN key's handle.
    @discardableResult
    package func enrol(
        account: String, password: String, as kind: KeyKind = .biometric, over connection: LoadConnection
    ) async throws -> String {
        let kids = [sessionKid, kind == .pin ? PINHandle.placeholder : kid]
        let (challenge, nonce) = try await challenge(.enrol, kids, over: connection)
        let signIn = Signing.encode(PasswordSignInRequest(account: account, password: password))
        let ticketAnswer = try await connection.send(
            "POST", "/v1/accounts/sign-in", type: "application/json",
            headers: [("DPoP", dpop("POST", "/v1/accounts/sign-in", signIn, nonce: nonce))], body: signIn
        )
        let ticket = try read(EnrolmentTicket.self, ticketAnswer, expecting: 200).ticket
        let request = Signing.encode(
            EnrolRequest(ticket: ticket, name: "Load", keys: registrations(challenge, as: kind))
        )
        let answer = try await connection.send(
            "POST", "/v1/devices", type: "application/json",
            headers: [("DPoP", dpop("POST", "/v1/devices", request, nonce: ticketAnswer.nonce ?? nonce))], body: request
        )
        _ = try read(DeviceRecord.self, answer, expecting: 201)
        return kind == .pin ? handle(in: challenge) : kid
    }

    /// The handle that a challenge gives a new PIN key.
    private func handle(in challenge: String) -> String {
        let payload = challenge.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode(String($0)) } ?? []
        let claims = try? JSONDecoder().decode(ChallengeClaims.self, from: Data(payload))
        return claims?.kids.first(where: PINHandle.isHandle) ?? ""
    }

    /// Gets a challenge and the nonce that comes with it.
    package func challenge(
        _ purpose: Purpose = .signIn, _ kids: [String]? = nil, act: String? = nil, over connection: LoadConnection
    ) async throws -> (challenge: String, nonce: String) {
        let request = ChallengeRequest(purpose: purpose, act: act, kids: kids ?? [kid], jkt: sessionKid)
        let answer = try await connection.send(
            "POST", "/v1/challenges", type: "application/json", body: Signing.encode(request)
        )
        guard let nonce = answer.nonce else { throw Unexpected(description: "no nonce") }
        return (try read(ChallengeAnswer.self, answer, expecting: 200).challenge, nonce)
    }

    /// Posts a proof with a new DPoP proof and returns any answer.
    ///
    /// - Parameter more: further fields of the form, each with a leading `&`.
    package func redeem(
        _ proof: String, more: String = "", nonce: String, over connection: LoadConnection
    ) async throws -> LoadConnection.Answer {
        // Of the characters in proofs and the grant type, only the colons need escaping in a form.
        let form = Array("grant_type=\(proofGrantType.replacing(":", with: "%3A"))&proof=\(proof)\(more)".utf8)
        return try await connection.send(
            "POST", "/v1/token", type: "application/x-www-form-urlencoded",
            headers: [("DPoP", dpop("POST", "/v1/token", form, nonce: nonce))], body: form
        )
    }

    /// Signs in, with two requests.
    package func signIn(over connection: LoadConnection) async throws -> TokenAnswer {
        let (challenge, nonce) = try await challenge(over: connection)
        return try read(
            TokenAnswer.self, try await redeem(proof(challenge), nonce: nonce, over: connection), expecting: 200
        )
    }

    /// Gets a protected resource.
    package func get(
        _ path: String, token: String, nonce: String, over connection: LoadConnection
    ) async throws -> LoadConnection.Answer {
        try await connection.send(
            "GET", path,
            headers: [("Authorization", "DPoP \(token)"), ("DPoP", dpop("GET", path, nil, nonce: nonce, token: token))]
        )
    }

    /// The registrations of both keys, with proofs over an `enrol` challenge.
    package func registrations(_ challenge: String, as kind: KeyKind = .biometric) -> [KeyRegistration] {
        let proof = proof(challenge, as: kind == .pin ? handle(in: challenge) : kid)
        return [
            KeyRegistration(kind: .session, jwk: JWK(publicSessionKey), proof: sessionProof(challenge)),
            KeyRegistration(kind: kind, jwk: JWK(publicBiometricKey), proof: proof),
        ]
    }

    /// The session key's proof over a challenge.
    package func sessionProof(_ challenge: String) -> String { proof(challenge, session, sessionKid) }

    /// The proof over a challenge of the key that signs in.
    ///
    /// - Parameter id: the key's id; its thumbprint unless given.
    package func proof(_ challenge: String, as id: String? = nil) -> String { proof(challenge, biometric, id ?? kid) }

    /// A DPoP proof by the session key.
    ///
    /// - Parameter address: the public address in the proof, if it is not that of this device's server.
    package func dpop(
        _ method: String, _ path: String, _ body: [UInt8]?, nonce: String, token: String? = nil, jti: String? = nil,
        at address: String? = nil
    ) -> String {
        let claims = DPoPClaims(
            jti: jti ?? Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255) }), htm: method,
            htu: (address ?? server) + path,
            iat: UnixTime(seconds: Int64(Date().timeIntervalSince1970)), ath: token.map { Signing.hash(Array($0.utf8)) },
            nonce: nonce, bdy: body.map(Signing.hash)
        )
        return sign(Signing.dpopInput(claims, key: publicSessionKey), session)
    }

    package func read<Answer: Message>(
        _ type: Answer.Type, _ answer: LoadConnection.Answer, expecting status: Int
    ) throws -> Answer {
        guard answer.status == status, let value = try? JSONDecoder().decode(type, from: Data(answer.body)) else {
            throw Unexpected(description: "status \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return value
    }

    /// A JWS by the biometric key with any header and payload.
    package func sign(header: String, payload: String) -> String {
        sign(CompactJWS.signingInput(header: Array(header.utf8), payload: Array(payload.utf8)), biometric)
    }

    private func proof(_ challenge: String, _ key: P256.Signing.PrivateKey, _ kid: String) -> String {
        sign(Signing.proofInput(challenge: challenge, kid: kid), key)
    }

    private func sign(_ input: [UInt8], _ key: P256.Signing.PrivateKey) -> String {
        guard let signature = try? key.signature(for: input) else { preconditionFailure("a key in memory always signs") }
        return CompactJWS.compact(signingInput: input, signature: Array(signature.rawRepresentation))
    }

    private static func publicKey(_ key: P256.Signing.PrivateKey) -> PublicKey {
        guard let publicKey = PublicKey(x963: Array(key.publicKey.x963Representation)) else {
            preconditionFailure("a P-256 key has an uncompressed point")
        }
        return publicKey
    }
}
#endif
