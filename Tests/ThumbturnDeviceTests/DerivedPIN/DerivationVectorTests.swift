#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Testing
@testable import ThumbturnDevice

/// The standard constructions of the derived PIN key, against the vectors of their standards.
@Suite struct DerivationVectorTests {
    @Test("PBKDF2-HMAC-SHA-256: RFC 7914 section 11")
    func pbkdf2() {
        #expect(
            PBKDF2.sha256(Array("passwd".utf8), salt: Array("salt".utf8), rounds: 1, count: 64)
                == Vectors.bytes(
                    """
                    55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc
                    49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783
                    """
                )
        )
        #expect(
            PBKDF2.sha256(Array("Password".utf8), salt: Array("NaCl".utf8), rounds: 80000, count: 64)
                == Vectors.bytes(
                    """
                    4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56
                    a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
                    """
                )
        )
        #expect(PBKDF2.sha256([1], salt: [1], rounds: 0, count: 32) == nil)
        #expect(PBKDF2.sha256([1], salt: [1], rounds: 1, count: 0) == nil)
    }

    @Test("HKDF-SHA-256: RFC 5869 appendix A.1 to A.3")
    func hkdf() {
        let long = (UInt8(0)...0x4f).map { $0 }
        let table: [(ikm: [UInt8], salt: [UInt8], info: [UInt8], okm: String)] = [
            (
                [UInt8](repeating: 0x0b, count: 22), (UInt8(0)...12).map { $0 }, (UInt8(0xf0)...0xf9).map { $0 },
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                long, (UInt8(0x60)...0xaf).map { $0 }, (UInt8(0xb0)...0xff).map { $0 },
                """
                b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
                da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                """
            ),
            (
                [UInt8](repeating: 0x0b, count: 22), [], [],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ]
        for row in table {
            let okm = Vectors.bytes(row.okm)
            let derived = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: row.ikm), salt: row.salt, info: row.info, outputByteCount: okm.count
            )
            #expect(derived == SymmetricKey(data: okm))
        }
    }
}

enum Vectors {
    /// The bytes of hexadecimal digits; all other characters are ignored.
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}
