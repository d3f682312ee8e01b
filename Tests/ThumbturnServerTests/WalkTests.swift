#if Tools
import TestSupport
import Testing
import ThumbturnWalk

@Suite struct WalkTests {
    /// Every single action after every beginning, and what people do with the server is reached. `thumbturn-server walk`
    /// goes further, with the parts of others and two requests at once.
    @Test("a walk of one action breaks no rule, and gets everywhere") func walk() async throws {
        let result = try await Walk(.init(depth: 1, mixing: 0, racing: 0)).run()
        #expect(result.violations.isEmpty, "\(result.violations.map(\.description).joined(separator: "\n"))")
        #expect(result.depth == 1)
        for end in Walk.ends { #expect(result.ends[end] ?? 0 > 0, "never reached: \(end)") }
    }
}
#endif
