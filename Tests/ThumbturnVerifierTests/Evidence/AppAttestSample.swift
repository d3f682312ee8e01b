import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// A real attestation with its assertions, from the outside test data.
struct AppAttestSample: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let appId: String
    let environment: AppAttestEnvironment
    let keyId: String
    let attestation: Data
    let attestationClientDataHash: Data
    let suggestedVerificationTime: String
    let leafNotBefore: String
    let leafNotAfter: String
    let publicKeyX962: Data
    let receiptLen: Int
    let assertions: [Assertion]
    var testDescription: String { name }

    struct Assertion: Decodable, Sendable {
        let assertion: Data
        let clientData: Data
        let counter: UInt32
    }

    static func all() throws -> [AppAttestSample] {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        let file = Vectors.folder.appendingPathComponent("veehaitch-devicecheck-appattest/normalized.json")
        return try decoder.decode([AppAttestSample].self, from: Data(contentsOf: file))
    }

    var time: UnixTime { Self.time(suggestedVerificationTime) }

    /// A time in UTC, without the fraction of its second.
    static func time(_ text: String) -> UnixTime {
        let date = try! Date(String(text.prefix(19)) + "Z", strategy: .iso8601)
        return UnixTime(seconds: Int64(date.timeIntervalSince1970))
    }

    var subject: AppAttestCase {
        AppAttestCase(
            attestation: Array(attestation), keyID: keyId, clientDataHash: Array(attestationClientDataHash),
            policy: AppAttestPolicy(appIDs: [appId], environment: environment, device: .mobile, launch: .notChecked), now: time)
    }
}

/// An attestation object in parts, and everything that it is judged by.
struct AppAttestCase: Sendable {
    var format: MintedCBOR
    var certificates: [[UInt8]]
    var receipt: [UInt8]
    var authenticatorData: [UInt8]
    /// Changes of the object after it was put together.
    var members: @Sendable ([(String, MintedCBOR)]) -> [(String, MintedCBOR)] = { $0 }
    var statement: @Sendable ([(String, MintedCBOR)]) -> [(String, MintedCBOR)] = { $0 }
    var bytes: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var keyID: String
    var clientDataHash: [UInt8]
    var policy: AppAttestPolicy
    var now: UnixTime

    /// Takes an object apart. Put together again it has the same bytes.
    init(attestation: [UInt8], keyID: String, clientDataHash: [UInt8], policy: AppAttestPolicy, now: UnixTime) {
        let limits = CBOR.Limits(bytes: 1 << 20, items: 1000, members: 100, depth: 8)
        let root = try! CBOR(attestation[...], within: limits).root
        format = .text(root[name: "fmt"]!.text!)
        certificates = root[name: "attStmt"]![name: "x5c"]!.elements!.map { Array($0.bytes!) }
        receipt = Array(root[name: "attStmt"]![name: "receipt"]!.bytes!)
        authenticatorData = Array(root[name: "authData"]!.bytes!)
        (self.keyID, self.clientDataHash, self.policy, self.now) = (keyID, clientDataHash, policy, now)
    }

    var object: [UInt8] {
        let statement = statement([("x5c", .array(certificates.map { .bytes($0) })), ("receipt", .bytes(receipt))])
        return bytes(
            MintedCBOR.object(
                members([("fmt", format), ("attStmt", .object(statement)), ("authData", .bytes(authenticatorData))])
            ).encoded)
    }

    func judge() throws -> AppAttestAttestation {
        try AppAttest.verify(
            attestation: object, keyID: keyID, clientDataHash: clientDataHash, policy: policy, at: now)
    }
}

/// One change of something that was accepted, and the reason for which it is refused then.
struct Mutation<Subject>: Sendable, CustomTestStringConvertible {
    let name: String
    let reason: EvidenceRefusal.Reason
    let change: @Sendable (inout Subject) -> Void
    var testDescription: String { name }

    init(_ name: String, _ reason: EvidenceRefusal.Reason, _ change: @escaping @Sendable (inout Subject) -> Void) {
        (self.name, self.reason, self.change) = (name, reason, change)
    }
}

extension Array where Element == UInt8 {
    /// One bit changed.
    mutating func flip(_ index: Int) { self[index < 0 ? count + index : index] ^= 1 }
}
