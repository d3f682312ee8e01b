import Foundation
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnVerifier

/// Two parsers that read the same bytes. Where both accept them, they must read the same from them.
package struct Differential: Sendable, CustomStringConvertible {
    /// The name, which is also that of its fuzzing target and of its folder in `Fuzz/Corpus`.
    package let name: String
    /// Inputs that both parsers accept.
    package let examples: [[UInt8]]
    /// What the two parsers read differently in an input; nil where they agree, or where one of them refuses it.
    package let difference: @Sendable ([UInt8]) -> String?

    package var description: String { name }

    /// Every pair of parsers.
    package static let all = [json, transaction]

    /// The pair with a name.
    package static func named(_ name: String) -> Differential? { all.first { $0.name == name } }

    /// Our JSON and Foundation's.
    static let json = Differential(
        name: "json-and-foundation", examples: Parser.json.examples,
        difference: { bytes in
            guard let tree = try? JSONTree(bytes),
                let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            else { return nil }
            return difference(of: tree, at: 0, from: value)
        })

    /// The server's reading of a transaction, and the device's reading of what the server sends of it.
    static let transaction = Differential(
        name: "transaction-on-both-sides", examples: Parser.transaction.examples,
        difference: { bytes in
            guard let taken = try? WireJSON.decode(ApprovalTransaction.self, from: bytes) else { return nil }
            let canonical = WireJSON.encode(taken)
            guard canonical.count <= ApprovalTransaction.largest else { return nil }
            let record = ApprovalRecord(
                id: Sample.approvalID, state: .open, txn: Base64URL.encode(canonical), demand: .oneKey, from: "a shop",
                createdAt: Sample.now, expiresAt: Sample.now + .seconds(300), signed: false)
            guard let shown = Approval(record) else { return "the device refuses what the server takes" }
            guard shown.transaction == taken else { return "the device shows another transaction" }
            // It traps where a line cannot be shown.
            return shown.details(in: .english).lines.isEmpty ? "the device shows nothing" : nil
        })

    private static func difference(of tree: JSONTree, at index: Int, from value: Any) -> String? {
        let node = tree.nodes[index]
        let isSame: Bool
        switch node.kind {
        case .object:
            guard let members = value as? [String: Any] else { return "an object is something else" }
            let children = tree.children(of: index)
            let names = Set(children.map { tree.name(tree.nodes[$0]) })
            // For a dictionary, two names with the same canonical form are one, and for us they are two.
            guard names.count == children.count else { return nil }
            guard members.count == names.count else { return "an object has \(members.count) members, not \(names.count)" }
            for child in children {
                guard let member = members[tree.name(tree.nodes[child])] else { return "a name is spelled otherwise" }
                if let difference = difference(of: tree, at: child, from: member) { return difference }
            }
            return nil
        case .array:
            guard let elements = value as? [Any] else { return "an array is something else" }
            let children = tree.children(of: index)
            guard elements.count == children.count else { return "an array has another length" }
            for (child, element) in zip(children, elements) {
                if let difference = difference(of: tree, at: child, from: element) { return difference }
            }
            return nil
        case .string: isSame = (value as? String)?.utf8.elementsEqual(tree.string(node).utf8) == true
        case .number:
            // Foundation reads numbers of more digits as decimal ones, whose nearest binary number it does not always find.
            let text = tree.number(node)
            isSame = text.utf8.count > 17 || (value as? NSNumber)?.doubleValue == Double(text)
        case .true: isSame = value as? Bool == true
        case .false: isSame = value as? Bool == false
        case .null: isSame = value is NSNull
        }
        return isSame ? nil : "\(node.kind.name) is read otherwise"
    }
}
