import Testing

@testable import ThumbturnLinux
@testable import ThumbturnMatcher

@Suite struct EndorsementTemplateTests {
    @Test func anIndexEndsWithZerosOrOnesAfterItsCertificate() {
        let certificate: [UInt8] = [0x30, 0x82, 0x01, 0x02] + [UInt8](repeating: 7, count: 0x102)
        #expect(EndorsementTemplate.certificate(in: certificate) == certificate)
        for filling: UInt8 in [0, 0xFF] {
            #expect(
                EndorsementTemplate.certificate(in: certificate + [UInt8](repeating: filling, count: 700)) == certificate)
        }
        for count in 0..<certificate.count {
            #expect(EndorsementTemplate.certificate(in: Array(certificate.prefix(count))) == nil, "\(count) bytes")
        }
        #expect(EndorsementTemplate.certificate(in: [UInt8](repeating: 0xFF, count: 1024)) == nil)
        #expect(EndorsementTemplate.certificate(in: [UInt8](repeating: 0, count: 1024)) == nil)
    }

    @Test func aFileOfAnEarlierVersionHasNoCreation() throws {
        let earlier = #"{"guarded":{"none":{}},"parent":[1],"publicArea":\#(area),"sealed":[2]}"#
        let file = try TPMKeyFile(Array(earlier.utf8))
        #expect(file.creation == nil && file.guarded == .none)
        var later = file
        later.creation = TPMCreation(data: [1], hash: [UInt8](repeating: 2, count: 32), ticket: [3])
        #expect(try TPMKeyFile(try later.bytes) == later)
        later.creation?.hash = [2]
        #expect(throws: (any Error).self) { try TPMKeyFile(try later.bytes) }
        later.creation?.hash = [UInt8](repeating: 2, count: 32)
        later.creation?.ticket = [UInt8](repeating: 0, count: 129)
        #expect(throws: (any Error).self) { try TPMKeyFile(try later.bytes) }
    }

    private var area: [UInt8] { TPMPublicArea.session.bytes }
}
