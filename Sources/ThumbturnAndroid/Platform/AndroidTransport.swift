import ThumbturnCore
import ThumbturnDevice

/// The network, by the system's own HTTP client: its certificate store and the app's network security configuration apply.
/// The library judges an answer's size and keeps the deadline; the client gets both numbers for what it reads and for how long
/// its sockets wait.
struct AndroidTransport: Transport {
    let system: any AndroidSystem

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let id = AndroidCallID.next()
        let answers = system.begin(.http, Self.message(request), id: id)
        let answer = await withTaskCancellationHandler {
            for await message in answers { return message as [UInt8]? }
            return nil
        } onCancel: {
            system.tell(.cancel, id)
        }
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
        guard let answer else { throw Failure(.unreachable) }
        do throws(BridgeReader.Malformed) {
            guard case .done(var reader) = try AndroidAnswer(answer) else { throw .type }
            return try Self.response(&reader)
        } catch {
            throw Self.failure(in: answer)
        }
    }

    private static func message(_ request: TransportRequest) -> [UInt8] {
        var message = BridgeWriter()
        message.put(request.method)
        message.put(request.url)
        message.put(Int64(request.headers.count))
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
            message.put(name)
            message.put(value)
        }
        message.put(request.body.isEmpty ? nil : request.body)
        message.put(Int64(request.longestAnswer))
        message.put(request.deadline.milliseconds)
        return message.message
    }

    /// The answer. One byte more than the limit is read of it, and the library refuses an answer that is too long.
    private static func response(_ reader: inout BridgeReader) throws(BridgeReader.Malformed) -> TransportResponse {
        let status = Int(try reader.number())
        let pairs = try reader.list { (reader) throws(BridgeReader.Malformed) in
            (name: try reader.text().lowercased(), value: try reader.text())
        }
        let body = try reader.optionalBytes() ?? []
        try reader.end()
        guard (100..<600).contains(status) else { throw .count }
        // Fields of one name are one list (RFC 9110 section 5.3).
        let headers = Dictionary(pairs.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        return TransportResponse(status: status, headers: headers, body: body)
    }

    /// Why there is no usable answer: a network error, or an answer that breaks the contract or its bounds.
    private static func failure(in answer: [UInt8]) -> Failure {
        guard case .threw(let thrown)? = try? AndroidAnswer(answer) else { return Failure(.unexpectedAnswer) }
        return Failure(.unreachable, status: thrown.failure.status)
    }
}
