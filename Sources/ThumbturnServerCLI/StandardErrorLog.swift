#if Tools
import Logging

/// Writes the log to standard error as swift-log's own handler does, which makes text of the metadata only for a line that
/// is written. That handler does so for each request, because each request's logger has the id of the request.
struct StandardErrorLog: LogHandler {
    private let stream: StreamLogHandler
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.info

    init(label: String) {
        stream = .standardError(label: label)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var stream = stream
        stream.metadata = metadata
        stream.log(event: event)
    }
}
#endif
