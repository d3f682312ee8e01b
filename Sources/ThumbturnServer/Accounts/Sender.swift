#if Server
/// The sender of a request without an access token: the key of its DPoP proof, and its network.
package struct Sender: Sendable {
    /// The thumbprint of the key of the DPoP proof.
    package var jkt: String
    /// The network that the request came from.
    package var network: Network

    package init(jkt: String, network: Network) {
        self.jkt = jkt
        self.network = network
    }
}
#endif
