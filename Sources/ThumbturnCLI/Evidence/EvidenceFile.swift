#if Tools
import Foundation
import ThumbturnVerifier

/// A file of evidence: a JSON array of cases, or one case alone.
///
/// The file is trusted as little as the evidence in it, but it is not the evidence: members that are not read may be there or
/// not, and a case that cannot be read is refused while the others are judged.
struct EvidenceFile {
    var cases: [EvidenceCase]

    /// Reads a file. Returns nil if it is not JSON, or neither an array nor an object.
    init?(json: Data) {
        let read = try? JSONSerialization.jsonObject(with: json)
        guard let list = read as? [Any] ?? (read as? [String: Any]).map({ [$0] }) else { return nil }
        cases = list.enumerated().map { number, members in
            EvidenceCase(members as? [String: Any], name: "case \(number + 1)")
        }
    }
}

/// One case of a file. Each member that is needed is read as the type that it must have, or the case is `malformed`.
struct EvidenceCase {
    /// The member `name` or `test`, or the number of the case in the file.
    let name: String
    /// Nil where the case is no object.
    let members: [String: Any]?

    init(_ members: [String: Any]?, name: String) {
        self.members = members?.filter { !($0.value is NSNull) }
        self.name = members?.text("name") ?? members?.text("test") ?? name
    }

    func has(_ name: String) -> Bool { members?[name] != nil }

    func text(_ name: String) throws(EvidenceRefusal) -> String {
        guard let text = try value(name) as? String else { throw other(name, than: "a text") }
        return text
    }

    func bytes(_ name: String) throws(EvidenceRefusal) -> [UInt8] { try Self.bytes(text(name), name) }

    func list(_ name: String) throws(EvidenceRefusal) -> [Any] {
        guard let list = try value(name) as? [Any] else { throw other(name, than: "an array") }
        return list
    }

    /// The bytes of each text of an array.
    func allBytes(_ name: String) throws(EvidenceRefusal) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for (position, element) in try list(name).enumerated() {
            guard let text = element as? String else { throw other("\(name), element \(position)", than: "a text") }
            all.append(try Self.bytes(text, "\(name), element \(position)"))
        }
        return all
    }

    private func value(_ name: String) throws(EvidenceRefusal) -> Any {
        guard let members else { throw EvidenceRefusal(.malformed, "expected an object as a case, found another value") }
        guard let value = members[name] else {
            throw EvidenceRefusal(.malformed, "expected the member \(name) in the case, found none")
        }
        return value
    }

    private func other(_ name: String, than expected: String) -> EvidenceRefusal {
        EvidenceRefusal(.malformed, "expected \(expected) as \(name), found another value")
    }

    private static func bytes(_ text: String, _ name: String) throws(EvidenceRefusal) -> [UInt8] {
        guard let data = Data(base64Encoded: text) else {
            throw EvidenceRefusal(.malformed, "expected base64 as \(name), found another text")
        }
        return Array(data)
    }
}
#endif
