import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The limits of a back end's assertion, to the second and to the byte.
@Suite struct ClientAssertionTests {
    let key = TestKey()

    private static let jti = "0123456789abcdef"
    private static let header = #"{"alg":"ES256","typ":"JWT"}"#

    /// An assertion whose times are in seconds from now.
    private func assertion(
        iat: Int64 = 0, exp: Int64 = 60, jti: String = Self.jti, header: String = Self.header
    ) throws -> ClientAssertion {
        let times = #""iat":\#(now.seconds + iat),"exp":\#(now.seconds + exp)"#
        let payload = #"{"iss":"bank","sub":"bank","aud":"https://a.example","jti":"\#(jti)",\#(times)}"#
        return try ClientAssertion(key.sign(header: header, payload: payload))
    }

    private func judge(
        iat: Int64 = 0, exp: Int64 = 60, jti: String = Self.jti, header: String = Self.header
    ) -> VerificationError? {
        refusal {
            let assertion = try self.assertion(iat: iat, exp: exp, jti: jti, header: header)
            try assertion.verify(by: [key.verifying], audiences: ["https://a.example"], at: now)
        }
    }

    @Test func anIdHas8To128Bytes() {
        for (length, expected) in [(7, .malformed), (8, nil), (128, nil), (129, .malformed)] as [(Int, VerificationError?)] {
            #expect(judge(jti: String(repeating: "x", count: length)) == expected, "\(length)")
        }
    }

    @Test func itIsExpiredAtTheSecondOfItsExpiry() {
        #expect(judge(iat: -60, exp: 1) == nil)
        #expect(judge(iat: -60, exp: 0) == .expired)
    }

    @Test func itLivesForASecondAtLeast() {
        #expect(judge(iat: 29, exp: 30) == nil)
        #expect(judge(iat: 30, exp: 30) == .malformed)
        #expect(judge(iat: 31, exp: 30) == .malformed)
    }

    @Test func itsTypeMayBeAbsent() {
        #expect(judge(header: #"{"alg":"ES256"}"#) == nil)
        #expect(judge(header: #"{"alg":"ES256","typ":"at+jwt"}"#) == .wrongType)
    }

    @Test func itsReplayKeyIs16BytesOfClientAndId() throws {
        let (one, again) = (try assertion().replayKey, try assertion(exp: 90).replayKey)
        let other = try assertion(jti: "fedcba9876543210").replayKey
        #expect(one.count == 16 && one == again && one != other)
    }
}
