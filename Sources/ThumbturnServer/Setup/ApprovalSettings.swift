#if Server
import Foundation
public import ThumbturnVerifier

/// The settings of approvals.
public struct ApprovalSettings: Sendable {
    /// The vendors whose liveness checks are accepted. There are none by default.
    public var livenessVendors = LivenessVendors()
    /// The most approvals that may be open for one account, so that a person is not worn down by requests.
    public var openPerAccount = 8
    /// How long an approval is open if its creator does not say.
    public var lifetime = Duration.seconds(300)
    /// The longest lifetime that a creator may ask for, for example where a second person has to be found.
    public var longestLifetime = Duration.seconds(24 * 3600)
    /// How long after the last signature an approval can be redeemed, even if its lifetime ends earlier.
    public var redeemableFor = Duration.seconds(300)

    /// The default settings.
    public init() {}

    /// Reads the vendors of liveness checks from a file. Throws `SetupError` if `LivenessVendors` cannot read it.
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
