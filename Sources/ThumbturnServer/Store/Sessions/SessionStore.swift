#if Server
/// The part of the store that ends sessions.
package protocol SessionStore {
    /// Ends a session if this is its session key, and with it what that key's device was stepped up to. Another key's session lives on.
    func end(_ session: SessionID, by jkt: String) async throws
}
#endif
