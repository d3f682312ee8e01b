#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// One route of the server: a method, a path, who may call it, what a device may do there during its cool-off, and the
/// handler that answers.
struct Route: Sendable {
    let method: HTTPRequest.Method
    /// Without a slash at the front, with `{id}` for a part that varies.
    let path: String
    let access: Access

    init(_ method: HTTPRequest.Method, _ path: String, _ access: Access) {
        self.method = method
        self.path = path
        self.access = access
    }

    /// What a device may do on a route during its cool-off, in which it neither changes nor shows what the other
    /// devices of its account may lose. `KeyStanding.coolOff` tells whether a device is in it.
    enum CoolOffRule: Hashable, CaseIterable {
        /// No enrolled device calls the route as such: the answer does not depend on the caller's device.
        case noDevice
        /// Everything: the route shows or changes what is the device's own, or what no other device may lose. The lists
        /// of devices and notices are among it: an owner who enrols a new phone after a theft needs both.
        case allowed
        /// Nothing: the request is refused before the handler is called, and a change again in its transaction.
        case refused
        /// Only itself: a change of another device is refused before the handler is called.
        case itselfOnly
        /// What the request's row of `CeremonyRules` allows.
        case byCeremony
    }

    /// The rules for routes that a session key signs for.
    enum KeyRule {
        case allowed, byCeremony

        var coolOff: CoolOffRule {
            switch self {
            case .allowed: .allowed
            case .byCeremony: .byCeremony
            }
        }
    }

    /// The rules for routes that an access token opens.
    enum TokenRule {
        case allowed, refused, itselfOnly

        var coolOff: CoolOffRule {
            switch self {
            case .allowed: .allowed
            case .refused: .refused
            case .itselfOnly: .itselfOnly
            }
        }
    }

    /// The credentials that a caller has to present.
    enum Credentials: Hashable, Sendable {
        /// None: anyone may call the route.
        case none
        /// A DPoP proof by a session key (RFC 9449).
        case sessionKey
        /// A live access token and a DPoP proof by the session key that it is bound to.
        case accessToken
        /// A back end's token or assertion; the scope is nil where the route needs none.
        case backEnd(ClientScope?)
        /// A write key for telemetry, as a bearer token (RFC 6750 section 2.1).
        case writeKey
    }

    /// Who may call a route, and the handler behind that check.
    struct Access: Sendable {
        /// Any one of these is enough.
        let credentials: [Credentials]
        /// What the check lets a device do during its cool-off.
        let coolOff: CoolOffRule
        /// Authenticates the caller, refuses what its device may not do during its cool-off, then calls the handler.
        let answer: @Sendable (Request, ServerContext) async throws -> Response
    }

    /// A request whose caller has been authenticated.
    struct Incoming<Caller> {
        let request: Request
        let context: ServerContext
        let caller: Caller

        /// The path's value for `{id}`.
        func id() throws -> String { try context.parameters.require("id") }
    }

    /// Answers a request whose caller has been authenticated.
    typealias Answer<Caller> = @Sendable (Incoming<Caller>) async throws -> Response
}
#endif
