#if Tools
import Foundation

/// A file of test vectors in the format of Project Wycheproof: groups of cases with expected results.
struct WycheproofFile {
    struct Group {
        /// The kind of check, for example `EcdsaVerify` or `JsonWebKey`. Older files have it only once for the whole
        /// file.
        var type: String
        var members: [String: Any]
        var cases: [Case]
    }

    struct Case {
        var id: Int
        var comment: String
        var expected: ExpectedResult
        var members: [String: Any]
    }

    /// The result that the file expects of a case.
    enum ExpectedResult: String, Encodable, CaseIterable {
        case valid, invalid
        /// The verifier may accept or refuse the case.
        case acceptable
    }

    var algorithm: String
    /// The number of cases that the file states.
    var promised: Int?
    var groups: [Group]

    /// Reads a file. Returns nil if it has another format.
    init?(json: Data) {
        guard let file = try? JSONSerialization.jsonObject(with: json) as? [String: Any],
            let groups = file["testGroups"] as? [[String: Any]]
        else { return nil }
        algorithm = file["algorithm"] as? String ?? file["schema"] as? String ?? "no algorithm named"
        promised = file["numberOfTests"] as? Int
        self.groups = []
        for group in groups {
            guard let cases = group["tests"] as? [[String: Any]] else { return nil }
            var known: [Case] = []
            for members in cases {
                guard let id = members["tcId"] as? Int, let expected = (members["result"] as? String).flatMap(ExpectedResult.init)
                else {
                    return nil
                }
                known.append(Case(id: id, comment: members["comment"] as? String ?? "", expected: expected, members: members))
            }
            self.groups.append(Group(type: group["type"] as? String ?? "no type", members: group, cases: known))
        }
    }
}

extension [String: Any] {
    func text(_ name: String) -> String? { self[name] as? String }

    func object(_ name: String) -> [String: Any]? { self[name] as? [String: Any] }

    /// The bytes of a member in hexadecimal.
    func bytes(_ name: String) -> [UInt8]? {
        guard let digits = text(name).map({ Array($0.utf8) }), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
#endif
