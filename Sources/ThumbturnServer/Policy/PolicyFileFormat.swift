#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages

/// What a policy file is for, by its member `format`.
package enum PolicyFileFormat: CaseIterable {
    case stepUp, evidence, unlockPolicies

    /// The value of the member that the server reads.
    package var text: String {
        switch self {
        case .stepUp: StepUpTable.format
        case .evidence: EvidencePolicy.format
        case .unlockPolicies: UnlockPolicyFile.format
        }
    }

    /// The kind of a file that says so, of whatever version: it may have mistakes all the same. Nil for another text.
    package init?(_ text: String) {
        let kind = text.prefix { $0 != "/" }
        guard let format = Self.allCases.first(where: { $0.text.prefix { $0 != "/" } == kind }) else { return nil }
        self = format
    }

    /// The member of a file; nil for a file that cannot be read, or has no such member.
    package static func text(inFile file: String) -> String? {
        struct Named: Decodable {
            var format: String
        }
        return FileManager.default.contents(atPath: file)
            .flatMap { try? StrictJSON.decodeIgnoringUnknown(Named.self, from: Array($0)) }?.format
    }
}
#endif
