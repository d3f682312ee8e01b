#if Server
import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnSimulator

/// Files with mistakes are refused by the member's name, and the default population is the one that was fitted.
@Suite struct PopulationTests {
    /// The default's file as an object.
    private static func object() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(Population.defaultFile)) as? [String: Any])
    }

    private static func problem(_ change: (inout [String: Any]) -> Void) throws -> String? {
        var object = try object()
        change(&object)
        do throws(JSONError) {
            _ = try Population(json: Array((try? JSONSerialization.data(withJSONObject: object)) ?? Data()))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func theDefaultIsRead() throws {
        #expect(try Self.problem { _ in } == nil)
        #expect(Population.default.problem == nil)
    }

    /// The figures of docs/simulator.md are those of this file.
    @Test func theDefaultIsFrozen() throws {
        let hash = Hex.text(SHA256.hash(data: Population.defaultFile))
        #expect(hash == "55e5a8c6743efa5805475d35ee8a1265576c67af53903b206389acd1d7c0c3d0")
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: repository.appending(path: "docs/simulator.md"), encoding: .utf8)
        #expect(page.contains(hash))
    }

    @Test func aMistakeNamesItsMember() throws {
        #expect(try Self.problem { $0["strangers"] = 1.5 } == "strangers: is 0 to 1, and was 1.5")
        #expect(try Self.problem { $0["strangers"] = "few" }?.hasPrefix("strangers: ") == true)
        #expect(try Self.problem { $0["colour"] = "red" }?.contains("colour") == true)
        #expect(try Self.problem { $0["pin"] = nil } == #"lacks the member "pin""#)
        #expect(
            try Self.problem { $0["patience"] = ["median": 0, "spread": 0.5] }
                == "patience.median: is 1 to 3600000000 ms, and was 0.0")
        #expect(try Self.problem { $0["patience"] = ["median": 5, "spread": 4] } == "patience.spread: is 0 to 3, and was 4.0")
        #expect(try Self.problem { $0["sessions_per_person"] = 0 } == "sessions_per_person: is 1 to 10000, and was 0")
        #expect(try Self.problem { $0["groups"] = [Any]() } == "groups: has not 1 to 20 groups")
        func inGroup(_ change: (inout [String: Any]) -> Void) throws -> String? {
            try Self.problem { object in
                guard var groups = object["groups"] as? [[String: Any]] else { return }
                change(&groups[1])
                object["groups"] = groups
            }
        }
        #expect(try inGroup { $0["mismatch"] = -0.5 } == "groups[1].mismatch: is 0 to 1, and was -0.5")
        #expect(try inGroup { $0["share"] = 0.5 }?.hasPrefix("groups: their shares sum up to ") == true)
        #expect(try inGroup { $0["name"] = "<script>" }?.hasPrefix("groups[1].name: ") == true)
        #expect(try inGroup { $0["trouble"] = nil }?.hasPrefix("groups[1]: lacks the member \"trouble\"") == true)
        let choices = try Self.problem { object in
            guard var choices = object["choices"] as? [String: Any] else { return }
            (choices["leaves_after_cancel"], choices["other_way_after_cancel"]) = (0.6, 0.6)
            object["choices"] = choices
        }
        #expect(choices == "choices.other_way_after_cancel: is above 1 together with leaves_after_cancel")
    }

    @Test func everyShareAndTimeHasBounds() throws {
        /// The paths of all numbers of a JSON value.
        func paths(_ value: Any, _ path: [String]) -> [[String]] {
            switch value {
            case let object as [String: Any]: object.flatMap { paths($1, path + [$0]) }
            case let list as [Any]: list.enumerated().flatMap { paths($1, path + ["\($0)"]) }
            case is NSNumber: [path]
            default: []
            }
        }
        func setting(_ value: Any, _ path: ArraySlice<String>) -> Any {
            guard let first = path.first else { return -1 }
            if var object = value as? [String: Any], let inner = object[first] {
                object[first] = setting(inner, path.dropFirst())
                return object
            }
            if var list = value as? [Any], let index = Int(first) {
                list[index] = setting(list[index], path.dropFirst())
                return list
            }
            return value
        }
        let all = paths(try Self.object(), [])
        #expect(all.count > 30)
        for path in all {
            let problem = try Self.problem { object in object = setting(object, path[...]) as? [String: Any] ?? [:] }
            #expect(problem != nil, "\(path) may be -1")
        }
    }

    @Test func aFileThatIsTooLongIsRefusedBeforeItIsRead() {
        #expect(throws: JSONError.self) { try Population(json: [UInt8](repeating: 32, count: 64 * 1024 + 1)) }
    }
}
#endif
