import Testing
import ThumbturnCore

@Suite struct StrictJSONTests {
    private static func isRead(_ text: String) -> Bool { (try? JSONTree(Array(text.utf8))) != nil }

    private static func error(_ text: String) -> String? {
        do throws(JSONError) {
            _ = try JSONTree(Array(text.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "a text that decoders could read differently is refused",
        arguments: [
            (#"{}"#, true), (#" {"a":[1,-2.5e3,true,null,"x"],"b":{"a":1}} "#, true), (#"{"é":1,"e":2}"#, true), (#""a""#, true),
            (#"{"a":1,"a":2}"#, false), (#"{"x":{"a":1,"a":1}}"#, false), (#"[{"a":1,"a":1}]"#, false),
            ("\u{FEFF}{}", false), ("", false), ("{", false), ("{}{}", false), (#"{"a"}"#, false), (#"{"a":}"#, false),
            (#"{a:1}"#, false), ("{\"a\u{1}\":1}", false), (#"{"\u0000":1}"#, false), (#"{"\ud800":1}"#, false),
            (#"{"\udc00\ud800":1}"#, false), (#"{"\ud800\u0061":1}"#, false), (#"{"\q":1}"#, false), (#"{"\u+123":1}"#, false),
            (#"["a]"#, false), (#"["\u12"]"#, false), (#"{"a":1,}"#, false), ("[1,]", false),
        ])
    func texts(_ text: String, _ expected: Bool) {
        #expect(Self.isRead(text) == expected, "\(text)")
    }

    @Test(
        "two spellings of one name are one name",
        arguments: [
            #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"\u0061":1,"\u0061":2}"#, #"{"\/":1,"/":2}"#,
            #"{"\u00e9":1,"é":2}"#, #"{"\ud83d\ude00":1,"😀":2}"#, #"{"\"":1,"\u0022":2}"#,
        ])
    func doubledNames(_ text: String) {
        #expect(Self.error(text)?.contains("twice in one object") == true, "\(text)")
        // The same among so many members that names are hashed.
        let others = (0..<40).map { #""m\#($0)":0,"# }.joined()
        #expect(Self.error("{" + others + text.dropFirst())?.contains("twice in one object") == true, "\(text)")
    }

    @Test func namesThatOnlyLookEqualAreTwoNames() {
        #expect(Self.isRead("{\"\u{E9}\":1,\"e\u{301}\":2}"))
        let others = (0..<40).map { #""m\#($0)":0,"# }.joined()
        #expect(Self.isRead("{\(others)\"\u{E9}\":1,\"e\u{301}\":2}"))
    }

    @Test func anObjectHasAtMost256Members() {
        func object(_ count: Int) -> String { "{" + (0..<count).map { #""m\#($0)":\#($0)"# }.joined(separator: ",") + "}" }
        #expect(StrictJSON.maximumMembers == 256)
        #expect(Self.isRead(object(256)) && Self.isRead("[\(object(256)),\(object(256))]"))
        #expect(Self.error(object(257)) == "line 1: has more than 256 members in one object")
    }

    /// Swift compares strings in time quadratic in such a run.
    @Test func noTextHasALongRunOfCombiningMarks() {
        func marks(_ count: Int) -> String { String(repeating: "\u{301}\u{323}", count: count / 2) }
        func escaped(_ count: Int) -> String { String(repeating: #"\u0301\u0323"#, count: count / 2) }
        #expect(Self.isRead(#"{"a\#(marks(30))":"a\#(marks(30))"}"#))
        #expect(Self.isRead(#"{"a\#(escaped(30))":"a\#(escaped(30))"}"#))
        for run in [marks(32), escaped(32), marks(16) + escaped(16)] {
            #expect(Self.error("[\"a\(run)\"]") == "line 1: expected at most 30 combining marks in a row, found more")
            #expect(!Self.isRead("{\"a\(run)\":1}"))
        }
        #expect(StreamSafeText.holds("Zähne, क्षि, 각, שָׁלוֹם, ﷺ, 👩‍👩‍👧"))
    }

    @Test func theTextIsUTF8AndShallow() {
        #expect(throws: JSONError.self) { try JSONTree([0x7B, 0x00, 0x7D, 0x00]) }
        for byte in [0x80, 0xFF] as [UInt8] { #expect(throws: JSONError.self) { try JSONTree([0x22, byte, 0x22]) } }
        #expect(Self.error("\u{FEFF}{}") == "line 1: expected UTF-8 without a byte order mark, found other bytes")
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth) }
        #expect(Self.isRead(deep(16)))
        #expect(Self.error(deep(17)) == "line 1: is nested more than 16 deep")
        #expect(!Self.isRead(deep(100_000)))
        let objects = { (depth: Int) in String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth) }
        #expect(Self.isRead(objects(16)))
        #expect(Self.error(objects(17)) == "line 1: is nested more than 16 deep")
    }

    /// The grammar of RFC 8259 section 6: decoders differ in what else they accept.
    @Test func numbersHaveOneGrammar() {
        for right in ["0", "-0", "10", "1.5", "-1.25e+10", "1E9", "0.0", "true", "false", "null"] {
            #expect(Self.isRead("[\(right)]"), "\(right)")
        }
        for wrong in ["00", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "True", "nul", "1.5.5", "1-1"] {
            #expect(!Self.isRead("[\(wrong)]"), "\(wrong)")
        }
    }

    /// Names that are escaped, long and alike, in the largest objects and in the largest that are compared pair by pair.
    private static func worst(_ size: Int) -> [(String, String)] {
        func objects(_ members: Int, _ name: (Int) -> String) -> String {
            let object = "{" + (0..<members).map { #""\#(name($0))":0"# }.joined(separator: ",") + "}"
            return "[" + Array(repeating: object, count: size / (object.utf8.count + 1)).joined(separator: ",") + "]"
        }
        func hex(_ number: Int) -> String { String(String(0x10000 + number, radix: 16).dropFirst()) }
        let alike = String(repeating: "x", count: 200)
        return [
            ("escaped", objects(256) { #"\u0061\u"# + hex($0 + 0x100) }),
            ("few escaped", objects(16) { #"\u0061\u"# + hex($0 + 0x100) }),
            ("alike", objects(200) { alike + hex($0) }), ("few alike", objects(16) { alike + hex($0) }),
            ("short", objects(256) { hex($0) }), ("one string", "\"" + String(repeating: #"\u0061"#, count: size / 6 - 1) + "\""),
            ("empty objects", "[" + String(repeating: "{},", count: size / 3 - 1) + "{}]"),
        ]
    }

    @Test func readingTakesWorkInProportionToTheText() throws {
        let size = 64 * 1024
        for ((name, text), (_, twice)) in zip(Self.worst(size), Self.worst(2 * size)) {
            let (one, two) = (try JSONTree(Array(text.utf8)), try JSONTree(Array(twice.utf8)))
            #expect(text.utf8.count <= size && one.steps <= 20 * text.utf8.count, "\(name): \(one.steps)")
            let (share, ofTwice) = (one.steps * twice.utf8.count, two.steps * text.utf8.count)
            #expect(ofTwice <= share * 5 / 4, "\(name): \(one.steps), and \(two.steps) for about twice the text")
        }
    }

    private static func members(_ names: some Sequence<Character>) -> String {
        "{" + names.map { #""\#($0)":0"# }.joined(separator: ",") + "}"
    }

    @Test(
        "the work is each byte, each escaped byte once more, and each look at a name",
        arguments: [
            (#""a""#, 3), (#"{"a":0}"#, 7), (#"{"a":0,"b":0}"#, 13 + 2), (#"{"a":0,"bb":0}"#, 14 + 1),
            // Each of up to sixteen names is compared with those before it; more are hashed, and so are those beside a
            // name with escapes.
            (#"{"\u0061":0,"b":0}"#, 18 + 6 + 2 * 2), (#"{"b":0,"\u0061":0}"#, 18 + 6 + 2 * 2),
            (members("abcdefghijklmnop"), 97 + 120 * 2), (members("abcdefghijklmnopq"), 103 + 17 * 2),
        ])
    func work(_ text: String, _ steps: Int) throws {
        #expect(try JSONTree(Array(text.utf8)).steps == steps)
    }

    @Test(
        "an error names its place, what was expected and what was found",
        arguments: [
            ("{\n\"a\": 1,\n\"a\": 2}", "line 3: has the member \"a\" twice in one object"),
            ("{\"a\"\n1}", "line 2: expected \":\", found \"1\""), ("{\"a\":", "line 1: expected a value, found the end"),
            ("[1\n2]", "line 2: expected \",\" or \"]\", found \"2\""), ("{} x", "line 1: expected the end, found \"x\""),
            ("[\nnul]", "line 2: expected a value, found \"n\""), ("[\"a", "line 1: expected \"\\\"\", found the end"),
        ])
    func errors(_ text: String, _ expected: String) {
        #expect(Self.error(text) == expected)
    }

    private struct Order: Message, Equatable {
        enum CodingKeys: String, CodingKey, CaseIterable { case lines, note }
        struct Line: Message, Equatable {
            enum CodingKeys: String, CodingKey, CaseIterable { case name, count }
            var name: String
            var count: Int64
        }
        var lines: [Line]
        var note: String?
    }

    @Test func aMessageIsReadWholeOrNotAtAll() throws {
        func problem(_ text: String) -> String? {
            do throws(JSONError) {
                _ = try StrictJSON.decode(Order.self, from: Array(text.utf8))
                return nil
            } catch {
                return error.description
            }
        }
        #expect(problem(#"{"lines":[{"name":"a","count":1}],"note":null}"#) == nil)
        #expect(problem(#"{"lines":[],"more":1}"#) == "more: Unknown member.")
        #expect(
            problem(#"{"lines":[{"name":"a","count":1},{"name":"a","count":1,"\u0078":2}]}"#) == "lines[1].x: Unknown member.")
        #expect(problem(#"{"lines":[{"name":"a"}]}"#) == #"lines[0]: lacks the member "count""#)
        #expect(problem(#"{"lines":[{"name":1,"count":1}]}"#) == "lines[0].name: expected a string, found a number")
        #expect(
            problem(#"{"lines":[{"name":"a","count":1.5}]}"#)
                == "lines[0].count: expected a whole number of at most 64 bits, found 1.5")
        #expect(problem(#"[]"#) == "expected an object, found an array")
        let grown = Array(#"{"lines":[{"name":"a","count":1,"more":2}],"more":[]}"#.utf8)
        let read = try StrictJSON.decodeIgnoringUnknown(Order.self, from: grown)
        #expect(read == Order(lines: [.init(name: "a", count: 1)], note: nil))
    }

    @Test func aMemberIsFoundHoweverItsNameIsEscaped() throws {
        let read = try StrictJSON.decode(Order.self, from: Array(#"{"\u006cines":[],"not\u0065":"x"}"#.utf8))
        #expect(read == Order(lines: [], note: "x"))
    }

    /// A value with its own decoding: it asks whether the next element is null, and its superclass has a member.
    private struct Uncommon: Decodable {
        enum CodingKeys: String, CodingKey { case list }
        var found: [String] = []

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            var list = try members.nestedUnkeyedContainer(forKey: .list)
            while !list.isAtEnd { found.append(try list.decodeNil() ? "null" : try list.decode(String.self)) }
            found.append((try? list.decodeNil()) == nil ? "the end" : "more")
            found.append(try members.superDecoder().singleValueContainer().decode(String.self))
        }
    }

    @Test func nullIsAskedForAndASuperclassHasAMember() throws {
        func found(_ text: String) throws -> [String] {
            try StrictJSON.decodeIgnoringUnknown(Uncommon.self, from: Array(text.utf8)).found
        }
        #expect(try found(#"{"list":["a",null,"b",null],"super":"c"}"#) == ["a", "null", "b", "null", "the end", "c"])
        #expect(throws: JSONError(.path(""), "lacks the member \"super\"")) { try found(#"{"list":[]}"#) }
        #expect(try StrictJSON.decodeIgnoringUnknown([String?].self, from: Array(#"["a",null]"#.utf8)) == ["a", nil])
    }

    @Test func textIsWrittenAndReadBack() throws {
        let text = "\"\\/\u{8}\u{9}\u{A}\u{C}\u{D}\u{1}\u{1F} é 😀"
        let bytes = StrictJSON.encode([text])
        #expect(String(decoding: bytes, as: UTF8.self) == #"["\"\\/\b\t\n\f\r\u0001\u001f é 😀"]"#)
        #expect(try StrictJSON.decodeIgnoringUnknown([String].self, from: bytes) == [text])
        #expect(try StrictJSON.decodeIgnoringUnknown([String].self, from: Array(#"["\ud83d\uDE00\/\u00E9"]"#.utf8)) == ["😀/é"])
    }

    @Test(
        "a whole number without fraction and exponent is read as it is written",
        arguments: [
            ("0", 0), ("-7", -7), ("999999999999999999", 999_999_999_999_999_999),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("99999999999999999999", nil), ("1.0", nil), ("1e3", nil), ("-1.5", nil),
        ] as [(String, Int64?)])
    func whole(_ text: String, _ number: Int64?) throws {
        let tree = try JSONTree(Array(text.utf8))
        #expect(tree.whole(tree.nodes[0]) == number)
    }

    @Test("ASCII is told from other bytes wherever they stand") func ascii() {
        for length in 0...17 {
            let text = [UInt8](repeating: 0x7F, count: length)
            #expect(ASCII.holds(text) && ASCII.holds(String(decoding: text, as: UTF8.self)))
            for place in text.indices {
                var other = text
                other[place] = 0x80
                #expect(!ASCII.holds(other) && !ASCII.holds(String(decoding: other, as: UTF8.self)))
            }
        }
    }
}
