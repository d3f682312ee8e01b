#if Server
/// Opens a sealed value, which has this label, and seals it again.
package typealias Sealing = @Sendable (_ sealed: [UInt8], _ label: [UInt8]) throws -> [UInt8]

/// The labels of sealed values. A label is authenticated with its value, so that no value is taken for another.
enum SealLabel {
    /// The label of an account's secret for one-time codes.
    static let oneTime = Array("thumbturn one-time".utf8)

    /// The label of one of the server's secrets.
    ///
    /// - Parameter use: the raw value of a `SecretUse`.
    static func secret(_ id: String, use: String) -> [UInt8] { Array("thumbturn \(use) \(id)".utf8) }
}
#endif
