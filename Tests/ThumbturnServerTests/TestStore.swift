#if Tools
import Foundation
import ThumbturnServer

/// The store that tests of the port use: a file or, with THUMBTURN_TEST_STORE=memory, the one in memory. scripts/test runs
/// these tests on both.
enum TestStore {
    static let isInMemory = ProcessInfo.processInfo.environment["THUMBTURN_TEST_STORE"] == "memory"

    /// - Parameter folder: an empty folder, which a store in memory does not use.
    static func open(in folder: String, _ clock: TestClock) throws -> SQLStore {
        let time = NodeTime(clock.node)
        return isInMemory
            ? try SQLStore(inMemory: nil, time: time) : try SQLStore(path: folder + "/store.sqlite", time: time)
    }
}
#endif
