import SwiftASN1
import ThumbturnCore

/// The path from a root to the certificate that attests a key, by the rules of Google's verifier.
///
/// RFC 5280 cannot be applied: of 99 public chains of real devices, 31 have an attestation certificate that says it is no
/// authority, and most have certificates that are expired. To check neither would let an owner of an attested key sign a
/// certificate with a made-up description and put it in front. So the path is a fixed one,
///
///     root > [factory intermediate | RKP intermediate > RKP server] > attestation certificate > target
///
/// and the target is the first certificate with a key description, counted from the root. Nothing may follow it.
struct AndroidPath {
    /// The deviations that attestation certificates of real devices need.
    static let leniency: DERLeniency = [.algorithmNull, .booleanOne, .unordered, .unreadableExtensions]
    /// The extension that Google's servers put into certificates that they issue (CBOR, not read here).
    static let provisioningInfo: ASN1ObjectIdentifier = "1.3.6.1.4.1.11129.2.1.30"

    /// The root.
    let anchor: TrustAnchor
    /// The certificate that attests the key.
    let target: Certificate
    /// The certificate whose key signed it.
    let attestation: Certificate
    /// How the attestation key came into the device.
    let provisioning: AndroidProvisioning
    /// The value of the key description's extension.
    let description: [UInt8]

    /// Verifies a chain, the target first, with or without its root.
    ///
    /// - Throws: `untrustedRoot`, `brokenChain`, `unsupported`, `noKeyDescription`, `chainExtended`, `unknownPath`,
    ///   `notYetValid`, `expired`.
    init(
        _ chain: [Certificate], to anchors: [TrustAnchor], at now: UnixTime, knowing known: inout KnownIssuers
    ) throws(EvidenceRefusal) {
        let path = try AnchoredPath(chain, to: anchors, knowing: known)
        for position in path.certificates.indices.reversed() { try path.checkIssuer(of: position, knowing: known) }

        // A root is no target; if it had the extension, it would change nothing.
        guard let first = path.certificates.lastIndex(where: { $0.extension(KeyDescription.id) != nil }),
            let description = path.certificates[first].extension(KeyDescription.id)
        else { throw EvidenceRefusal(.noKeyDescription, "no certificate of the chain has a key description") }
        guard first == 0 else {
            throw EvidenceRefusal(.chainExtended, "\(first) certificates follow the one that attests")
        }
        guard path.certificates.count > 1 else {
            throw EvidenceRefusal(.unknownPath, "the root itself issued the certificate with the key description")
        }
        let attestation = path.certificates[1]
        let isRemote = attestation.extension(Self.provisioningInfo) != nil
        switch path.certificates.count {
        case 4 where isRemote: provisioning = .remote
        // Google's verifier takes these too. What its servers issued is renewed, so that its dates count.
        case 3: provisioning = isRemote ? .remote : .factory
        case 2: provisioning = isRemote ? .remote : .none
        case let count:
            let without = isRemote ? "with" : "without"
            throw EvidenceRefusal(.unknownPath, "\(count) certificates are below the root, \(without) provisioning information")
        }
        // The target's dates are set by the device, whose clock proves nothing; many start in 1970. Certificates of the
        // factory cannot be renewed, so that their end has no meaning either.
        for position in path.certificates.indices.dropFirst().reversed() {
            switch provisioning {
            case .remote: try path.certificates[position].checkDates(at: now, position)
            case .factory, .none: try path.certificates[position].checkStarted(at: now, position)
            }
        }
        // The attestation certificate belongs to one device or to one batch of them, those above it to many.
        path.remember(from: 2, in: &known)
        (anchor, target, self.attestation, self.description) = (path.anchor, path.certificates[0], attestation, description.value)
    }
}

/// How an Android device got the key that signs its attestations.
public enum AndroidProvisioning: String, Hashable, Sendable, Codable, CaseIterable {
    /// In the factory: the certificates live as long as the device.
    case factory
    /// From Google's servers (Remote Key Provisioning): the certificates live for some weeks.
    case remote
    /// Neither: the root issued the attestation certificate itself, as for attestations in software.
    case none
}

extension Certificate {
    /// The security level that an attestation certificate's name claims: a title (factory) or an organization (remote) of
    /// `TEE` or `StrongBox`. Nil where it claims none.
    var claimedLevel: AndroidSecurityLevel? {
        for attribute in subjectAttributes where attribute.id == .title || attribute.id == .organization {
            switch attribute.value {
            case Array("TEE".utf8): return .trustedEnvironment
            case Array("StrongBox".utf8): return .strongBox
            default: continue
            }
        }
        return nil
    }

    /// The attributes of the subject's name with the content of their values; empty where it has another form.
    private var subjectAttributes: [(id: ASN1ObjectIdentifier, value: [UInt8])] {
        var found: [(ASN1ObjectIdentifier, [UInt8])] = []
        guard var sets = try? StrictDER.parse(subject, "a name").members(of: "a name") else { return [] }
        while let set = sets.next() {
            guard var pairs = try? set.members(.set, of: "a name") else { return [] }
            while let pair = pairs.next() {
                guard var members = try? pair.members(of: "an attribute"), let id = try? members.take().oid("an attribute"),
                    let value = members.next(), case .primitive(let bytes) = value.content
                else { return [] }
                found.append((id, Array(bytes)))
            }
        }
        return found
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let title = NameAttributes.title
    fileprivate static let organization = NameAttributes.organizationName
}
