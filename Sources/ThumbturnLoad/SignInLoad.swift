#if Tools
#if canImport(CryptoKit)
package import CryptoKit
#else
package import Crypto
#endif
import Foundation
package import NIOCore
import ThumbturnCore

/// A device of the benchmarks: its keys, and what of its requests never changes.
package struct BenchDevice: Sendable {
    package let session: P256.Signing.PrivateKey
    package let biometric: P256.Signing.PrivateKey
    package let sessionKid: String
    package let kid: String
    fileprivate let challengeBody: [UInt8]
    /// In base64url, with the dot behind it.
    fileprivate let proofHeader: [UInt8]
    fileprivate let dpopHeader: [UInt8]

    package init() {
        session = P256.Signing.PrivateKey()
        biometric = P256.Signing.PrivateKey()
        let jwk = Self.jwk(session)
        sessionKid = Self.thumbprint(jwk)
        kid = Self.thumbprint(Self.jwk(biometric))
        challengeBody = Array(#"{"jkt":"\#(sessionKid)","kids":["\#(kid)"],"purpose":"sign-in"}"#.utf8)
        proofHeader = Self.encoded(#"{"alg":"ES256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#)
        dpopHeader = Self.encoded(
            #"{"alg":"ES256","jwk":{"crv":"P-256","kty":"EC","x":"\#(jwk.x)","y":"\#(jwk.y)"},"typ":"dpop+jwt"}"#)
    }

    package func x963(_ key: P256.Signing.PrivateKey) -> [UInt8] { Array(key.publicKey.x963Representation) }

    private static func encoded(_ header: String) -> [UInt8] { Base64URL.encodedBytes(Array(header.utf8)) + [UInt8(ascii: ".")] }

    private static func thumbprint(_ jwk: JWK) -> String { Base64URL.encode(SHA256.hash(data: jwk.thumbprintInput)) }

    private static func jwk(_ key: P256.Signing.PrivateKey) -> JWK {
        guard let jwk = JWK(x963: Array(key.publicKey.x963Representation)) else {
            preconditionFailure("a P-256 key has an uncompressed point")
        }
        return jwk
    }
}

/// Requests of `BenchDevice`s, as bytes.
package struct BenchRequests: Sendable {
    private let url: String
    private let host: String
    private var counter = 0
    private let run = UInt32.random(in: 0 ... .max)

    /// - Parameter url: the public address, without a slash at the end.
    package init(url: String, host: String) {
        self.url = url
        self.host = host
    }

    package func challenge(of device: BenchDevice) -> ByteBuffer {
        post("/v1/challenges", type: "application/json", dpop: nil, body: device.challengeBody)
    }

    package mutating func redeem(
        _ challenge: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, by device: BenchDevice
    ) -> ByteBuffer {
        let proof = Self.signed(device.proofHeader + Base64URL.encodedBytes(challenge), device.biometric)
        return token(Self.proofGrant + proof, nonce: nonce, by: device)
    }

    package mutating func refresh(
        _ token: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, by device: BenchDevice
    ) -> ByteBuffer {
        self.token(Self.refreshGrant + token, nonce: nonce, by: device)
    }

    package func hello() -> ByteBuffer {
        ByteBuffer(string: "GET /health HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }

    private mutating func token(_ form: [UInt8], nonce: ArraySlice<UInt8>, by device: BenchDevice) -> ByteBuffer {
        counter += 1
        let claims =
            #"{"bdy":"\#(Base64URL.encode(SHA256.hash(data: form)))","htm":"POST","htu":"\#(url)/v1/token","iat":\#(Int(Date().timeIntervalSince1970)),"jti":"\#(run)-\#(counter)-of-load","nonce":"\#(String(decoding: nonce, as: UTF8.self))"}"#
        let dpop = Self.signed(device.dpopHeader + Base64URL.encodedBytes(claims.utf8), device.session)
        return post("/v1/token", type: "application/x-www-form-urlencoded", dpop: dpop, body: form)
    }

    private func post(_ path: String, type: String, dpop: [UInt8]?, body: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(256 + (dpop?.count ?? 0) + body.count)
        buffer.writeString("POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n")
        if let dpop {
            buffer.writeString("DPoP: ")
            buffer.writeBytes(dpop)
            buffer.writeString("\r\n")
        }
        buffer.writeString("\r\n")
        buffer.writeBytes(body)
        return buffer
    }

    private static func signed(_ input: [UInt8], _ key: P256.Signing.PrivateKey) -> [UInt8] {
        guard let signature = try? key.signature(for: input) else { preconditionFailure("a key in memory always signs") }
        return input + [UInt8(ascii: ".")] + Base64URL.encodedBytes(signature.rawRepresentation)
    }

    private static let proofGrant = Array("grant_type=\(proofGrantType.replacing(":", with: "%3A"))&proof=".utf8)
    private static let refreshGrant = Array("grant_type=refresh_token&refresh_token=".utf8)
}

/// Complete sign-ins of devices picked at random: a challenge, then its proof for a token.
package struct SignInLoad: OpenLoop.Work {
    private let devices: [BenchDevice]
    private var requests: BenchRequests
    private var open: [(device: Int, challenge: ArraySlice<UInt8>?)] = []
    private var free: [Int] = []
    /// The challenges that were accepted, by their last 43 characters.
    package private(set) var accepted: [ArraySlice<UInt8>] = []
    /// The last refresh token of each device that has one.
    package private(set) var refreshTokens: [Int: [UInt8]] = [:]
    /// The last answer that was not as it should be.
    package private(set) var complaint: String?

    package init(_ devices: [BenchDevice], _ requests: BenchRequests) {
        self.devices = devices
        self.requests = requests
    }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? {
        let device = Int.random(in: 0..<devices.count)
        let ticket = free.popLast() ?? open.count
        if ticket == open.count { open.append((device, nil)) } else { open[ticket] = (device, nil) }
        return (ticket, requests.challenge(of: devices[device]))
    }

    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        let (device, challenge) = open[ticket]
        if challenge == nil, answer.status == 200, let challenge = answer.text("challenge"), !answer.nonce.isEmpty {
            open[ticket].challenge = ArraySlice(Array(challenge.suffix(43)))
            return .request(requests.redeem(challenge, nonce: answer.nonce, by: devices[device]))
        }
        free.append(ticket)
        guard let challenge, answer.status == 200, answer.text("access_token") != nil, let token = answer.text("refresh_token")
        else {
            complaint = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            return .failed
        }
        accepted.append(challenge)
        refreshTokens[device] = Array(token)
        return .done
    }

    package mutating func broke(_ ticket: Int) {
        free.append(ticket)
        complaint = "a connection broke"
    }
}

/// Refreshes, each device one at a time.
package struct RefreshLoad: OpenLoop.Work {
    private let devices: [BenchDevice]
    private var requests: BenchRequests
    private var tokens: [Int: [UInt8]]
    private var nonce: [UInt8]
    private var free: [Int]
    package private(set) var refreshed = 0
    package private(set) var complaint: String?

    package init(_ devices: [BenchDevice], tokens: [Int: [UInt8]], nonce: [UInt8], _ requests: BenchRequests) {
        self.devices = devices
        self.requests = requests
        self.tokens = tokens
        self.nonce = nonce
        free = Array(tokens.keys).shuffled()
    }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? {
        guard let device = free.popLast(), let token = tokens[device] else { return nil }
        return (device, requests.refresh(token[...], nonce: nonce[...], by: devices[device]))
    }

    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        if !answer.nonce.isEmpty { nonce = Array(answer.nonce) }
        guard answer.status == 200, let token = answer.text("refresh_token") else {
            complaint = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            return .failed
        }
        tokens[ticket] = Array(token)
        // Picked again at random, so that not only the last few are warm.
        free.insert(ticket, at: Int.random(in: 0...free.count))
        refreshed += 1
        return .done
    }

    package mutating func broke(_ ticket: Int) { complaint = "a connection broke" }
}

/// A route that does nothing.
package struct HelloLoad: OpenLoop.Work {
    private let request: ByteBuffer

    package init(_ requests: BenchRequests) { request = requests.hello() }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? { (0, request) }
    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        answer.status == 200 ? .done : .failed
    }
    package mutating func broke(_ ticket: Int) {}
}

extension OpenLoop.Answer {
    /// A member of the body that is a text without escapes.
    fileprivate func text(_ name: String) -> ArraySlice<UInt8>? {
        let key = Array("\"\(name)\":\"".utf8)
        var at = body.startIndex
        while let quote = body[at...].firstIndex(of: UInt8(ascii: "\"")) {
            if body[quote...].starts(with: key) {
                let start = quote + key.count
                return body[start...].firstIndex(of: UInt8(ascii: "\"")).map { body[start..<$0] }
            }
            at = quote + 1
        }
        return nil
    }
}
#endif
