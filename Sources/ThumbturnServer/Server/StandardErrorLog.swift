#if Server
package import Logging

/// Writes a server program's log to standard error, in the form of swift-log's own handler.
///
/// That handler turns the metadata into text whenever it is set, so it would do so for every request: the logger of a
/// request carries the request's id. This one does so only for a line that is written.
package struct StandardErrorLog: LogHandler {
    private let stream: StreamLogHandler
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel = Logger.Level.info

    package init(label: String) {
        stream = .standardError(label: label)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var stream = stream
        stream.metadata = metadata
        stream.metadataProvider = metadataProvider
        stream.log(event: event)
    }
}
#endif
