import Testing
import ThumbturnTestKit
@testable import ThumbturnAndroid

@Suite struct BridgeMessageTests {
    typealias Malformed = BridgeReader.Malformed

    private func problem(_ bytes: [UInt8], _ read: (inout BridgeReader) throws(Malformed) -> Void) -> Malformed? {
        var reader = BridgeReader(bytes)
        do throws(Malformed) {
            try read(&reader)
            try reader.end()
            return nil
        } catch {
            return error
        }
    }

    @Test func fieldsAreReadAsTheyWereWritten() throws {
        var writer = BridgeWriter()
        writer.put([1, 2, 3])
        writer.put(nil as [UInt8]?)
        writer.put([])
        for number in [0, 1, -1, 258, Int64.max, Int64.min] { writer.put(number) }
        writer.put(true)
        writer.put(false)
        writer.put("Zürich 🔑")
        writer.put(nil as String?)
        var reader = BridgeReader(writer.message)
        #expect(try reader.bytes() == [1, 2, 3])
        #expect(try reader.optionalBytes() == nil)
        #expect(try reader.bytes() == [])
        for number in [0, 1, -1, 258, Int64.max, Int64.min] { #expect(try reader.number() == number) }
        #expect(try reader.flag())
        #expect(try !reader.flag())
        #expect(try reader.text() == "Zürich 🔑")
        #expect(try reader.optionalText() == nil)
        try reader.end()
    }

    @Test("the bytes are those of the contract")
    func bytes() {
        var writer = BridgeWriter()
        writer.put("a")
        writer.put(Int64(-2))
        writer.put(nil as [UInt8]?)
        #expect(writer.message == [0, 0, 0, 1, 97, 0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254, 255, 255, 255, 255])
    }

    @Test func everyBreachOfTheContractHasAName() {
        let number: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2]
        let null: [UInt8] = [255, 255, 255, 255]
        #expect(problem([]) { reader throws(Malformed) in _ = try reader.bytes() } == .cut)
        #expect(problem([0, 0, 0]) { reader throws(Malformed) in _ = try reader.bytes() } == .cut)
        #expect(problem([0, 0, 0, 2, 1]) { reader throws(Malformed) in _ = try reader.bytes() } == .cut)
        #expect(problem([127, 255, 255, 255, 1]) { reader throws(Malformed) in _ = try reader.bytes() } == .cut)
        #expect(problem([255, 255, 255, 254]) { reader throws(Malformed) in _ = try reader.bytes() } == .length)
        #expect(problem([128, 0, 0, 0]) { reader throws(Malformed) in _ = try reader.bytes() } == .length)
        #expect(problem(null) { reader throws(Malformed) in _ = try reader.bytes() } == .type)
        #expect(problem(null) { reader throws(Malformed) in _ = try reader.number() } == .type)
        #expect(problem(null) { reader throws(Malformed) in _ = try reader.text() } == .type)
        #expect(problem(null) { reader throws(Malformed) in _ = try reader.flag() } == .type)
        #expect(problem([0, 0, 0, 1, 7]) { reader throws(Malformed) in _ = try reader.number() } == .type)
        #expect(
            problem([0, 0, 0, 9] + [UInt8](repeating: 0, count: 9)) { reader throws(Malformed) in _ = try reader.number() }
                == .type)
        #expect(problem(number) { reader throws(Malformed) in _ = try reader.flag() } == .type)
        #expect(problem([0, 0, 0, 2, 0xC3, 0x28]) { reader throws(Malformed) in _ = try reader.text() } == .text)
        #expect(
            problem(number) { reader throws(Malformed) in _ = try reader.list { reader throws(Malformed) in try reader.bytes() } }
                == .count)
        #expect(problem(number + [0]) { reader throws(Malformed) in _ = try reader.number() } == .more)
    }

    @Test(
        "a list cannot ask for more elements than bytes are left, nor for fewer than none",
        arguments: [Int64.max, 1 << 40, 3, -1])
    func lists(_ count: Int64) {
        var writer = BridgeWriter()
        writer.put(count)
        for _ in 0..<2 { writer.put([]) }
        #expect(
            problem(writer.message) { reader throws(Malformed) in
                _ = try reader.list { reader throws(Malformed) in try reader.bytes() }
            } == .count)
    }

    @Test func anAnswerHasOneOfThreeKinds() throws {
        for kind in Int64(-2)...4 {
            var writer = BridgeWriter()
            writer.put(kind)
            if kind == 1 { writer.put(Int64(0)) }
            let answer = try? AndroidAnswer(writer.message)
            switch answer {
            case .done?: #expect(kind == 0)
            case .threw(let thrown)?: #expect(kind == 1 && thrown.chain.isEmpty)
            case .news?: #expect(kind == 2)
            case nil: #expect(![0, 1, 2].contains(kind))
            }
        }
        let thrown = AndroidThrown(chain: [.init(name: "a.B"), .init(name: "c.D", code: 10, isTransient: true)])
        guard case .threw(let read) = try AndroidAnswer(thrown.message) else {
            Issue.record("not what was thrown")
            return
        }
        #expect(read == thrown)
        #expect(throws: Malformed.self) { try AndroidAnswer(thrown.message + [0]) }
    }

    @Test("hostile bytes never trap, and each is read in one pass", arguments: [UInt64(1), 2, 3, 4])
    func hostile(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let thrown = AndroidThrown(chain: [.init(name: "a.B", code: 10), .init(name: "c.D")]).message
        var (readable, refused) = (0, 0)
        for _ in 0..<20_000 {
            // Random bytes, or a message with some bytes changed, cut or added.
            var bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...3, using: &generator) }
            if Bool.random(using: &generator) {
                bytes = thrown
                let changes = Int.random(in: 0...2, using: &generator)
                for _ in 0..<changes {
                    let place = bytes.indices.randomElement(using: &generator) ?? 0
                    bytes[place] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            do throws(Malformed) {
                switch try AndroidAnswer(bytes) {
                case .done(var reader): _ = try AndroidFacts(reading: &reader)
                case .news(var reader): _ = try reader.list { (reader) throws(Malformed) in try reader.optionalText() }
                case .threw: break
                }
                readable += 1
            } catch {
                refused += 1
            }
            var reader = BridgeReader(bytes)
            _ = try? reader.list { (reader) throws(Malformed) in try reader.optionalFlag() }
            _ = AndroidPhases.phase(in: bytes)
        }
        #expect(readable > 0 && refused > 0, "seed \(seed)")
    }

    @Test func theNumbersOfOperationsAreThoseOfTheContract() {
        #expect(AndroidOperation.allCases.map(\.rawValue) == Array(1...18) + Array(20...23))
        #expect(NewKeyKind.allCases.map(\.rawValue) == Array(1...8))
        #expect(Set([AndroidCallID.next(), AndroidCallID.next(), AndroidCallID.next()]).count == 3)
        #expect(AndroidCallID.next() > 0, "Java's own ids are negative")
    }

    @Test("an answer reaches its call, the last one ends it, and one that comes too late is dropped")
    func calls() async {
        let calls = OpenCalls()
        let news: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2]
        let done: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]
        for last in [done, AndroidThrown.silence.message, [], [9]] {
            let answers = calls.open(7)
            calls.answer(8, news)
            calls.answer(7, news)
            calls.answer(7, last)
            calls.answer(7, news)
            calls.answer(7, done)
            var heard: [[UInt8]] = []
            for await answer in answers { heard.append(answer) }
            #expect(heard == [news, last] && calls.count == 0)
        }
        do { _ = calls.open(9) }
        #expect(calls.count == 0, "the caller has stopped listening")
        calls.answer(9, done)
    }
}
