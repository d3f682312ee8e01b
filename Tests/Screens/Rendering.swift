public import Gallery
public import SwiftUI
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnUI

/// Evaluates an exhibit until its state is reached, in virtual time.
@MainActor public enum Rendering {
    /// What the exhibit shows in its state.
    ///
    /// - Parameter environment: the environment, such as another language or direction.
    public static func shown(
        _ exhibit: Exhibit, in environment: EnvironmentValues = EnvironmentValues()
    ) async throws -> Shown {
        let clock = VirtualClock()
        return try await clock.run(mainActorToo: true) { @MainActor in
            let (view, phone) = try await exhibit.view(clock: clock)
            let host = ViewHost(view, environment: environment, executor: clock.executor)
            defer { host.close() }
            try await pass(.milliseconds(1), clock, host)
            for act in exhibit.acts {
                switch act {
                case .wait(let time): try await pass(time, clock, host)
                case .tap(let number):
                    let taps = taps(host.shown)
                    guard taps.indices.contains(number) else { throw NothingToTap(exhibit: exhibit.id, shown: host.shown.text()) }
                    Work.$executor.withValue(clock.executor) { taps[number]() }
                case .type(let digits): for digit in digits { host.press(digit) }
                case .becomeInactive: phone.becomeInactive()
                }
                _ = host.shown
            }
            return host.shown
        }
    }

    struct NothingToTap: Error {
        let exhibit: String
        let shown: String
    }

    /// What can be tapped, in reading order.
    private static func taps(_ shown: Shown) -> [@MainActor () -> Void] {
        (shown.tap.map { [$0] } ?? []) + shown.children.flatMap(taps)
    }

    /// Time passes, and the view is evaluated meanwhile, as a screen is drawn.
    private static func pass(_ time: Duration, _ clock: VirtualClock, _ host: ViewHost) async throws {
        let end = clock.now.advanced(by: time)
        while clock.now < end {
            _ = host.shown
            let left = clock.now.duration(to: end)
            try await clock.sleep(until: clock.now.advanced(by: min(left, .milliseconds(100))))
        }
    }
}
