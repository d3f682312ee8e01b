import Crypto
import Testing
import TestSupport
import ThumbturnCore
import ThumbturnMessages

@testable import ThumbturnMatcher

@Suite struct TPMBytesTests {
    private func area() throws -> TPMPublicArea {
        let key = try #require(PublicKey(x963: Array(P256.Signing.PrivateKey().publicKey.x963Representation)))
        var area = TPMPublicArea(verifying: key)
        area.policy = [UInt8](repeating: 9, count: 32)
        return area
    }

    @Test func aPublicAreaSurvivesItsWireForm() throws {
        let area = try area()
        #expect(TPMPublicArea(area.bytes) == area)
        #expect(TPMPublicArea(TPMPublicArea.storageRoot.bytes) == .storageRoot)
        #expect(area.name.count == 34)
    }

    @Test func everyShorterOrLongerFormIsRefused() throws {
        let bytes = try area().bytes
        for count in 0..<bytes.count { #expect(TPMPublicArea(Array(bytes.prefix(count))) == nil, "\(count) bytes") }
        #expect(TPMPublicArea(bytes + [0]) == nil)
    }

    @Test func anotherKindOfKeyIsRefused() throws {
        let bytes = try area().bytes
        // The offsets of the type, hash, scheme, scheme's hash, curve and derivation, after the attributes and the policy.
        for offset in [1, 3, 43, 45, 47, 49, 51] {
            var other = bytes
            other[offset] ^= 1
            #expect(TPMPublicArea(other) == nil, "byte \(offset)")
        }
    }

    @Test func aTemplateHasNoPublicKey() {
        #expect(TPMPublicArea.session.publicKey == nil)
    }

    /// TPM 2.0 Library, part 3, section 23. The expected digest is computed here for a policy with one command code.
    @Test func aPolicyHashesItsSteps() {
        let zeros = [UInt8](repeating: 0, count: 32)
        let expected = Array(SHA256.hash(data: zeros + [0, 0, 0x01, 0x6C, 0, 0, 0x01, 0x49]))
        #expect(TPMKeyPolicy().command(0x149).digest == expected)
        let one = TPMKeyPolicy().signed(by: [1], reference: [2]).counter([3], equals: 4)
        #expect(one != TPMKeyPolicy().counter([3], equals: 4).signed(by: [1], reference: [2]), "the order matters")
        #expect(one != TPMKeyPolicy().signed(by: [1], reference: [2]).counter([3], equals: 5))
        #expect(one != TPMKeyPolicy().secret(of: [1], reference: [2]).counter([3], equals: 4))
    }

    @Test(
        arguments: [
            (0x98E, TPMError.Meaning.wrongValue), (0x9A2, .wrongValue), (0x12F, .blocked), (0x921, .lockedOut),
            (0x126, .counterMoved),
            (0x5DB, .notAuthorized), (0x9D, .notAuthorized), (0x99D, .notAuthorized), (0x1A3, .expired), (0x18B, .missing),
            (0x1DF, .foreign), (0x902, .busy), (0x903, .busy), (0x922, .busy), (0x100, .unreachable), (0xA000A, .unreachable),
            (0x7000D, .unreachable), (0x101, .other), (0x2C2, .other), (0x14B, .other),
        ] as [(UInt32, TPMError.Meaning)]) func aResponseCodeHasOneMeaning(_ code: UInt32, _ meaning: TPMError.Meaning)
    {
        #expect(TPMError(code: code).meaning == meaning)
        #expect(TPMError(code: code).failure.status == .init(domain: "TPM", code: Int(code)), "the raw code is kept")
    }

    @Test func aTPMThatDoesNotAnswerNowSignsNoUserOut() {
        for code: UInt32 in [0xA000A, 0x100, 0x902, 0x922] {
            #expect(
                TPMError(code: code).failure
                    == Failure(.notYetReadable, status: .init(domain: "TPM", code: Int(code))))
        }
    }
}
