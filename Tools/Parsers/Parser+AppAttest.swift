import ThumbturnTestKit
import ThumbturnVerifier

extension Parser {
    /// Any CBOR, with every leniency.
    static let cbor = Parser(
        "cbor", upTo: 64 * 1024,
        examples: [
            MintedCBOR.object([
                ("z", .array([.int(-1), .bytes([1, 2]), .simple(22), .raw([0xF9, 0x3C, 0])])), ("a", .tag(1, .unsigned(500))),
            ]).encoded
        ],
        hostile: { HostileInput.cbor($0) },
        accepts: { bytes in
            let limits = CBOR.Limits(bytes: 64 * 1024, items: 64 * 1024, members: 64 * 1024, depth: 16)
            guard let any = try? CBOR(bytes[...], [.anyOrder, .longHeads, .tags], within: limits) else { return false }
            let strict = try? CBOR(bytes[...], within: limits)
            precondition(strict.map { $0.bytes == any.bytes } ?? true, "what the strict reader reads is the same")
            return true
        }
    )

    /// The attestation object of App Attest, without its certificates.
    static let attestationObject = Parser(
        "attestation-object", upTo: AppAttestAttestationObject.largest,
        examples: [SampleAppAttest.mint.attestation],
        hostile: {
            let mint = SampleAppAttest.mint
            let (members, statement) = (mint.members, mint.statement)
            return HostileInput.cbor(
                in: [
                    { .object([members[0], members[1], ("authData", $0)]) },
                    { .object([members[0], ("attStmt", .object([("x5c", $0), statement[1]])), members[2]]) },
                    { .object([members[0], ("attStmt", .object([("x5c", .array([$0])), statement[1]])), members[2]]) },
                    { .object([members[0], ("attStmt", .object([statement[0], ("receipt", $0)])), members[2]]) },
                    { value in
                        var mint = mint
                        mint.credentialKey = .raw(value.encoded)
                        return .object([members[0], members[1], ("authData", .bytes(mint.authenticatorData))])
                    },
                    { value in
                        var mint = mint
                        mint.extensions = .raw(value.encoded)
                        return .object([members[0], members[1], ("authData", .bytes(mint.authenticatorData))])
                    },
                ], $0)
        },
        accepts: { (try? AppAttestAttestationObject($0)) != nil }
    )

    /// The assertion object of App Attest.
    static let assertionObject = Parser(
        "assertion-object", upTo: AppAttestAssertionObject.largest,
        examples: [SampleAppAttest.assertion.encoded],
        hostile: {
            let members = SampleAppAttest.assertion.members
            return HostileInput.cbor(
                in: [
                    { .object([members[0], ("authenticatorData", $0)]) }, { .object([("signature", $0), members[1]]) },
                    { value in
                        var assertion = SampleAppAttest.assertion
                        assertion.extensions = .raw(value.encoded)
                        return .object([members[0], ("authenticatorData", .bytes(assertion.authenticatorData))])
                    },
                ], $0)
        },
        accepts: { (try? AppAttestAssertionObject($0)) != nil }
    )
}

/// Minted evidence of App Attest, with the extensions of iOS 27.
enum SampleAppAttest {
    static let mint: AppAttestMint = {
        var mint = AppAttestMint(appID: "ABCDE12345.example.bank", clientDataHash: [UInt8](repeating: 7, count: 32))
        mint.extensions = launch
        return mint
    }()
    static let assertion: AppAttestMint.Assertion = {
        var assertion = mint.assertion(clientDataHash: [UInt8](repeating: 7, count: 32), counter: 1)
        assertion.extensions = launch
        return assertion
    }()

    private static let launch = AppAttestMint.launch(category: 4, bundleVersion: "1")
}
