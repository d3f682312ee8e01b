#if Server
import Foundation
public import ThumbturnVerifier

/// What a deployment decides about approvals.
public struct ApprovalSettings: Sendable {
    /// Whose liveness checks are believed; nobody's unless it is said.
    public var livenessVendors = LivenessVendors()
    /// So many approvals may be open for one account, so that nobody is worn down by questions.
    public var openPerAccount = 8
    /// How long an approval is good whose creator does not say.
    public var lifetime = Duration.seconds(300)
    /// The longest that a creator may ask for, where a second person has to be found.
    public var longestLifetime = Duration.seconds(24 * 3600)
    /// How long after the last signature an approval can be redeemed, whatever is left of its life.
    public var redeemableFor = Duration.seconds(300)

    /// The default numbers.
    public init() {}

    /// Reads whose liveness checks are believed. Throws `SetupError` where the file is not as `LivenessVendors` wants it.
    public mutating func readLivenessVendors(_ path: String) throws(SetupError) {
        guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path) }
        do throws(VerificationError) {
            livenessVendors = try LivenessVendors(json: Array(data))
        } catch {
            throw .livenessVendors(path)
        }
    }
}
#endif
