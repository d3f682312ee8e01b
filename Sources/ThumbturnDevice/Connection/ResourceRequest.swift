/// A request to a resource, at this server or at an origin that the app registered.
enum ResourceRequest: Sendable {
    case here(_ method: String, _ path: String, ServerConnection.Body)
    case there(TransportRequest, WebOrigin)
}

extension ServerConnection.Body {
    init(json: [UInt8]?) { self = json.map(Self.json) ?? .none }
}
