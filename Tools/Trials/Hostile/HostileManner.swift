#if Tools
import ThumbturnMessages

/// One way in which a server can be hostile to a device. Its name is the first segment of the server's path, so that
/// each manner is a server of its own to a device.
struct HostileManner: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Every answer is sent in this way.
        case sends(Sending)
        /// One member of the answers of one route is wrong; all else is as from an honest server.
        case member(HostileAnswers.Route, String, Fault)
        /// One claim of each challenge for a purpose is another's, or wrong.
        case claim(Purpose, Claim)
    }

    /// Ways of sending an answer.
    enum Sending: String, Hashable, Sendable, CaseIterable {
        case silent, drip, endless, endlessHead, tenGigabytes, gzipBomb, deep, wide, notHTTP, redirect301, redirect307
        case redirectToItself, redirectElsewhere, noncesForEver, asksForBasic, asksForDigest, hugeDemand, brokenDemand
        case trailers, endlessTrailers, endlessRedirect, endlessInterim, endlessFields, endlessSpaces, endlessExtension
        case oneByteChunks, statusBelow100
    }

    /// What a member is instead of itself.
    enum Fault: String, Hashable, Sendable, CaseIterable {
        case missing, null, otherType, empty, long, negative, largest
    }

    /// Claims of a challenge that are not what the device asked for.
    enum Claim: String, Hashable, Sendable, CaseIterable {
        case issuer, audience, sessionKey, key, moreKeys, purpose, act, lifetime, endsBeforeItBegan, transaction, demand
    }

    let kind: Kind

    var name: String {
        switch kind {
        case .sends(let sending): sending.rawValue
        case .member(let route, let member, let fault): "\(route.rawValue)-\(member)-\(fault.rawValue)"
        case .claim(let purpose, let claim): "challenge-\(purpose.rawValue)-\(claim.rawValue)"
        }
    }

    /// Whether at least one call has to fail: some wrong members have no meaning for a device.
    var mustFail: Bool {
        if case .member = kind { false } else { true }
    }

    static func named(_ name: Substring) -> HostileManner? { table[String(name)] }

    /// Every manner, in a fixed order.
    static let all: [HostileManner] = {
        let sending = Sending.allCases.map { Kind.sends($0) }
        let members = HostileAnswers.Route.allCases.flatMap { route in
            HostileAnswers.members(of: route).flatMap { member in Fault.allCases.map { Kind.member(route, member, $0) } }
        }
        let claims = Claim.allCases.flatMap { claim -> [Kind] in
            switch claim {
            case .transaction, .demand: [.claim(.approve, claim)]
            case .act: [.claim(.enrol, claim), .claim(.approve, claim)]
            default: [.claim(.enrol, claim), .claim(.signIn, claim), .claim(.approve, claim)]
            }
        }
        return (sending + members + claims).map { HostileManner(kind: $0) }
    }()

    private static let table = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
#endif
