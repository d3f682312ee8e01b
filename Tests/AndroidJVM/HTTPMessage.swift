import ThumbturnDevice
@testable import ThumbturnAndroid

/// The messages of the bridge's exchange with a server, from the other side.
enum HTTPMessage {
    static func request(_ message: [UInt8]) throws(BridgeReader.Malformed) -> TransportRequest {
        var reader = BridgeReader(message)
        var request = TransportRequest(method: try reader.text(), url: try reader.text())
        let headers = try reader.list { (reader) throws(BridgeReader.Malformed) in (try reader.text(), try reader.text()) }
        for (name, value) in headers { request.headers[name] = value }
        request.body = try reader.optionalBytes() ?? []
        request.longestAnswer = Int(try reader.number())
        request.deadline = .milliseconds(try reader.number())
        try reader.end()
        return request
    }

    static func answer(_ response: TransportResponse) -> [UInt8] {
        var writer = BridgeWriter()
        writer.put(Int64(0))
        writer.put(Int64(response.status))
        writer.put(Int64(response.headers.count))
        for (name, value) in response.headers {
            writer.put(name)
            writer.put(value)
        }
        writer.put(response.body)
        return writer.message
    }
}
