import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

extension Parser {
    /// One X.509 certificate, with all that Android's path accepts.
    static let certificate = Parser(
        "certificate", upTo: Certificate.largest,
        examples: SampleChain.factory.map { Array($0) },
        hostile: { HostileInput.certificates($0) },
        accepts: { bytes in
            let strict = try? Certificate(der: bytes)
            let lenient = try? Certificate(der: bytes, [.algorithmNull, .booleanOne, .unordered, .unreadableExtensions])
            precondition(strict == nil || strict == lenient, "what is read strictly is read in the same way leniently")
            return lenient != nil
        }
    )

    /// A chain of certificates, each behind its length in two bytes, with its path and its key description.
    static let certificateChain = Parser(
        "certificate-chain", upTo: 2 * CertificateChain.longest + CertificateChain.largest,
        examples: [SampleChain.joined(SampleChain.factory), SampleChain.joined(SampleChain.remote)],
        hostile: { size in
            let room = max(64, min(size / 4, Certificate.largest) - 2)
            return HostileInput.certificates(room).map { inner in
                HostileInput("4 certificates: \(inner.name)", SampleChain.joined([[UInt8]](repeating: inner.bytes, count: 4)))
            } + [
                HostileInput("empty certificates", SampleChain.joined([[UInt8]](repeating: [], count: size / 2))),
                HostileInput(
                    "many certificates", SampleChain.joined([[UInt8]](repeating: [0x30, 0x00], count: size / 4))),
            ]
        },
        accepts: { bytes in
            guard let chain = SampleChain.split(bytes) else { return false }
            return (try? AndroidKeyFacts(chain: chain, to: SampleChain.roots, at: SampleChain.now)) != nil
        }
    )

    /// What Android's secure hardware says about a key.
    static let keyDescription = Parser(
        "key-description", upTo: Certificate.largest,
        examples: [SampleChain.description.der],
        hostile: { HostileInput.keyDescriptions($0) },
        accepts: { bytes in
            let strict = try? KeyDescription(der: bytes)
            let lenient = try? KeyDescription(der: bytes, [.booleanOne, .unordered])
            precondition(strict == nil || strict == lenient, "what is read strictly is read in the same way leniently")
            return lenient != nil
        }
    )

    /// Google's list of revoked certificates.
    static let statusList = Parser(
        "status-list", upTo: AndroidStatusList.largest,
        examples: [
            Array(
                #"{"entries":{"c00fee":{"status":"REVOKED","reason":"KEY_COMPROMISE"},"12":{"status":"SUSPENDED"}}}"#.utf8)
        ],
        hostile: { size in
            HostileInput.json(in: [#"{"entries":…}"#, #"{"entries":{"c00fee":{"status":…}}}"#], size)
                + [
                    HostileInput(
                        "many entries",
                        #"{"entries":{"#
                            + (0..<max(1, (size - 14) / 26)).map { #""\#(0x10_0000 + $0)":{"status":"R"}"# }
                            .joined(separator: ",") + "}}")
                ]
        },
        accepts: { (try? AndroidStatusList(json: $0, fetched: UnixTime(seconds: 0))) != nil }
    )
}

/// Minted chains that are accepted.
enum SampleChain {
    static let now = UnixTime(seconds: 1_800_000_000)
    static let root = TestAuthority.root(key: keys[0])
    static let roots: [TrustAnchor] = {
        guard let anchor = try? TrustAnchor(certificate: root.certificate) else {
            preconditionFailure("a minted root is a certificate")
        }
        return [anchor]
    }()
    static let description = MintedKeyDescription(
        challenge: [UInt8](repeating: 9, count: 32),
        app: MintedApplication(package: "com.example.bank", signingDigest: [UInt8](repeating: 1, count: 32)))

    static let factory = mint(.factory).chain()
    static let remote = mint(.remote).chain()

    private static func mint(_ form: AndroidMint.Form) -> AndroidMint {
        var mint = AndroidMint(root: root, form: form, key: keys[1], description: description)
        (mint.intermediateKey, mint.serverKey, mint.attestationKey) = (keys[2], keys[3], keys[4])
        return mint
    }

    private static let keys: [MintedKey] = {
        var generator = SeededGenerator(seed: 1)
        return (0..<5).map { _ in MintedKey.p256(using: &generator) }
    }()

    /// Certificates in one text, each behind its length in two bytes.
    static func joined(_ chain: [[UInt8]]) -> [UInt8] {
        chain.flatMap { [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8(truncatingIfNeeded: $0.count)] + $0 }
    }

    /// The certificates of such a text; nil where a length lies.
    static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        var (chain, rest) = ([[UInt8]](), bytes[...])
        while rest.count >= 2 {
            let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            guard length <= rest.count else { return nil }
            chain.append(Array(rest.prefix(length)))
            rest.removeFirst(length)
        }
        return rest.isEmpty ? chain : nil
    }
}
