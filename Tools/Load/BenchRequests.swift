#if Tools
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
package import NIOCore
import ThumbturnCore
import ThumbturnMessages

/// Builds the requests of `BenchDevice`s and of the back end as bytes.
package struct BenchRequests: Sendable {
    private let url: String
    private let host: String
    private var counter = 0
    private let run = UInt32.random(in: 0 ... .max)

    /// - Parameter url: the public address without a trailing slash.
    package init(url: String, host: String) {
        self.url = url
        self.host = host
    }

    /// A copy for another load, which makes proofs with other `jti`s.
    var forAnotherLoad: BenchRequests { BenchRequests(url: url, host: host) }

    package func challenge(of device: BenchDevice) -> ByteBuffer {
        request("POST", "/v1/challenges", type: "application/json", [], body: device.challengeBody)
    }

    package mutating func redeem(
        _ challenge: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, by device: BenchDevice
    ) -> ByteBuffer {
        token(Self.proofGrant + Self.proof(challenge, by: device), nonce: nonce, by: device)
    }

    package mutating func refresh(
        _ token: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, by device: BenchDevice
    ) -> ByteBuffer {
        self.token(Self.refreshGrant + token, nonce: nonce, by: device)
    }

    /// A batch of reports of unlocks with a write key.
    func telemetry(_ batch: [UInt8], key: String) -> ByteBuffer {
        request(
            "POST", "/v1/telemetry", type: "application/json", [("Authorization", Array("Bearer \(key)".utf8))], body: batch)
    }

    package func hello() -> ByteBuffer {
        ByteBuffer(string: "GET /health HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }

    /// A request with a DPoP proof by the device's session key, and with a JSON body unless it is a GET.
    mutating func send(
        _ method: String, _ path: String, _ json: [UInt8] = [], nonce: ArraySlice<UInt8>, by device: BenchDevice
    ) -> ByteBuffer {
        let dpop = dpop(method, path, json, nonce: nonce, by: device)
        return request(method, path, type: "application/json", [("DPoP", dpop)], body: json)
    }

    /// A request of a back end with its bound token.
    ///
    /// - Parameter key: the header `Idempotency-Key`.
    mutating func send(
        _ path: String, _ json: [UInt8], token: [UInt8], key: [UInt8]? = nil, nonce: ArraySlice<UInt8>,
        by backEnd: BenchBackEnd
    ) -> ByteBuffer {
        let dpop = dpop("POST", path, json, nonce: nonce, token: token, by: backEnd.signer)
        let headers =
            [("Authorization", Self.scheme + token), ("DPoP", dpop)] + (key.map { [("Idempotency-Key", $0)] } ?? [])
        return request("POST", path, type: "application/json", headers, body: json)
    }

    /// A device's proof over a challenge: a compact JWS by its biometric key.
    static func proof(_ challenge: ArraySlice<UInt8>, by device: BenchDevice) -> [UInt8] {
        signed(device.proofHeader + Base64URL.encodedBytes(challenge), device.biometric)
    }

    private mutating func token(_ form: [UInt8], nonce: ArraySlice<UInt8>, by device: BenchDevice) -> ByteBuffer {
        let dpop = dpop("POST", "/v1/token", form, nonce: nonce, by: device)
        return request("POST", "/v1/token", type: "application/x-www-form-urlencoded", [("DPoP", dpop)], body: form)
    }

    private mutating func dpop(
        _ method: String, _ path: String, _ body: [UInt8], nonce: ArraySlice<UInt8>, token: [UInt8]? = nil,
        by device: BenchDevice
    ) -> [UInt8] {
        counter += 1
        let bdy = method == "GET" ? "" : #""bdy":"\#(Base64URL.encode(SHA256.hash(data: body)))","#
        let ath = token.map { #""ath":"\#(Base64URL.encode(SHA256.hash(data: $0)))","# } ?? ""
        let now = Int(Date().timeIntervalSince1970)
        let claims = #"""
            {\#(ath)\#(bdy)"htm":"\#(method)","htu":"\#(url)\#(path)","iat":\#(now),"jti":"\#(run)-\#(counter)-of-load",\#
            "nonce":"\#(String(decoding: nonce, as: UTF8.self))"}
            """#
        return Self.signed(device.dpopHeader + Base64URL.encodedBytes(claims.utf8), device.session)
    }

    func request(
        _ method: String, _ path: String, type: String, _ headers: [(name: String, value: [UInt8])], body: [UInt8]
    ) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(256 + headers.reduce(0) { $0 + $1.value.count } + body.count)
        buffer.writeString("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n")
        if method != "GET" { buffer.writeString("Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n") }
        for (name, value) in headers {
            buffer.writeString("\(name): ")
            buffer.writeBytes(value)
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
    private static let scheme = Array("DPoP ".utf8)
    private static let refreshGrant = Array("grant_type=refresh_token&refresh_token=".utf8)
}
#endif
