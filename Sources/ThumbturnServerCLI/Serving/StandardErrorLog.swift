#if Tools
import Logging

/// Writes the log to standard error, in the form of swift-log's own handler.
///
/// That handler turns the metadata into text whenever it is set, so it would do so for every request: the logger of a
/// request carries the request's id. This one does so only for a line that is written.
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
        stream.metadataProvider = metadataProvider
        stream.log(event: event)
    }
}
#endif
