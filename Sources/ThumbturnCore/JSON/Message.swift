/// A JSON object between device and server whose members are all named. `StrictJSON.decode` refuses any other member,
/// at every depth.
package protocol Message: Codable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}
