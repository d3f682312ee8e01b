#if Server
import ThumbturnCore
import ThumbturnMessages

/// Why a request does not fit an approval as it is now.
enum ApprovalConflict: Hashable, Sendable {
    /// The account has as many open approvals of this back end as it may.
    case tooManyOpen
    /// The transaction is another one than the approved.
    case changed
    /// The approval's own state.
    case state(ApprovalState)

    static let all = [tooManyOpen, changed] + ApprovalState.allCases.map(state)

    /// The member `error` of the answer.
    var code: String {
        switch self {
        case .tooManyOpen: "too_many_open"
        case .changed: "changed"
        case .state(let state): state.rawValue
        }
    }
}

extension RequestError {
    /// The request does not fit the approval, and the caller, who may see the approval, is told why.
    static func conflict(_ conflict: ApprovalConflict) -> RequestError {
        RequestError(problem: Problem(.conflict, status: 409, error: conflict.code), reason: .init(.approval, .conflict))
    }
}
#endif
