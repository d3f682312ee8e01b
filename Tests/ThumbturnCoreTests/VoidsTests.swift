import Testing
import ThumbturnCore

/// Which asks are still worth something.
@Suite struct VoidsTests {
    private enum Event: CaseIterable {
        case askOfAda, askOfBob, voidAda, voidBob, voidEverything
    }

    @Test("in every order of asks and voids an ask is live until the first void that reaches it")
    func everyOrder() {
        var orders: [[Event]] = [[]]
        var (live, void) = (0, 0)
        for _ in 0..<5 { orders = orders.flatMap { order in Event.allCases.map { order + [$0] } } }
        for order in orders {
            var voids = Voids()
            var asks: [(tick: Tick, asker: String, since: Int)] = []
            for (index, event) in order.enumerated() {
                switch event {
                case .askOfAda: asks.append((voids.next(), "ada", index))
                case .askOfBob: asks.append((voids.next(), "bob", index))
                case .voidAda: voids.void("ada")
                case .voidBob: voids.void("bob")
                case .voidEverything: voids.voidEverything()
                }
                for ask in asks {
                    let later = order[ask.since...index]
                    let isDismissed = later.contains(ask.asker == "ada" ? .voidAda : .voidBob)
                    let isLive = !isDismissed && !later.contains(.voidEverything)
                    #expect(voids.wasDismissed(ask.tick, of: ask.asker) == isDismissed)
                    #expect(voids.isLive(ask.tick, of: ask.asker) == isLive)
                    if isLive { live += 1 } else { void += 1 }
                }
            }
            #expect(asks.map(\.tick) == asks.map(\.tick).sorted() && Set(asks.map(\.tick)).count == asks.count)
        }
        #expect(live > 0 && void > 0, "both ends are reached")
    }

    @Test func anAskThatNoCallerHearsOfIsWorthNothingAndDismissesNoPerson() {
        var voids = Voids()
        let (left, other) = (voids.next(), voids.next())
        voids.void(left)
        #expect(!voids.isLive(left, of: "ada") && !voids.wasDismissed(left, of: "ada"))
        #expect(voids.isLive(other, of: "ada"))
        voids.voidEverything()
        #expect(!voids.isLive(left, of: "ada") && !voids.isLive(other, of: "ada"))
    }

    @Test func whatWasWorthlessByItselfStaysSoWhereEverythingBeforeItIsMadeWorthless() {
        var voids = Voids()
        let (before, tick, left, other) = (voids.next(), voids.next(), voids.next(), voids.next())
        voids.void(left)
        voids.voidEverything(before: tick)
        #expect(!voids.isLive(before, of: "ada") && !voids.isLive(left, of: "ada") && voids.isLive(other, of: "ada"))
    }

    @Test func theFirstAskOfAProcessIsLive() {
        var voids = Voids()
        let first = voids.next()
        #expect(voids.isLive(first, of: "ada"))
        #expect(!Voids().isLive(Tick(number: 0), of: "ada"), "no ask has the tick zero")
    }
}
