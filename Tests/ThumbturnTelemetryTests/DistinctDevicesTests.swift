#if Server
import Testing
@testable import ThumbturnTelemetry

struct DistinctDevicesTests {
    @Test(arguments: [0, 1, 19, 20, 64, 255]) func fewDevicesAreCountedExactly(_ number: Int) {
        var devices = Samples.devices(number)
        #expect(devices.estimate == number)
        // The same devices again are no more.
        devices.merge(Samples.devices(number))
        #expect(devices.estimate == number)
    }

    @Test(arguments: [256, 1000, 10_000, 100_000]) func manyDevicesAreCountedWithinFourStandardErrors(_ number: Int) {
        for seed in 1...5 as ClosedRange<UInt64> {
            let estimate = Samples.devices(number, from: seed).estimate
            #expect(abs(Double(estimate) / Double(number) - 1) < 4 * 0.063, "seed \(seed): \(estimate) of \(number)")
        }
    }

    @Test func unitingInAnyOrderGivesTheSameBytes() throws {
        var generator = RepeatableGenerator(seed: 21)
        let hashes = (0..<2000).map { _ in generator.next() }
        let whole = hashes.reduce(into: DistinctDevices()) { $0.add($1) }
        for _ in 0..<5 {
            let shuffled = hashes.shuffled(using: &generator)
            // Parts that overlap: a device may be in several cells of a day.
            let parts = stride(from: 0, to: 1900, by: 100).map { start in
                shuffled[start..<start + 200].reduce(into: DistinctDevices()) { $0.add($1) }
            }
            let united = parts.shuffled(using: &generator).reduce(into: DistinctDevices()) { $0.merge($1) }
            #expect(united == whole)
            #expect(united.bytes == whole.bytes)
        }
        #expect(try DistinctDevices(bytes: whole.bytes) == whole)
        #expect(whole.bytes.count <= 2 + 1 + 256 * 8)
    }

    @Test func hashesThatAreNotEvenDoNotTrap() {
        let devices = (0..<300).reduce(into: DistinctDevices()) { $0.add(UInt64($1)) }
        #expect(devices.estimate >= 256)
        let largest = (0..<300).reduce(into: DistinctDevices()) { $0.add(UInt64.max - UInt64($1)) }
        #expect(largest.estimate >= 255)
    }

    @Test func damagedBytesAreRefusedOrReadAndNeverTrap() {
        var generator = RepeatableGenerator(seed: 22)
        let bytes = Samples.devices(40).bytes
        var refused = 0
        for _ in 0..<2000 {
            var damaged = bytes
            let place = Int.random(in: 0..<damaged.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
            case 1: damaged.remove(at: place)
            default: damaged.removeSubrange(place...)
            }
            do {
                #expect(try DistinctDevices(bytes: damaged).bytes == damaged)
            } catch {
                #expect(error is DamagedBytes)
                refused += 1
            }
        }
        #expect(refused > 1000)
        #expect(throws: DamagedBytes.self) { try DistinctDevices(bytes: [1, 0xFF, 0xFF, 0x7F]) }
    }
}
#endif
