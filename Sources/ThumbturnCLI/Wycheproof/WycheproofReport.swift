#if Tools
import ThumbturnVerifier

/// What came out of a file: how many cases were judged as it says, where the verifier says otherwise, and what was not judged.
struct WycheproofReport: Encodable {
    /// The cases of one result in the file.
    struct Row: Encodable {
        var says: WycheproofFile.Says
        var accepted = 0
        var refused = 0
        var as_the_file_says = 0
    }

    struct Difference: Encodable {
        /// The case's `tcId`.
        var id: Int
        var comment: String
        var says: WycheproofFile.Says
        var verdict: String
    }

    struct NotJudged: Encodable {
        var because: String
        var cases: Int
    }

    var algorithm: String
    /// How many cases the file says that it has, where that is not how many there are.
    var promised: Int?
    var cases = 0
    var judged = 0
    var as_the_file_says = 0
    var rows = WycheproofFile.Says.allCases.map { Row(says: $0) }
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

    /// Whether everything that was judged came out as the file says, and the file is whole.
    var holds: Bool { differences.isEmpty && promised == nil }

    private mutating func add(_ test: WycheproofFile.Case, _ judge: WycheproofJudge) {
        cases += 1
        do {
            switch judge {
            case .judge(let check): try check(test)
            case .none(let because, let check):
                leaveOut(because)
                guard let check, (try? check(test)) != nil else { return }
                return differ(test, "accepted, and nothing of this kind ever should be")
            }
            count(test, isAccepted: true, as: "accepted")
        } catch let refusal as VerificationError {
            count(test, isAccepted: false, as: "refused (\(refusal.rawValue))")
        } catch let unknown as WycheproofJudge.NotJudged {
            leaveOut(unknown.because)
        } catch let broken as WycheproofJudge.Broken {
            differ(test, broken.says)
        } catch {
            differ(test, "this case cannot be read")
        }
    }

    private mutating func count(_ test: WycheproofFile.Case, isAccepted: Bool, as verdict: String) {
        judged += 1
        guard let row = rows.firstIndex(where: { $0.says == test.says }) else { return }
        rows[row].accepted += isAccepted ? 1 : 0
        rows[row].refused += isAccepted ? 0 : 1
        guard test.says == .acceptable || isAccepted == (test.says == .valid) else { return differ(test, verdict) }
        rows[row].as_the_file_says += 1
        as_the_file_says += 1
    }

    private mutating func differ(_ test: WycheproofFile.Case, _ verdict: String) {
        differences.append(Difference(id: test.id, comment: test.comment, says: test.says, verdict: verdict))
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
        var lines = ["\(algorithm): \(as_the_file_says) of \(judged) judged cases came out as the file says."]
        if judged > 0 {
            lines.append(Self.line("the file says", "judged", "accepted", "refused", "as it says"))
            for row in rows where row.accepted + row.refused > 0 {
                lines.append(
                    Self.line(
                        row.says.rawValue, "\(row.accepted + row.refused)", "\(row.accepted)", "\(row.refused)",
                        "\(row.as_the_file_says)"))
            }
        }
        if !not_judged.isEmpty { lines.append("\(not_judged.map(\.cases).reduce(0, +)) of \(cases) cases were not judged:") }
        lines += not_judged.map { "  \($0.cases): \($0.because)" }
        if let promised { lines.append("DIFFERS: the file promises \(promised) cases and has \(cases)") }
        lines += differences.map { "DIFFERS: case \($0.id) (\($0.comment)): the file says \($0.says.rawValue); \($0.verdict)" }
        return lines.joined(separator: "\n")
    }

    private static func line(_ first: String, _ others: String...) -> String {
        "  " + first + String(repeating: " ", count: max(0, 14 - first.count))
            + others.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
    }
}
#endif
