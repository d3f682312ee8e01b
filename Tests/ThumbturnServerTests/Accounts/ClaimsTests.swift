#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnServer

/// Claims of the pages that were wrong once. Other tests show that the code does what they say now.
@Suite struct ClaimsTests {
    /// The text of a page, with one space in the place of each line break.
    private static func page(_ path: String) throws -> String {
        try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func theThrottleIsDescribedWithItsFigures() throws {
        let limits = ThrottleLimits.standard
        #expect(limits.longestWait == .seconds(3600) && limits.addressRefill == .seconds(30))
        #expect(limits.globalRefill == .seconds(1))
        let claim =
            "The throttle slows attempts for an account to one in an hour, for an address to one in 30 s, and for all "
            + "strangers together to one each second."
        #expect(try Self.page("SECURITY.md").contains(claim))
    }

    @Test(
        "a claim that was wrong stays right",
        arguments: [
            ("docs/http.md", "Keys cannot be added later."),
            ("docs/http.md", "What the backup does not know does not come back"),
            ("docs/policy.md", "a server without that option goes on as before"),
            ("docs/resource-servers.md", "On every request but GET also `bdy`"),
        ])
    func claims(_ page: String, _ claim: String) throws {
        #expect(try Self.page(page).contains(claim), "\(page): \(claim)")
    }
}
#endif
