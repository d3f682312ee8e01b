#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import SwiftASN1

/// A certificate authority for tests. No default policy trusts its root.
public struct TestAuthority: Sendable {
    /// The key that it signs with.
    public let key: MintedKey
    /// Its name in DER.
    public let name: [UInt8]
    /// Its certificate in DER.
    public let certificate: [UInt8]

    init(key: MintedKey, name: [UInt8], certificate: [UInt8]) {
        (self.key, self.name, self.certificate) = (key, name, certificate)
    }

    /// An attacker's authority: any key with a certificate that need not be one of an authority.
    ///
    /// - Parameters:
    ///   - key: the key that it signs with.
    ///   - name: the common name that its certificate has.
    ///   - certificate: the certificate in DER.
    public init(key: MintedKey, named name: String, certificate: [UInt8]) {
        self.init(key: key, name: MintedDER.name(name), certificate: certificate)
    }

    /// A root, which signs its own certificate.
    ///
    /// - Parameters:
    ///   - name: its common name.
    ///   - key: its key.
    ///   - edit: changes of the certificate before it is signed.
    public static func root(
        named name: String = "Thumbturn Test Root", key: MintedKey = .p384(),
        edit: (inout MintedCertificate) -> Void = { _ in }
    ) -> TestAuthority {
        var certificate = MintedCertificate(named: name, spki: key.spki, extensions: [.authority(), .signsCertificates])
        edit(&certificate)
        return TestAuthority(
            key: key, name: certificate.subject, certificate: certificate.signed(by: key, named: certificate.subject))
    }

    /// An authority below this one.
    ///
    /// - Parameters:
    ///   - name: its common name.
    ///   - key: its key.
    ///   - edit: changes of the certificate before it is signed.
    public func authority(
        named name: String, key: MintedKey = .p256(), edit: (inout MintedCertificate) -> Void = { _ in }
    ) -> TestAuthority {
        var certificate = MintedCertificate(named: name, spki: key.spki, extensions: [.authority(), .signsCertificates])
        edit(&certificate)
        return TestAuthority(key: key, name: certificate.subject, certificate: issue(certificate))
    }

    /// A certificate in DER, signed by this authority.
    public func issue(_ certificate: MintedCertificate) -> [UInt8] { certificate.signed(by: key, named: name) }
}

extension TestAuthority {
    /// The certificate in PEM (RFC 7468 section 5), for a policy's file of roots.
    public var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: certificate).pemString + "\n" }
}

extension TestAuthority {
    /// The SHA-256 of its public key (SubjectPublicKeyInfo), by which operators accept a root.
    public var spkiSHA256: [UInt8] { Array(SHA256.hash(data: key.spki)) }
}
