#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The form of the records that the device keeps for itself: JSON of Foundation, which writes `Data` as base64. Nothing
/// in it is signed or judged by another party.
package enum StoredRecord {
    /// The bytes of a record, with sorted members.
    package static func encode(_ record: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(record))
        } catch {
            preconditionFailure("a record that cannot be written as JSON: \(error)")
        }
    }
}
