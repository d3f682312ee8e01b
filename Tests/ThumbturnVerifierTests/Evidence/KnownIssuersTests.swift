import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// What is remembered of one chain never makes another one good.
@Suite struct KnownIssuersTests {
    @Test("only the authorities of an accepted chain are remembered", arguments: AndroidMint.Form.allCases)
    func remembered(_ form: AndroidMint.Form) throws {
        var android = AndroidCase()
        android.mint.form = form
        let count: [AndroidMint.Form: Int] = [.direct: 0, .factory: 1, .remote: 2]
        let chain = android.mint.chain()
        var known = KnownIssuers()
        for _ in 0..<2 {
            var again = android
            again.editChain = { _ in chain }
            _ = try again.facts(knowing: &known)
            #expect(known.count == count[form])
        }
        for edit in Self.refused {
            var other = android
            edit(&other)
            var empty = KnownIssuers()
            #expect(evidenceRefusal { _ = try other.facts(knowing: &empty) } != nil)
            #expect(empty.count == 0)
        }
    }

    static let refused: [@Sendable (inout AndroidCase) -> Void] = [
        { $0.mint.editTarget = { $0.extensions = [] } }, { $0.mint.root = .root() },
        { $0.mint.editAttestation = { $0.notBefore = UnixTime(seconds: 2_000_000_000) } },
    ]

    @Test("a certificate that is remembered is judged like any other")
    func judged() throws {
        let past = UnixTime(seconds: 1_700_000_000)
        var android = AndroidCase()
        android.mint.form = .remote
        let chain = android.mint.chain()
        android.editChain = { _ in chain }
        var known = KnownIssuers()
        _ = try android.facts(knowing: &known)
        // Another time, other roots, another order, and each bit of an authority.
        #expect(evidenceRefusal { _ = try android.facts(at: past + .seconds(10_000_000_000), knowing: &known) } == .expired)
        #expect(evidenceRefusal { _ = try android.facts(to: [], knowing: &known) } == .untrustedRoot)
        let impostor = [try TrustAnchor(certificate: TestAuthority.root().certificate)]
        android.editChain = { _ in chain.dropLast() }
        #expect(evidenceRefusal { _ = try android.facts(to: impostor, knowing: &known) } == .brokenChain)
        for index in chain[3].indices {
            android.editChain = { _ in
                var chain = chain
                chain[3][index] ^= UInt8(1 << (index % 8))
                return chain
            }
            #expect(evidenceRefusal { _ = try android.facts(knowing: &known) } != nil, "byte \(index)")
        }
        android.editChain = { _ in chain }
        #expect(evidenceRefusal { _ = try android.facts(knowing: &known) } == nil)
        #expect(known.count == 2)
    }

    @Test func aKnownCertificateOfOneIssuerIsUnknownForAnother() throws {
        // Two issuers of one name: the second one did not sign what the first one did.
        let (one, two) = (TestAuthority.root(), TestAuthority.root())
        let authority = one.authority(named: "Authority")
        let leaf = authority.issue(MintedCertificate(named: "Leaf", spki: MintedKey.p256().spki))
        let chain = try CertificateChain.read([leaf, authority.certificate])
        var known = KnownIssuers()
        func judge(_ root: TestAuthority) throws {
            _ = try StrictPath.verify(
                chain, to: [TrustAnchor(certificate: root.certificate)], at: AndroidCase.now, knowing: &known)
        }
        try judge(one)
        #expect(known.count == 1)
        #expect(evidenceRefusal { try judge(two) } == .brokenChain)
        try judge(one)
    }

    @Test func copiesAreMerged() throws {
        var known = [KnownIssuers(), KnownIssuers()]
        for index in known.indices {
            var android = AndroidCase()
            android.mint.form = .remote
            _ = try android.facts(knowing: &known[index])
        }
        var all = known[0]
        all.merge(known[1])
        all.merge(known[1])
        #expect(all.count == 4)
    }

    @Test func beyondItsCapacityItBeginsAnew() throws {
        let (key, leafKey) = (MintedKey.p256(), MintedKey.p256())
        let root = TestAuthority.root(key: .p256())
        let anchors = [try TrustAnchor(certificate: root.certificate)]
        var known = KnownIssuers()
        for number in 0...KnownIssuers.capacity {
            #expect(known.count == number)
            let authority = root.authority(named: "\(number)", key: key)
            let leaf = authority.issue(MintedCertificate(named: "Leaf", spki: leafKey.spki))
            let chain = try CertificateChain.read([leaf, authority.certificate])
            _ = try StrictPath.verify(chain, to: anchors, at: AndroidCase.now, knowing: &known)
        }
        #expect(known.count == 1)
    }
}

extension AndroidCase {
    func facts(
        to roots: [TrustAnchor]? = nil, at now: UnixTime? = nil, knowing known: inout KnownIssuers
    ) throws -> AndroidKeyFacts {
        try AndroidKeyFacts(chain: editChain(mint.chain()), to: roots ?? policy.roots, at: now ?? self.now, knowing: &known)
    }
}
