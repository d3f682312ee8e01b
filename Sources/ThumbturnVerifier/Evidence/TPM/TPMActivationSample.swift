import Foundation
import ThumbturnCore
import ThumbturnMessages

/// An attestation key that certifies its own creation, as test vectors and the tools of other verifiers write it:
/// `Public`, `CreateData`, `CreateAttestation` and `CreateSignature` in base64, and the case's name in `test`.
public struct TPMActivationSample: Sendable {
    /// The case's name.
    public let name: String
    private let parts: Parts

    /// The parts in base64; a part may be missing.
    private struct Parts: Decodable, Sendable {
        let test: String
        let `public`: String?
        let createData: String?
        let createAttestation: String?
        let createSignature: String?

        enum CodingKeys: String, CodingKey {
            case test
            case `public` = "Public"
            case createData = "CreateData"
            case createAttestation = "CreateAttestation"
            case createSignature = "CreateSignature"
        }
    }

    /// What is proved about a case.
    public struct Facts: Hashable, Sendable {
        /// The attestation key's name in hexadecimal: the algorithm of its hash, and the hash.
        public let name: String
        /// The firmware's version, as the TPM signed it.
        public let firmwareVersion: UInt64
        /// The hash that the key signed.
        public let hash: TPMHash
    }

    /// Reads a JSON array of cases.
    public static func read(json: [UInt8]) throws(EvidenceRefusal) -> [TPMActivationSample] {
        guard let all = try? WireJSON.decodeClaims([Parts].self, from: json) else {
            throw EvidenceRefusal(.malformed, "an array of cases with the member test is expected, in strict JSON")
        }
        return all.map { TPMActivationSample(name: $0.test, parts: $0) }
    }

    /// Verifies the case without a chain and without a credential: that the key has the attributes of an attestation key, and
    /// that it signed the statement about its own creation. Throws the first check that failed.
    public func verify(accepting hashes: Set<TPMHash>) throws(EvidenceRefusal) -> Facts {
        let key = try TPMPublic(try part(parts.public, "Public"))
        let signature = try TPMSignature(try part(parts.createSignature, "CreateSignature"))
        let creation = TPMCreation(
            of: key, data: try TPMCreationData(try part(parts.createData, "CreateData")),
            statement: try TPMAttest(try part(parts.createAttestation, "CreateAttestation")), signature: signature
        )
        try TPMAttributeRule.attestation.check(key.attributes)
        let statement = try creation.verify(by: key, boundTo: [], accepting: hashes)
        return Facts(name: Hex.text(key.name), firmwareVersion: statement.firmwareVersion, hash: signature.scheme.hash)
    }

    private func part(_ text: String?, _ name: String) throws(EvidenceRefusal) -> [UInt8] {
        guard let text else { throw EvidenceRefusal(.malformed, "the case has no \(name)") }
        guard let bytes = Data(base64Encoded: text) else { throw EvidenceRefusal(.malformed, "\(name) is not base64") }
        return Array(bytes)
    }
}
