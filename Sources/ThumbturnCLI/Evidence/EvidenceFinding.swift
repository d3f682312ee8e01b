#if Tools
import Foundation
import ThumbturnCore
import ThumbturnVerifier

/// What was found about one case. Without a refusal it is accepted.
struct EvidenceFinding {
    var name: String
    /// All checks that failed, in the order in which they are made; mostly one, because most checks end the judgement.
    var refusals: [EvidenceRefusal] = []
    /// What the evidence proves of the key. Refused evidence proves nothing, and such a key counts as software.
    var level = KeyProtection.software
    /// What is known of the case, in sentences.
    var facts: [String] = []
    /// Where an Android key lives, as far as its description could be read.
    var securityLevel: AndroidSecurityLevel?
    /// What an Android key demands at each use, as far as its description could be read.
    var userVerification: UserVerification?

    var isAccepted: Bool { refusals.isEmpty }

    init(_ name: String) { self.name = name }

    /// A case of which nothing is known but why it is refused.
    init(_ name: String, _ refusal: EvidenceRefusal) { (self.name, refusals) = (name, [refusal]) }

    /// The finding in lines of text. Names and explanations quote the evidence, so each line is made printable here.
    var sentences: String {
        let verdict = isAccepted ? "accepted, level \(level)" : "refused: \(refusals[0].reason.rawValue)"
        let reasons = refusals.flatMap { ["\($0.reason.rawValue): \($0.reason.meaning)", "  \($0.sentence)"] }
        return (["\(name): \(verdict)"] + (reasons + facts).map { "  \($0)" }).map(\.printable).joined(separator: "\n")
    }
}

extension EvidenceFinding: Encodable {
    private enum Member: String, CodingKey {
        case name, verdict, reason, level, refusals, securityLevel, userVerification
    }

    private struct Refusal: Encodable {
        var reason: String
        var explanation: String
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(name, forKey: .name)
        try members.encode(isAccepted ? "accept" : "refuse", forKey: .verdict)
        // Null for an accepted case, so that each line has the same members.
        try members.encode(refusals.first?.reason.rawValue, forKey: .reason)
        try members.encode(level.rawValue, forKey: .level)
        let all = refusals.map { Refusal(reason: $0.reason.rawValue, explanation: $0.explanationWithDates) }
        try members.encode(all, forKey: .refusals)
        try members.encodeIfPresent(securityLevel?.description, forKey: .securityLevel)
        try members.encodeIfPresent(userVerification?.rawValue, forKey: .userVerification)
    }
}

/// The last line: how many cases of a file were accepted and refused.
struct EvidenceSummary: Encodable {
    var file: String
    var cases = 0
    var accepted = 0
    var refused = 0
    /// How often each reason stands first in a refusal.
    var reasons: [String: Int] = [:]

    init(file: String) { self.file = file }

    mutating func add(_ finding: EvidenceFinding) {
        cases += 1
        accepted += finding.isAccepted ? 1 : 0
        refused += finding.isAccepted ? 0 : 1
        if let reason = finding.refusals.first?.reason.rawValue { reasons[reason, default: 0] += 1 }
    }

    var sentence: String {
        let why = reasons.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let count = "\(cases) \(cases == 1 ? "case" : "cases")"
        return "\(count): \(accepted) accepted, \(refused) refused" + (why.isEmpty ? "." : " (\(why)).")
    }
}

extension EvidenceRefusal {
    /// The same refusal, with what the command asked for at the end of its explanation.
    func adding(_ question: String) -> EvidenceRefusal { EvidenceRefusal(reason, "\(explanation); \(question)") }

    /// The explanation with times as dates.
    var explanationWithDates: String {
        explanation.replacing(#/(-?[0-9]+) s since 1970/#) { match in
            Int64(match.1).map { UnixTime(seconds: $0).utc } ?? String(match.0)
        }
    }

    fileprivate var sentence: String { explanationWithDates.prefix(1).uppercased() + explanationWithDates.dropFirst() + "." }
}
#endif
