#if Server
import Foundation
package import ThumbturnCore
public import ThumbturnVerifier

/// The settings of approvals.
public struct ApprovalSettings: Sendable {
    /// The vendors whose liveness checks are accepted. There are none by default.
    public var livenessVendors = LivenessVendors()
    /// The most approvals of one back end that may be open for one account, so that a flood of requests cannot wear a
    /// person down.
    public var openPerAccount = 8
    /// How long an approval is open unless its creator asks for another lifetime.
    public var lifetime = Duration.seconds(300)
    /// The longest lifetime that a creator may ask for, for example because a second person has to approve as well.
    public var longestLifetime = Duration.seconds(24 * 3600)
    /// How long after the last signature an approval can be redeemed, even if its lifetime ends earlier.
    public var redeemableFor = Duration.seconds(300)

    /// Creates the default settings.
    public init() {}

    /// Whether a vendor is certified for a level of liveness.
    package func canJudge(_ level: LivenessLevel) -> Bool { livenessVendors.vendors.contains { $0.certified >= level } }

    /// Reads the vendors of liveness checks from a JSON file; see `LivenessVendors`.
    ///
    /// - Throws: `SetupError.unreadable` if there is no such file, and `SetupError.livenessVendors` if it has another
    ///   format.
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
