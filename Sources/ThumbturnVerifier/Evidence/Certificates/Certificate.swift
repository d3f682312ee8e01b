package import SwiftASN1
package import ThumbturnCore

/// One X.509 certificate (RFC 5280 section 4.1) of version 3. What it says is unproved until a path is verified.
package struct Certificate: Hashable, Sendable {
    /// The most bytes of a certificate. The largest of real devices, with an RSA key of 4096 bits, have about 2 KiB.
    package static let largest = 8 * 1024
    /// The most extensions of a certificate.
    static let mostExtensions = 32

    /// The whole certificate.
    package let der: [UInt8]
    /// The part that is signed.
    package let tbs: [UInt8]
    /// The content of the serial number's INTEGER.
    package let serial: [UInt8]
    /// The issuer's name in DER.
    package let issuer: [UInt8]
    /// The subject's name in DER.
    package let subject: [UInt8]
    /// The first second at which it is valid.
    package let notBefore: UnixTime
    /// The last second at which it is valid.
    package let notAfter: UnixTime
    /// The SubjectPublicKeyInfo in DER.
    package let spki: [UInt8]
    /// The subject's key.
    package let publicKey: CertificateKey
    /// The algorithm of `signature`.
    package let signatureAlgorithm: SignatureAlgorithm
    /// The issuer's signature over `tbs`.
    package let signature: [UInt8]
    /// The extensions in their order, each identifier once.
    package let extensions: [Extension]
    /// Whether it says that it is a certificate authority (basicConstraints, RFC 5280 section 4.2.1.9).
    package let isAuthority: Bool
    /// How many authorities may follow below it; nil for any number.
    package let pathLength: Int?
    /// What its key may be used for; nil where it does not say (RFC 5280 section 4.2.1.3).
    package let keyUsage: KeyUsage?

    /// An extension (RFC 5280 section 4.2).
    package struct Extension: Hashable, Sendable {
        /// What kind of extension it is.
        package let id: ASN1ObjectIdentifier
        /// Whether a reader that does not know it must refuse the certificate.
        package let isCritical: Bool
        /// The content of its OCTET STRING.
        package let value: [UInt8]
    }

    /// What a key may be used for, as the first byte of the bit string.
    package struct KeyUsage: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Signatures other than those of certificates and revocation lists.
        package static let digitalSignature = KeyUsage(rawValue: 0x80)
        /// Encryption of keys: the endorsement key of a TPM.
        package static let keyEncipherment = KeyUsage(rawValue: 0x20)
        /// Signatures of certificates.
        package static let keyCertSign = KeyUsage(rawValue: 0x04)
    }

    /// Reads a certificate. Throws `tooLarge`, `malformed`, `weakKey`, or `unsupported` for another version than 3.
    package init(der: [UInt8], _ leniency: DERLeniency = .none) throws(EvidenceRefusal) {
        guard der.count <= Self.largest else {
            throw EvidenceRefusal(.tooLarge, "a certificate has \(der.count) bytes, more than \(Self.largest)")
        }
        var whole = try StrictDER.parse(der, "a certificate").members(of: "a certificate")
        let (signed, algorithm, bits) = (try whole.take(), try whole.take(), try whole.take())
        try whole.end()

        var members = try signed.members(of: "a certificate's signed part")
        let version = try members.takeIf(.context(0))?.tagged(.context(0), "the version").integer("the version")
        guard version == 2 else {
            throw EvidenceRefusal(.unsupported, "a certificate has the version \((version ?? 0) + 1), not 3")
        }
        serial = Array(try members.take().integerBytes("the serial number"))
        let innerAlgorithm = try members.take()
        guard innerAlgorithm.encodedBytes.elementsEqual(algorithm.encodedBytes) else {
            throw EvidenceRefusal(.malformed, "a certificate names two algorithms for its one signature")
        }
        issuer = try Self.name(members.take(), "the issuer's name")
        var validity = try members.take().members(of: "the validity")
        notBefore = try CertificateTime.read(validity.take(), "the start of the validity")
        notAfter = try CertificateTime.read(validity.take(), "the end of the validity")
        try validity.end()
        subject = try Self.name(members.take(), "the subject's name")
        let key = try members.take()
        (spki, publicKey) = (Array(key.encodedBytes), try CertificateKey(spki: key))
        // The unique identifiers of issuer and subject, which have no meaning here.
        _ = members.takeIf(.context(1))
        _ = members.takeIf(.context(2))
        extensions = try Self.extensions(members.takeIf(.context(3)), leniency)
        try members.end()

        self.der = der
        tbs = Array(signed.encodedBytes)
        signatureAlgorithm = try SignatureAlgorithm(algorithm, leniency)
        signature = Array(try bits.wholeBytes("the signature"))
        let isStrict = !leniency.contains(.unreadableExtensions)
        do throws(EvidenceRefusal) {
            (isAuthority, pathLength) = try Self.constraints(extensions, leniency)
        } catch {
            guard !isStrict else { throw error }
            (isAuthority, pathLength) = (false, nil)
        }
        do throws(EvidenceRefusal) {
            keyUsage = try Self.keyUsage(extensions)
        } catch {
            guard !isStrict else { throw error }
            keyUsage = []
        }
    }

    /// The extension with an identifier; nil where there is none.
    package func `extension`(_ id: ASN1ObjectIdentifier) -> Extension? { extensions.first { $0.id == id } }

    /// Whether its key may sign certificates: keyUsage says so, or is absent.
    package var maySignCertificates: Bool { keyUsage?.contains(.keyCertSign) ?? true }

    /// Whether issuer and subject have the same name, as in a root.
    package var isSelfIssued: Bool { issuer == subject }

    /// Whether this key made the certificate's signature.
    package func isSigned(by key: CertificateKey) -> Bool { key.isValid(signature, signatureAlgorithm, for: tbs) }

    /// The serial number in lower-case hexadecimal without leading zeros, as status lists name it.
    package var serialText: String {
        let digits = serial.lazy.flatMap { [Self.hexadecimal[Int($0 >> 4)], Self.hexadecimal[Int($0 & 15)]] }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        return significant.isEmpty ? "0" : String(decoding: Array(significant), as: UTF8.self)
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Whether two certificates have the same bytes.
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.der == rhs.der }
    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
