import ThumbturnCore

/// JSON as scenario files use it: texts, whole numbers, lists and objects.
package enum JSON: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case list([JSON])
    case object([String: JSON])
}

extension JSON: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let number = try? value.decode(Int64.self) {
            self = .number(number)
        } else if let list = try? value.decode([JSON].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    /// A value as it writes itself.
    init(encoding value: some Encodable) {
        do throws(JSONError) {
            self = try StrictJSON.decodeIgnoringUnknown(JSON.self, from: StrictJSON.encode(value))
        } catch {
            preconditionFailure("a value that is no scenario's JSON: \(error)")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .list(let list): try value.encode(list)
        case .object(let object): try value.encode(object)
        }
    }
}

/// As people read it: `show (button: cancel, prompt: 1, rung: biometric)`.
extension JSON: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text(let text): return text
        case .number(let number): return "\(number)"
        case .list(let list): return "[" + list.map(\.description).joined(separator: ", ") + "]"
        case .object(let object):
            if object.count == 1, let (name, value) = object.first { return "\(name) \(value)" }
            return "(" + object.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + ")"
        }
    }
}

/// Why a text is no scenario, with the place: the path of a member, or the line where the text is no JSON.
public struct ScenarioProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
