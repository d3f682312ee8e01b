#if Tools
import Foundation

/// A file of test vectors as Project Wycheproof writes them: groups of cases, each with what a judge has to say of it.
struct WycheproofFile {
    struct Group {
        /// `EcdsaVerify`, `JsonWebKey` and so on; the older files say it in the whole file alone.
        var type: String
        var members: [String: Any]
        var cases: [Case]
    }

    struct Case {
        var id: Int
        var comment: String
        var says: Says
        var members: [String: Any]
    }

    /// What the file says of a case.
    enum Says: String, Encodable, CaseIterable {
        case valid, invalid
        /// Either is right.
        case acceptable
    }

    var algorithm: String
    /// How many cases the file says that it has.
    var promised: Int?
    var groups: [Group]

    /// Nil for what is not such a file.
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
                guard let id = members["tcId"] as? Int, let says = (members["result"] as? String).flatMap(Says.init) else {
                    return nil
                }
                known.append(Case(id: id, comment: members["comment"] as? String ?? "", says: says, members: members))
            }
            self.groups.append(Group(type: group["type"] as? String ?? "no type", members: group, cases: known))
        }
    }
}

extension [String: Any] {
    func text(_ name: String) -> String? { self[name] as? String }

    func object(_ name: String) -> [String: Any]? { self[name] as? [String: Any] }

    /// Bytes in hexadecimal.
    func bytes(_ name: String) -> [UInt8]? {
        guard let digits = text(name).map({ Array($0.utf8) }), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for at in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[at...at + 1], as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
#endif
