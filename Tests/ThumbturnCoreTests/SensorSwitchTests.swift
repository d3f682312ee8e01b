import Foundation
import Testing
import ThumbturnCore

/// A sensor that was switched off stays off until a stronger rung that was asked for afterwards succeeds.
@Suite struct SensorSwitchTests {
    @Test func aStrongerRungSwitchesItOn() {
        var sensor = SensorSwitch()
        #expect(!sensor.isOff && sensor.dismissals == 0)
        sensor.turnOff()
        #expect(sensor.isOff && sensor.dismissals == 1)
        sensor.lift(askedAt: 1)
        #expect(!sensor.isOff && sensor.dismissals == 1)
    }

    @Test func aSuccessThatWasAskedForBeforeSwitchesNothingOn() {
        var sensor = SensorSwitch()
        sensor.turnOff()
        sensor.lift(askedAt: 0)
        #expect(sensor.isOff)
        sensor.turnOff()
        sensor.lift(askedAt: 1)
        #expect(sensor.isOff && sensor.dismissals == 2)
        sensor.lift(askedAt: 2)
        #expect(!sensor.isOff)
        sensor.lift(askedAt: 7)
        #expect(!sensor.isOff, "a switch that is on stays on")
    }

    @Test func everyOrderOfDismissalsAndAsksKeepsTheRule() {
        // An ask notes the count, a later step lifts with what the ask noted; the rule is told by the order alone.
        enum Step: CaseIterable { case dismiss, ask, lift }
        func walk(_ sensor: SensorSwitch, noted: Int, lastOff: Int?, askedAt: Int, depth: Int) -> Int {
            guard depth < 8 else { return 1 }
            var ends = 0
            for step in Step.allCases {
                var (next, noted, lastOff, askedAt) = (sensor, noted, lastOff, askedAt)
                switch step {
                case .dismiss:
                    next.turnOff()
                    lastOff = depth
                case .ask: (noted, askedAt) = (next.dismissals, depth)
                case .lift:
                    next.lift(askedAt: noted)
                    if let off = lastOff, askedAt > off { lastOff = nil }
                }
                #expect(next.isOff == (lastOff != nil))
                ends += walk(next, noted: noted, lastOff: lastOff, askedAt: askedAt, depth: depth + 1)
            }
            return ends
        }
        #expect(walk(SensorSwitch(), noted: 0, lastOff: nil, askedAt: -1, depth: 0) == 6561)
    }

    @Test func theCountNeverEnds() throws {
        let last = Data(#"{"isOff":false,"dismissals":\#(Int.max)}"#.utf8)
        var sensor = try JSONDecoder().decode(SensorSwitch.self, from: last)
        sensor.turnOff()
        #expect(sensor.isOff && sensor.dismissals == 0)
        #expect(try JSONDecoder().decode(SensorSwitch.self, from: try JSONEncoder().encode(sensor)) == sensor)
    }

    @Test func aDamagedSwitchIsOff() throws {
        var damaged = SensorSwitch.replacingDamaged(countedAs: 3)
        #expect(damaged.isOff)
        damaged.lift(askedAt: 0)
        #expect(damaged.isOff, "asked for before the damage")
        damaged.lift(askedAt: 3)
        #expect(!damaged.isOff)
        var sensor = SensorSwitch()
        sensor.turnOff()
        let bytes = try JSONEncoder().encode(sensor)
        #expect(try JSONDecoder().decode(SensorSwitch.self, from: bytes) == sensor)
        for text in [#"{"isOff":false,"dismissals":-1}"#, #"{"isOff":false}"#, "[]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(SensorSwitch.self, from: Data(text.utf8)) }
        }
    }
}
