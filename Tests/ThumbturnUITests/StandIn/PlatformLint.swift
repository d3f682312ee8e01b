#if STAND_INS
import Foundation
import SwiftUI

/// Finds what only some of Apple's systems have and a source uses on the others: the stand-in declares all of it.
struct PlatformLint {
    /// One use where it is missing.
    struct Finding: Equatable, CustomStringConvertible {
        let line: Int
        let name: String
        let missing: Set<String>
        var description: String { "line \(line): \(name) is not on \(missing.sorted().joined(separator: ", "))" }
    }

    /// The systems that the package is for.
    static let systems: Set<String> = ["iOS", "macOS", "visionOS"]

    /// The uses in a source on systems that do not have them.
    static func findings(in source: String) -> [Finding] {
        var conditions: [Branches] = []
        var findings: [Finding] = []
        for (index, raw) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = raw.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("#if ") {
                conditions.append(Branches(within: conditions.last?.here ?? systems, line.dropFirst(4)))
            } else if line.hasPrefix("#elseif ") {
                conditions[conditions.count - 1].next(line.dropFirst(8))
            } else if line == "#else" {
                conditions[conditions.count - 1].next("true")
            } else if line == "#endif" {
                conditions.removeLast()
            } else if !line.hasPrefix("//") {
                let here = conditions.last?.here ?? systems
                for (name, having) in platformSpecific.sorted(by: { $0.key < $1.key }) where uses(line, name) {
                    let missing = here.subtracting(having)
                    if !missing.isEmpty { findings.append(Finding(line: index + 1, name: name, missing: missing)) }
                }
            }
        }
        return findings
    }

    /// Whether a line has a member of the name, the type of the name where it is written with a capital, or the very words.
    private static func uses(_ line: String, _ name: String) -> Bool {
        if name.contains(" ") { return line.contains(name) }
        let isType = name.first?.isUppercase == true
        return line.ranges(of: isType ? name : "." + name).contains { range in
            let before = range.lowerBound > line.startIndex ? line[line.index(before: range.lowerBound)] : " "
            let after = range.upperBound < line.endIndex ? line[range.upperBound] : " "
            return !after.isLetter && !after.isNumber && (!isType || (!before.isLetter && before != "."))
        }
    }

    /// The branches of one `#if`.
    private struct Branches {
        /// Where the whole `#if` is compiled.
        let outer: Set<String>
        /// Where a branch before was compiled.
        var taken: Set<String> = []
        /// Where this branch is compiled.
        var here: Set<String> = []

        init(within outer: Set<String>, _ condition: Substring) {
            self.outer = outer
            next(condition)
        }

        mutating func next(_ condition: Substring) {
            let free = outer.subtracting(taken)
            here = free.filter { Self.holds(condition, on: $0) }
            taken.formUnion(here)
        }

        /// Whether a condition holds on a system. Beside `os` and `canImport`, all is false: the stand-ins are on none.
        static func holds(_ condition: Substring, on system: String) -> Bool {
            condition.components(separatedBy: "||").contains { part in
                part.components(separatedBy: "&&").allSatisfy { term in
                    var term = term.trimmingCharacters(in: .whitespaces)
                    let isNegated = term.hasPrefix("!")
                    if isNegated { term.removeFirst() }
                    let holds =
                        switch term {
                        case "true", "canImport(SwiftUI)", "os(\(system))": true
                        case "canImport(UIKit)": system != "macOS"
                        case "canImport(AppKit)": system == "macOS"
                        default: false
                        }
                    return holds != isNegated
                }
            }
        }
    }
}
#endif
