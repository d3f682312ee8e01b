#if Server
package import ThumbturnCore

/// The port to what the nodes behind a balancer have to know of each other's DPoP proofs.
package protocol SharedProofs: Sendable {
    /// Where the database is. Proofs that it remembers may be missing at another place, so that no nonce from before is accepted there.
    var place: String { get }
    /// Remembers a proof until its nonce expires. False if any node has remembered it before, or if this is no longer the epoch:
    /// the proofs of before it may have been forgotten.
    func remember(_ proof: [UInt8], until expiry: UnixTime, in epoch: Int64) async throws -> Bool
    /// The latest time that any node has seen.
    func latestTime() async throws -> UnixTime
}
#endif
