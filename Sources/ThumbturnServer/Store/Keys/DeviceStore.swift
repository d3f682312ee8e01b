#if Server
import ThumbturnCore

/// What a store keeps of devices as such.
package protocol DeviceStore: Sendable {
    /// Spends, and enrols a device with its keys, or gives a device that is enrolled already the keys of this request. Nil if
    /// something was spent before, a key is known already, or the device that vouches may not; the spends stand.
    func enrol(_ device: NewDevice, spending: [Spend]) async throws -> DeviceView?
    /// Renames a device of the session's account. Nil if there is none, or if the session that asks is no longer live.
    func rename(_ device: DeviceID, to name: String, by session: SessionID) async throws -> DeviceView?
    /// Revokes a device of the session's account and ends the device's sessions. False if there is none, or if the session that
    /// asks is no longer live.
    func revoke(_ device: DeviceID, by session: SessionID) async throws -> Bool
    /// Revokes the device of a session key and ends its sessions. False if there is none.
    func revoke(deviceWithSessionKey jkt: String) async throws -> Bool
    /// Revokes a device for the operator. False if the account has none of this id.
    func revoke(_ device: DeviceID, of account: AccountID) async throws -> Bool
}
#endif
