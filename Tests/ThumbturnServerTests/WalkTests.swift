#if Tools
import TestSupport
import Testing
import ThumbturnWalk

@Suite struct WalkTests {
    /// Every single action after every beginning, with the parts of others too, and what people do with the server is
    /// reached. `thumbturn-server walk` goes further.
    @Test("a walk of one action breaks no rule, and gets everywhere") func walk() async throws {
        let result = try await Walk(.init(depth: 1, mixing: 1, racing: 0)).run()
        #expect(result.violations.isEmpty, "\(result.violations.map(\.description).joined(separator: "\n"))")
        #expect(result.depth == 1)
        let ends = [
            "a sign-in", "the step-up new-recipient", "the step-up change-password", "approval 1", "approval 2", "set-pin",
            "change-pin", "remove-pin", "remove-biometric", "a full sign-in", "a list of approvals", "a declined approval",
            "a redeemed approval", "a withdrawn approval", "the operator restores the backup",
        ]
        for end in ends { #expect(result.ends[end] ?? 0 > 0, "never reached: \(end)") }
    }
}
#endif
