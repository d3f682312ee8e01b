package import SwiftASN1

/// The algorithm of a certificate's signature.
package enum SignatureAlgorithm: Hashable, Sendable {
    /// ECDSA with this hash (RFC 5758 section 3.2).
    case ecdsa(HashFunction)
    /// RSASSA-PKCS1-v1_5 with this hash (RFC 4055 section 5).
    case rsaPKCS1(HashFunction)
    /// An algorithm that no certificate here may use, SHA-1 among them.
    case other(ASN1ObjectIdentifier)

    /// The hash functions of certificates. SHA-1 is none of them.
    package enum HashFunction: Hashable, Sendable {
        case sha256, sha384, sha512
    }

    /// Reads an AlgorithmIdentifier (RFC 5280 section 4.1.1.2). The parameters of ECDSA are absent, those of RSA are NULL.
    init(_ node: ASN1Node, _ leniency: DERLeniency) throws(EvidenceRefusal) {
        let algorithm = try AlgorithmIdentifier(node, of: "the signature's algorithm")
        guard let known = Self.known[algorithm.oid] else {
            self = .other(algorithm.oid)
            return
        }
        self = known
        let isAsDemanded: Bool
        switch known {
        case .ecdsa: isAsDemanded = algorithm.parameters == nil || (algorithm.isNull && leniency.contains(.algorithmNull))
        case .rsaPKCS1: isAsDemanded = algorithm.isNull
        case .other: preconditionFailure("the table holds known algorithms")
        }
        guard isAsDemanded else {
            throw EvidenceRefusal(.malformed, "the signature's algorithm \(algorithm.oid) has other parameters than its own")
        }
    }

    private static let known: [ASN1ObjectIdentifier: SignatureAlgorithm] = [
        "1.2.840.10045.4.3.2": .ecdsa(.sha256),
        "1.2.840.10045.4.3.3": .ecdsa(.sha384),
        "1.2.840.10045.4.3.4": .ecdsa(.sha512),
        "1.2.840.113549.1.1.11": .rsaPKCS1(.sha256),
        "1.2.840.113549.1.1.12": .rsaPKCS1(.sha384),
        "1.2.840.113549.1.1.13": .rsaPKCS1(.sha512),
    ]
}

/// An algorithm and its parameters (RFC 5280 section 4.1.1.2).
struct AlgorithmIdentifier {
    let oid: ASN1ObjectIdentifier
    let parameters: ASN1Node?

    init(_ node: ASN1Node, of name: String) throws(EvidenceRefusal) {
        var members = try node.members(of: name)
        oid = try members.take().oid(name)
        parameters = members.next()
        try members.end()
    }

    var isNull: Bool {
        guard let parameters, parameters.identifier == .null, case .primitive(let content) = parameters.content else {
            return false
        }
        return content.isEmpty
    }
}
