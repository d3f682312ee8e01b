package import SwiftASN1
package import ThumbturnCore

/// The validation of a path by RFC 5280 section 6.1, for chains that follow it: those of Apple and of TPM vendors.
///
/// Policies and name constraints are not read: where they are critical, the certificate is refused.
package enum StrictPath {
    /// Verifies a chain, the certificate about the key first, with or without its root, and returns the root.
    ///
    /// - Parameters:
    ///   - anchors: the trusted roots. The dates of a root have no meaning.
    ///   - now: the time at which every certificate has to be valid.
    ///   - known: the authorities of chains that were accepted before; those of this one are added.
    ///   - handled: critical extensions of the certificate about the key that the caller reads itself.
    /// - Throws: the first check that failed, from the root to the key: `untrustedRoot`, `brokenChain`, `unsupported`,
    ///   `notYetValid`, `expired`, `unknownCriticalExtension`, `notAnAuthority`.
    package static func verify(
        _ chain: [Certificate], to anchors: [TrustAnchor], at now: UnixTime, knowing known: inout KnownIssuers,
        handling handled: Set<ASN1ObjectIdentifier> = []
    ) throws(EvidenceRefusal) -> TrustAnchor {
        let path = try AnchoredPath(chain, to: anchors, knowing: known)
        // How many further authorities may follow below.
        var remaining = Int.max
        for position in path.certificates.indices.reversed() {
            let certificate = path.certificates[position]
            try path.checkIssuer(of: position, knowing: known)
            try certificate.checkDates(at: now, position)
            let critical = certificate.extensions.filter(\.isCritical).map(\.id)
            if let unknown = critical.first(where: { !readHere.contains($0) && !(position == 0 && handled.contains($0)) }) {
                throw EvidenceRefusal(
                    .unknownCriticalExtension, "certificate \(position) has the critical extension \(unknown)")
            }
            guard position > 0 else { break }
            guard certificate.isAuthority, certificate.maySignCertificates else {
                throw EvidenceRefusal(.notAnAuthority, "certificate \(position) issues another one and may not")
            }
            if !certificate.isSelfIssued {
                guard remaining > 0 else {
                    throw EvidenceRefusal(.notAnAuthority, "certificate \(position) is below the path length of another one")
                }
                remaining -= 1
            }
            remaining = min(remaining, certificate.pathLength ?? .max)
        }
        path.remember(from: 1, in: &known)
        return path.anchor
    }

    /// Verifies a chain without knowledge of others.
    package static func verify(
        _ chain: [Certificate], to anchors: [TrustAnchor], at now: UnixTime, handling handled: Set<ASN1ObjectIdentifier> = []
    ) throws(EvidenceRefusal) -> TrustAnchor {
        var known = KnownIssuers()
        return try verify(chain, to: anchors, at: now, knowing: &known, handling: handled)
    }

    private static let readHere: Set<ASN1ObjectIdentifier> = [.basicConstraints, .keyUsage]
}

extension Certificate {
    /// Throws `notYetValid` or `expired` at a time outside its validity.
    func checkDates(at now: UnixTime, _ position: Int) throws(EvidenceRefusal) {
        try checkStarted(at: now, position)
        guard now <= notAfter else {
            throw EvidenceRefusal(.expired, "certificate \(position) was valid until \(notAfter), and now is \(now)")
        }
    }

    /// Throws `notYetValid` at a time before its validity.
    func checkStarted(at now: UnixTime, _ position: Int) throws(EvidenceRefusal) {
        guard now >= notBefore else {
            throw EvidenceRefusal(.notYetValid, "certificate \(position) is valid from \(notBefore), and now is \(now)")
        }
    }
}
