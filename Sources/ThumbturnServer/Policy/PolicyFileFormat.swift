#if Server
import Foundation
import ThumbturnCore

/// The member `format` of a policy file, which tells the kinds of files apart.
package enum PolicyFileFormat {
    private struct Named: Decodable {
        var format: String
    }

    /// Nil for a file that cannot be read, or has no such member.
    package static func read(fromFile file: String) -> String? {
        FileManager.default.contents(atPath: file)
            .flatMap { try? StrictJSON.decodeIgnoringUnknown(Named.self, from: Array($0)) }?.format
    }
}
#endif
