import SwiftASN1
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// Chains that follow RFC 5280, and one change of each rule.
@Suite struct StrictPathTests {
    static let root = TestAuthority.root()
    static let anchors = [try! TrustAnchor(certificate: root.certificate)]
    static let rsa = MintedKey.rsa()
    let now = UnixTime(seconds: 1_800_000_000)

    /// A chain of a leaf, two authorities and the root, of which each part can be changed.
    struct Chain {
        var root = StrictPathTests.root
        var upperKey = MintedKey.p384()
        var lowerKey = MintedKey.p256()
        var leafKey = MintedKey.p256()
        var upper: (inout MintedCertificate) -> Void = { _ in }
        var lower: (inout MintedCertificate) -> Void = { _ in }
        var leaf: (inout MintedCertificate) -> Void = { _ in }
        var hasRoot = true

        var ders: [[UInt8]] {
            let upper = root.authority(named: "Upper", key: upperKey, edit: upper)
            let lower = upper.authority(named: "Lower", key: lowerKey, edit: lower)
            var certificate = MintedCertificate(named: "Leaf", spki: leafKey.spki, extensions: [.notAuthority, .signsData])
            leaf(&certificate)
            return [lower.issue(certificate), lower.certificate, upper.certificate] + (hasRoot ? [root.certificate] : [])
        }
    }

    func judge(
        _ ders: [[UInt8]], to anchors: [TrustAnchor] = anchors, at now: UnixTime? = nil, handling: Set<ASN1ObjectIdentifier> = []
    ) -> EvidenceRefusal.Reason? {
        evidenceRefusal {
            let chain = try CertificateChain.read(ders)
            let anchor = try StrictPath.verify(chain, to: anchors, at: now ?? self.now, handling: handling)
            #expect(anchors.contains(anchor))
        }
    }

    @Test("a chain is accepted with its root and without it, with keys of every kind", arguments: [true, false])
    func accepted(hasRoot: Bool) {
        for key in [MintedKey.p256(), .p384(), Self.rsa] {
            for hash in [MintedKey.HashFunction.sha256, .sha384, .sha512] {
                let chain = Chain(
                    upperKey: key, lowerKey: key, lower: { $0.algorithm = key.algorithm(hash) },
                    leaf: { $0.algorithm = key.algorithm(hash) }, hasRoot: hasRoot)
                #expect(judge(chain.ders) == nil)
            }
        }
    }

    @Test func theLeastChainIsOneCertificateBelowTheRoot() {
        let leaf = Self.root.issue(MintedCertificate(named: "Leaf", spki: MintedKey.p256().spki))
        #expect(judge([leaf]) == nil && judge([leaf, Self.root.certificate]) == nil)
        #expect(judge([Self.root.certificate]) == .brokenChain)
        #expect(judge([]) == .malformed)
    }

    static let longAgo = UnixTime(seconds: 1_700_000_000)

    /// A change of a chain, and why it is refused.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: EvidenceRefusal.Reason
        let apply: @Sendable (inout Chain) -> Void
        var testDescription: String { name }

        init(_ name: String, _ reason: EvidenceRefusal.Reason, _ apply: @escaping @Sendable (inout Chain) -> Void) {
            (self.name, self.reason, self.apply) = (name, reason, apply)
        }
    }

    static let changes = [
        Change("a root of the attacker's with the name of ours", .untrustedRoot) { $0.root = .root() },
        Change("the same without the root", .brokenChain) {
            $0.root = .root()
            $0.hasRoot = false
        },
        Change("a root with another name", .untrustedRoot) { $0.root = .root(named: "Other") },
        Change("another root that is left out", .untrustedRoot) {
            $0.root = .root(named: "Other")
            $0.hasRoot = false
        },
        Change("an issuer that is not the next subject", .brokenChain) {
            $0.leaf = { $0.issuer = MintedDER.name("Other") }
        },
        Change("an issuer in another encoding", .brokenChain) {
            $0.lower = { $0.issuer = MintedDER.name(["2.5.4.3": "Upper", "2.5.4.10": ""]) }
        },
        Change("a leaf that is expired", .expired) { $0.leaf = { $0.notAfter = longAgo } },
        Change("an authority that is expired", .expired) { $0.upper = { $0.notAfter = longAgo } },
        Change("a leaf that is not yet valid", .notYetValid) {
            $0.leaf = { $0.notBefore = UnixTime(seconds: 1_800_000_001) }
        },
        Change("an authority that is not yet valid", .notYetValid) {
            $0.lower = { $0.notBefore = UnixTime(seconds: 1_800_000_001) }
        },
        Change("an issuer without basicConstraints", .notAnAuthority) { $0.lower = { $0.extensions = [] } },
        Change("an issuer that says it is none", .notAnAuthority) { $0.lower = { $0.extensions = [.notAuthority] } },
        Change("an issuer whose key is for other signatures", .notAnAuthority) {
            $0.lower = { $0.extensions = [.authority(), .signsData] }
        },
        Change("an authority below a path length of 0", .notAnAuthority) {
            $0.upper = { $0.extensions = [.authority(pathLength: 0)] }
        },
        Change("a critical extension that is not known", .unknownCriticalExtension) {
            $0.leaf = { $0.extensions.append(MintedExtension("1.2.3.4", .yes, value: [5, 0])) }
        },
        Change("critical name constraints", .unknownCriticalExtension) {
            $0.upper = { $0.extensions.append(MintedExtension("2.5.29.30", .yes, value: [0x30, 0])) }
        },
        Change("an extension twice", .malformed) { $0.leaf = { $0.extensions += [.signsData] } },
        Change("too many extensions", .tooLarge) {
            $0.leaf = { $0.extensions += (0..<40).map { MintedExtension("1.2.3.\($0)", value: []) } }
        },
        Change("a signature with SHA-1", .unsupported) { chain in
            let key = chain.lowerKey
            chain.leaf = { $0.algorithm = key.algorithm(.sha1) }
        },
        Change("a signature by another hash than the one named", .brokenChain) { chain in
            var algorithm = chain.lowerKey.algorithm()
            algorithm.hash = .sha512
            let other = algorithm
            chain.leaf = { $0.algorithm = other }
        },
        Change("two algorithms for one signature", .malformed) { chain in
            let key = chain.lowerKey
            chain.leaf = { $0.innerAlgorithm = key.algorithm(.sha384) }
        },
        Change("an algorithm of the other kind of key", .brokenChain) { chain in
            chain.leaf = { $0.algorithm = rsa.algorithm() }
        },
        Change("NULL as parameter of ECDSA", .malformed) { chain in
            let key = chain.lowerKey
            chain.leaf = { $0.algorithm = key.algorithm().withNull }
        },
        Change("no parameter of RSA", .malformed) { chain in
            chain.lowerKey = rsa
            chain.leaf = { $0.algorithm = MintedAlgorithm(rsa.algorithm().id) }
        },
        Change("TRUE as 01", .malformed) { $0.upper = { $0.extensions = [.authority(pathLength: nil, .one)] } },
        Change("FALSE that is spelled out", .malformed) {
            $0.leaf = { $0.extensions = [MintedExtension("1.2.3", .explicitNo, value: [])] }
        },
        Change("version 1", .unsupported) { $0.upper = { $0.version = nil } },
        Change("version 2", .unsupported) { $0.leaf = { $0.version = 1 } },
        Change("a serial number with a needless byte", .malformed) { $0.leaf = { $0.serial = [0, 1] } },
        Change("an RSA key of 16 Kbit", .weakKey) {
            $0.leaf = { $0.spki = MintedKey.spki(modulus: [0x80] + [UInt8](repeating: 1, count: 2047)) }
        },
        Change("an RSA key of 2047 bits", .weakKey) {
            $0.leaf = { $0.spki = MintedKey.spki(modulus: [0x7F] + [UInt8](repeating: 1, count: 255)) }
        },
        Change("an RSA key with an even exponent", .weakKey) {
            $0.leaf = { $0.spki = MintedKey.spki(modulus: [0x80] + [UInt8](repeating: 1, count: 255), exponent: [4]) }
        },
        Change("an RSA key with a large exponent", .weakKey) {
            $0.leaf = {
                $0.spki = MintedKey.spki(modulus: [0x80] + [UInt8](repeating: 1, count: 255), exponent: [2, 0, 0, 0, 1])
            }
        },
        Change("a point that is not on its curve", .weakKey) { $0.leaf = { $0.spki[80] ^= 1 } },
    ]

    @Test("one change is refused for its own reason, and accepted when undone", arguments: changes)
    func changed(_ change: Change) {
        var chain = Chain()
        #expect(judge(chain.ders) == nil)
        change.apply(&chain)
        #expect(judge(chain.ders) == change.reason)
    }

    @Test func aCallerMayHandleACriticalExtension() {
        let chain = Chain(leaf: { $0.extensions.append(MintedExtension("1.2.3.4", .yes, value: [5, 0])) })
        #expect(judge(chain.ders, handling: ["1.2.3.4"]) == nil)
        #expect(judge(chain.ders, handling: ["1.2.3.5"]) == .unknownCriticalExtension)
        let above = Chain(lower: { $0.extensions.append(MintedExtension("1.2.3.4", .yes, value: [5, 0])) })
        #expect(judge(above.ders, handling: ["1.2.3.4"]) == .unknownCriticalExtension, "the caller reads the first one alone")
    }

    @Test func aPathLengthCountsAuthoritiesBelow() {
        #expect(judge(Chain(upper: { $0.extensions = [.authority(pathLength: 1)] }).ders) == nil)
        #expect(judge(Chain(lower: { $0.extensions = [.authority(pathLength: 0)] }).ders) == nil)
    }

    @Test func bothEndsOfTheValidityBelongToIt() {
        let chain = Chain(leaf: {
            ($0.notBefore, $0.notAfter) = (UnixTime(seconds: 1_800_000_000), UnixTime(seconds: 1_800_000_010))
        })
        let ders = chain.ders
        #expect(judge(ders, at: UnixTime(seconds: 1_799_999_999)) == .notYetValid)
        #expect(judge(ders, at: UnixTime(seconds: 1_800_000_000)) == nil)
        #expect(judge(ders, at: UnixTime(seconds: 1_800_000_010)) == nil)
        #expect(judge(ders, at: UnixTime(seconds: 1_800_000_011)) == .expired)
    }

    @Test func theDatesOfARootHaveNoMeaning() {
        let key = MintedKey.p384()
        let expired = TestAuthority.root(key: key) { $0.notAfter = Self.longAgo }
        #expect(judge(Chain(root: expired).ders, to: [try! TrustAnchor(certificate: expired.certificate)]) == nil)
        // Two issues of a root are one anchor.
        let renewed = TestAuthority.root(key: key)
        #expect(judge(Chain(root: expired).ders, to: [try! TrustAnchor(certificate: renewed.certificate)]) == nil)
    }

    @Test func aPolicyWithoutRootsTrustsNone() {
        #expect(judge(Chain().ders, to: []) == .untrustedRoot)
        #expect(judge(Chain().ders, to: [.appleAppAttest] + TrustAnchor.googleHardware) == .untrustedRoot)
    }

    @Test func ofTwoRootsWithOneNameTheKeyDecides() throws {
        let other = try TrustAnchor(certificate: TestAuthority.root().certificate)
        #expect(judge(Chain(hasRoot: false).ders, to: [other] + Self.anchors) == nil)
        #expect(judge(Chain(hasRoot: true).ders, to: [other] + Self.anchors) == nil)
        #expect(judge(Chain(hasRoot: false).ders, to: [other]) == .brokenChain)
    }

    @Test func longAndLargeChainsAreRefusedBeforeTheyAreRead() {
        let junk = [UInt8](repeating: 0xFF, count: 100)
        #expect(judge([[UInt8]](repeating: junk, count: 11)) == .chainTooLong)
        #expect(judge([[UInt8]](repeating: junk, count: 40)) == .chainTooLong)
        #expect(judge([[UInt8]](repeating: junk, count: 10)) == .malformed)
        #expect(judge([[UInt8](repeating: 0xFF, count: 8 * 1024 + 1)]) == .tooLarge)
        #expect(judge([[UInt8]](repeating: [UInt8](repeating: 0xFF, count: 8 * 1024), count: 9)) == .tooLarge)
    }

    @Test("each byte of a certificate counts: no change of one bit is accepted")
    func everyBit() {
        let ders = Chain(upperKey: .p256(), hasRoot: false).ders
        for index in ders[0].indices {
            var changed = ders
            changed[0][index] ^= UInt8(1 << (index % 8))
            #expect(judge(changed) != nil, "byte \(index)")
        }
    }

    @Test func nothingFollowsACertificate() {
        var ders = Chain().ders
        ders[0].append(0)
        #expect(judge(ders) == .malformed)
    }
}
