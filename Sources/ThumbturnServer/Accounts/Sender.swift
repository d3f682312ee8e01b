#if Server
/// Who asks without a token: the key of the DPoP proof, and the network that the request came from.
package struct Sender: Sendable {
    package var jkt: String
    package var network: Network

    package init(jkt: String, network: Network) {
        self.jkt = jkt
        self.network = network
    }
}
#endif
