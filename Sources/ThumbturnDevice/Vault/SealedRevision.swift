/// The revision that a sealed file must have to be opened.
public enum SealedRevision: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// This revision; an older or a newer copy is refused.
    case exactly(UInt64)
    /// This revision or a newer one; an older copy is refused.
    case atLeast(UInt64)
    /// Any revision: an old copy that was put back is not noticed.
    case any

    /// Makes `exactly` this revision.
    public init(integerLiteral value: UInt64) { self = .exactly(value) }

    func accepts(_ revision: UInt64) -> Bool {
        switch self {
        case .exactly(let wanted): revision == wanted
        case .atLeast(let least): revision >= least
        case .any: true
        }
    }

    /// The wanted revision in words.
    public var description: String {
        switch self {
        case .exactly(let revision): "exactly \(revision)"
        case .atLeast(let revision): "at least \(revision)"
        case .any: "any"
        }
    }
}
