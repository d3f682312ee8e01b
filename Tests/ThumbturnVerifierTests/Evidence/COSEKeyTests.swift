import Crypto
import Testing
import ThumbturnTestKit
import ThumbturnVerifier

@Suite struct COSEKeyTests {
    private let point = Array(P256.Signing.PrivateKey().publicKey.x963Representation)

    private func members(_ changed: [Int64: MintedCBOR?] = [:]) -> [(key: MintedCBOR, value: MintedCBOR)] {
        let whole: [(Int64, MintedCBOR)] = [
            (1, .unsigned(2)), (3, .int(-7)), (-1, .unsigned(1)), (-2, .bytes(Array(point[1..<33]))),
            (-3, .bytes(Array(point[33...]))),
        ]
        return whole.compactMap { label, value in
            guard let change = changed[label] else { return (.int(label), value) }
            return change.map { (.int(label), $0) }
        }
    }

    private func refusal(_ item: MintedCBOR) -> EvidenceRefusal.Reason? {
        do throws(EvidenceRefusal) {
            #expect(try COSEKey.p256(try CBOR(item.encoded[...], within: COSEKey.limits).root).x963 == point)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func aKeyOnP256IsRead() { #expect(refusal(.map(members())) == nil) }

    @Test("another key is refused") func others() {
        let rows: [(Int64, MintedCBOR?, EvidenceRefusal.Reason)] = [
            (1, nil, .malformed), (3, nil, .malformed), (-1, nil, .malformed), (-2, nil, .malformed), (-3, nil, .malformed),
            (1, .unsigned(1), .weakKey), (1, .unsigned(3), .weakKey), (1, .text("EC2"), .weakKey),
            (3, .int(-35), .weakKey), (3, .int(-257), .weakKey), (3, .int(-8), .weakKey),
            (-1, .unsigned(2), .weakKey), (-1, .unsigned(8), .weakKey),
            (-2, .bytes([UInt8](point[1..<32])), .malformed), (-2, .bytes([0] + point[1..<33]), .malformed),
            (-3, .simple(20), .malformed), (-3, .simple(21), .malformed),
            (-3, .bytes([UInt8](repeating: 1, count: 32)), .weakKey),
        ]
        for (label, value, expected) in rows { #expect(refusal(.map(members([label: value]))) == expected, "\(label)") }
    }

    @Test func aKeyHasItsFiveMembersAndNoOther() {
        // The private half, a key id, and permitted uses.
        for further: (key: MintedCBOR, value: MintedCBOR) in [
            (.int(-4), .bytes([1])), (.int(2), .bytes([1])), (.int(4), .unsigned(2)),
        ] {
            #expect(refusal(.map(members() + [further])) == .malformed)
        }
        #expect(refusal(.map(members() + [(.int(-3), .bytes([1]))])) == .malformed)
        #expect(refusal(.map(members([-1: nil]) + [(.int(-3), .bytes(Array(point[33...])))])) == .malformed, "y twice")
        #expect(refusal(.array([])) == .malformed && refusal(.map([])) == .malformed)
    }
}
