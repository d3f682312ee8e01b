#if Tools
import TestSupport
import Testing
import ThumbturnWalk

@Suite struct WalkTests {
    /// Every single action after the first two beginnings. scripts/test walks all of them by the command.
    @Test("a walk of one action breaks no rule") func walk() async throws {
        let result = try await Walk(.init(depth: 1, mixing: 0, racing: 0, beginnings: 2)).run()
        #expect(result.violations.isEmpty, "\(result.violations.map(\.description).joined(separator: "\n"))")
        #expect(result.depth == 1)
        for end in ["a sign-in", "approval 1", "set-pin", "change-pin", "a full sign-in", "a declined approval"] {
            #expect(result.ends[end] ?? 0 > 0, "never reached: \(end)")
        }
    }
}
#endif
