#if Tools
import Foundation
import ThumbturnMessages
import ThumbturnVerifier

/// A file of evidence: a JSON array of cases, one case alone, or evidence as a device sent it.
///
/// The file is trusted as little as the evidence in it, but it is not the evidence: members that are not read may be there or
/// not, and a case that cannot be read is refused while the others are judged.
struct EvidenceFile {
    var cases: [EvidenceCase]
    /// Whether it is the member `evidence` of an enrolment, as a device sent it.
    var isAsSent = false
    /// The kinds of evidence whose members occur in the cases.
    var kinds: [EvidenceKind]

    /// Reads a file. Returns nil if it is not JSON, or neither an array nor an object.
    init?(json: Data) {
        let read = try? JSONSerialization.jsonObject(with: json)
        if let sent = read as? [String: Any],
            let kind = EvidenceKind.allCases.first(where: { $0.format == sent.text("format") && sent[$0.sentMember] != nil })
        {
            cases = Self.cases(sent: sent, kind)
            isAsSent = true
            kinds = [kind]
            return
        }
        guard let list = read as? [Any] ?? (read as? [String: Any]).map({ [$0] }) else { return nil }
        cases = list.enumerated().map { number, members in
            EvidenceCase(members as? [String: Any], name: "case \(number + 1)")
        }
        kinds = EvidenceKind.allCases.filter { [cases] kind in cases.contains { kind.members.contains(where: $0.has) } }
    }

    /// The cases of what a device sent: for Android one for each kind of key.
    private static func cases(sent members: [String: Any], _ kind: EvidenceKind) -> [EvidenceCase] {
        guard kind == .androidChains, let chains = members["chains"] as? [String: Any] else {
            return [EvidenceCase(members, name: kind.format, isAsSent: true)]
        }
        return chains.sorted { $0.key < $1.key }.map { EvidenceCase(["chains": $0.value], name: $0.key, isAsSent: true) }
    }
}

/// One case of a file. Each member that is needed is read as the type that it must have, or the case is `malformed`.
struct EvidenceCase {
    /// The member `name` or `test`, or the number of the case in the file.
    let name: String
    /// Nil where the case is no object.
    let members: [String: Any]?
    /// Whether a device sent it: its bytes are in base64url then.
    let isAsSent: Bool

    init(_ members: [String: Any]?, name: String, isAsSent: Bool = false) {
        self.isAsSent = isAsSent
        self.members = members?.filter { !($0.value is NSNull) }
        self.name = members?.text("name") ?? members?.text("test") ?? name
    }

    func has(_ name: String) -> Bool { members?[name] != nil }

    func text(_ name: String) throws(EvidenceRefusal) -> String {
        guard let text = try value(name) as? String else { throw other(name, than: "a text") }
        return text
    }

    func bytes(_ name: String) throws(EvidenceRefusal) -> [UInt8] { try decode(text(name), name) }

    /// The bytes of a SHA-256.
    func hash(_ name: String) throws(EvidenceRefusal) -> [UInt8] {
        let hash = try bytes(name)
        guard hash.count == 32 else {
            throw EvidenceRefusal(.malformed, "expected the 32 bytes of a SHA-256 as \(name), found \(hash.count)")
        }
        return hash
    }

    func list(_ name: String) throws(EvidenceRefusal) -> [Any] {
        guard let list = try value(name) as? [Any] else { throw other(name, than: "an array") }
        return list
    }

    /// The bytes of each text of an array.
    func allBytes(_ name: String) throws(EvidenceRefusal) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for (position, element) in try list(name).enumerated() {
            guard let text = element as? String else { throw other("\(name), element \(position)", than: "a text") }
            all.append(try decode(text, "\(name), element \(position)"))
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

    private func decode(_ text: String, _ name: String) throws(EvidenceRefusal) -> [UInt8] {
        let bytes = isAsSent ? Base64URL.decode(text) : Data(base64Encoded: text).map { Array($0) }
        guard let bytes else {
            throw EvidenceRefusal(.malformed, "expected \(isAsSent ? "base64url" : "base64") as \(name), found another text")
        }
        return bytes
    }
}
#endif
