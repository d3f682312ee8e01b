#if Tools
import ThumbturnVerifier

/// The result of a file: the numbers of judged and matching cases, the differences, and the cases that were not judged.
struct WycheproofReport: Encodable {
    /// The cases with one expected result.
    struct Row: Encodable {
        var says: WycheproofFile.ExpectedResult
        var accepted = 0
        var refused = 0
        var as_the_file_says = 0
    }

    struct Difference: Encodable {
        /// The case's `tcId`.
        var id: Int
        var comment: String
        var says: WycheproofFile.ExpectedResult
        var verdict: String
    }

    struct NotJudged: Encodable {
        var because: String
        var cases: Int
    }

    var algorithm: String
    /// The number of cases that the file states, if it differs from the actual number.
    var promised: Int?
    var cases = 0
    var judged = 0
    var as_the_file_says = 0
    var rows = WycheproofFile.ExpectedResult.allCases.map { Row(says: $0) }
    var differences: [Difference] = []
    var not_judged: [NotJudged] = []

    /// Judges a whole file.
    init(_ file: WycheproofFile) {
        algorithm = file.algorithm
        for group in file.groups {
            let judge = WycheproofJudge(of: group)
            for test in group.cases { add(test, judge) }
        }
        if file.promised != cases { promised = file.promised ?? 0 }
    }

    /// Whether all judged cases match the file, and the file is complete.
    var holds: Bool { differences.isEmpty && promised == nil }

    private mutating func add(_ test: WycheproofFile.Case, _ judge: WycheproofJudge) {
        cases += 1
        do {
            switch judge {
            case .judge(let check): try check(test)
            case .none(let because, let check):
                leaveOut(because)
                guard let check, (try? check(test)) != nil else { return }
                return differ(test, "accepted, although a case of this kind must be refused")
            }
            count(test, isAccepted: true, as: "accepted")
        } catch let refusal as VerificationError {
            count(test, isAccepted: false, as: "refused (\(refusal.rawValue))")
        } catch let error as WycheproofJudge.NotJudged {
            leaveOut(error.reason)
        } catch let error as WycheproofJudge.Unreadable {
            differ(test, error.reason)
        } catch {
            differ(test, "this case cannot be read")
        }
    }

    private mutating func count(_ test: WycheproofFile.Case, isAccepted: Bool, as verdict: String) {
        judged += 1
        guard let row = rows.firstIndex(where: { $0.says == test.expected }) else { return }
        rows[row].accepted += isAccepted ? 1 : 0
        rows[row].refused += isAccepted ? 0 : 1
        guard test.expected == .acceptable || isAccepted == (test.expected == .valid) else { return differ(test, verdict) }
        rows[row].as_the_file_says += 1
        as_the_file_says += 1
    }

    private mutating func differ(_ test: WycheproofFile.Case, _ verdict: String) {
        differences.append(Difference(id: test.id, comment: test.comment, says: test.expected, verdict: verdict))
    }

    private mutating func leaveOut(_ because: String) {
        if let known = not_judged.firstIndex(where: { $0.because == because }) {
            not_judged[known].cases += 1
        } else {
            not_judged.append(NotJudged(because: because, cases: 1))
        }
    }

    // MARK: In words

    var sentences: String {
        var lines = ["\(algorithm): \(as_the_file_says) of \(judged) judged cases match the file."]
        if judged > 0 {
            lines.append(Self.line("expected", "judged", "accepted", "refused", "matching"))
            for row in rows where row.accepted + row.refused > 0 {
                lines.append(
                    Self.line(
                        row.says.rawValue, "\(row.accepted + row.refused)", "\(row.accepted)", "\(row.refused)",
                        "\(row.as_the_file_says)"))
            }
        }
        if !not_judged.isEmpty { lines.append("\(not_judged.map(\.cases).reduce(0, +)) of \(cases) cases were not judged:") }
        lines += not_judged.map { "  \($0.cases): \($0.because)" }
        if let promised { lines.append("DIFFERS: the file states \(promised) cases and has \(cases)") }
        lines += differences.map { "DIFFERS: case \($0.id) (\($0.comment)): expected \($0.says.rawValue); \($0.verdict)" }
        return lines.joined(separator: "\n")
    }

    private static func line(_ first: String, _ others: String...) -> String {
        "  " + first + String(repeating: " ", count: max(0, 14 - first.count))
            + others.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
    }
}
#endif
