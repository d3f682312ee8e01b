/// The certificates between a trusted root and the key, with the root that they lead to.
///
/// A chain may arrive with its root or without it. A root in the chain counts only if its key is that of an anchor: what a
/// root says about itself proves nothing.
struct AnchoredPath {
    /// The root.
    let anchor: TrustAnchor
    /// The name by which the root calls itself in the chain, or in the anchor where the chain lacks the root.
    private let rootName: [UInt8]
    /// The certificates below the root, the one about the key first; at least one.
    let certificates: [Certificate]
    /// Whether the root was found by its signature on the last certificate, which need not be verified again.
    private let isFoundBySignature: Bool

    /// Finds the root of a chain. Throws `untrustedRoot` where no anchor issued its last certificate.
    init(_ chain: [Certificate], to anchors: [TrustAnchor], knowing known: KnownIssuers) throws(EvidenceRefusal) {
        guard let last = chain.last else { throw EvidenceRefusal(.malformed, "the chain has no certificate") }
        if let anchor = anchors.first(where: { $0.spki == last.spki }) {
            guard chain.count > 1 else { throw EvidenceRefusal(.brokenChain, "the chain is the root alone") }
            (self.anchor, rootName, certificates) = (anchor, last.subject, Array(chain.dropLast()))
            isFoundBySignature = false
            return
        }
        let named = anchors.filter { $0.subject == last.issuer }
        // Where several roots have one name, the key decides. Where none fits, the first is as good for the refusal.
        let decides = named.count > 1 || last.isSelfIssued
        var signer: TrustAnchor?
        if decides { signer = named.first { known.has(last, signedBy: $0.spki) } ?? named.first { last.isSigned(by: $0.key) } }
        guard let first = named.first, signer != nil || !last.isSelfIssued else {
            throw EvidenceRefusal(
                .untrustedRoot, "no root of the policy issued the last of the \(chain.count) certificates")
        }
        (anchor, isFoundBySignature) = (signer ?? first, signer != nil)
        (rootName, certificates) = (first.subject, chain)
    }

    /// Checks that the certificate at a position is issued by the next one, or the last one by the root. Throws
    /// `brokenChain`, or `unsupported` for an algorithm that is not accepted.
    func checkIssuer(of position: Int, knowing known: KnownIssuers) throws(EvidenceRefusal) {
        let certificate = certificates[position]
        let issuer = issuer(of: position)
        guard certificate.issuer == issuer.name else {
            let next = position == certificates.count - 1 ? "the root" : "the next certificate"
            throw EvidenceRefusal(.brokenChain, "certificate \(position) has another issuer than \(next)")
        }
        if case .other(let algorithm) = certificate.signatureAlgorithm {
            throw EvidenceRefusal(.unsupported, "certificate \(position) is signed by the algorithm \(algorithm)")
        }
        let isProven = isFoundBySignature && position == certificates.count - 1
        guard isProven || known.has(certificate, signedBy: issuer.spki) || certificate.isSigned(by: issuer.key) else {
            throw EvidenceRefusal(.brokenChain, "the signature of certificate \(position) is not valid")
        }
    }

    /// Remembers the certificates from a position up to the root. To be called for a path that was accepted.
    func remember(from position: Int, in known: inout KnownIssuers) {
        for position in certificates.indices.dropFirst(position) {
            known.remember(certificates[position], signedBy: issuer(of: position).spki)
        }
    }

    private func issuer(of position: Int) -> (name: [UInt8], spki: [UInt8], key: CertificateKey) {
        guard position < certificates.count - 1 else { return (rootName, anchor.spki, anchor.key) }
        let next = certificates[position + 1]
        return (next.subject, next.spki, next.publicKey)
    }
}
