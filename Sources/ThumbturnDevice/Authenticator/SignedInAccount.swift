public import ThumbturnCore
import ThumbturnMessages

/// The account and the device of a session, as the server knows them.
public struct SignedInAccount: Hashable, Sendable {
    /// The account's id: the claim `sub` of its tokens.
    public let id: String
    /// The account's name, as one line of at most 140 characters: without control, format or invisible characters, which
    /// reverse or hide the text beside them.
    public let name: String
    /// The device's id at the server.
    public let deviceID: String
    /// The assurance of the session: the claim `acr` of its token; see `Assurance`.
    public let acr: String
    /// How the person was verified, as far as the server knows: the claim `amr` (RFC 8176).
    public let amr: [String]
    /// When a signature last verified the person, by the server's clock.
    public let verifiedAt: UnixTime

    init(_ me: Me) {
        id = me.account
        name = ShownText.line(from: me.name)
        deviceID = me.device
        acr = me.acr
        amr = me.amr
        verifiedAt = me.authTime
    }
}

extension SignedInAccount: CustomStringConvertible {
    /// The assurance of the session, without the ids and the name.
    public var description: String { "account signed in with \(acr)" }
}
