/// A place in the order of what happened on one screen of one process: the beginning of an ask, or an act that ends the
/// worth of earlier asks. It is never stored.
package struct Tick: Hashable, Sendable, Comparable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    package static func < (lhs: Tick, rhs: Tick) -> Bool { lhs.number < rhs.number }
}
