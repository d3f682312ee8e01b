#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages

extension Route {
    /// What a route reads from a request, and how it answers an authenticated caller. Most handlers call one function of
    /// the service: `.json(service.devices(_:))`.
    struct Handler<Caller>: Sendable {
        /// Reads the body, before the caller is authenticated.
        let read: @Sendable (Request) async throws -> Sent
        /// Parses a JSON body, after the caller is authenticated, and returns what answers the request.
        let parse: @Sendable (Sent) throws -> Answer<Caller>
    }

    /// A body that was read: its bytes, which a DPoP proof covers, and its fields if it is a form.
    struct Sent {
        let bytes: [UInt8]
        var form: Form?
    }
}

extension Route.Handler<Void> {
    /// Takes no body, and reads none.
    static func unread(_ answer: @escaping Route.Answer<Void>) -> Self {
        Self(read: { _ in Route.Sent(bytes: []) }, parse: { _ in answer })
    }

    /// Calls a function of the service that takes the message, and answers its result in JSON.
    static func json<Body: Message, Value: Message>(
        _ call: @escaping @Sendable (Body) async throws -> Value
    ) -> Self {
        .message { body, _ in .json(try await call(body)) }
    }
}

extension Route.Handler {
    /// Takes no body.
    static func plain(_ answer: @escaping Route.Answer<Caller>) -> Self {
        Self(read: { Route.Sent(bytes: try await $0.cappedBytes()) }, parse: { _ in answer })
    }

    /// Takes a JSON message.
    static func message<Body: Message>(
        _ answer: @escaping @Sendable (Body, Route.Incoming<Caller>) async throws -> Response
    ) -> Self {
        Self(read: { Route.Sent(bytes: try await $0.bytes(of: .json)) }) { sent in
            let body = try Routes.decode(Body.self, sent.bytes)
            return { try await answer(body, $0) }
        }
    }

    /// Takes a form.
    static func form(_ answer: @escaping @Sendable (Form, Route.Incoming<Caller>) async throws -> Response) -> Self {
        Self {
            let (form, bytes) = try await Routes.form(of: $0)
            return Route.Sent(bytes: bytes, form: form)
        } parse: { sent in
            guard let form = sent.form else { preconditionFailure("a form has been read") }
            return { try await answer(form, $0) }
        }
    }

    // MARK: One function of the service, whose result is the answer in JSON

    /// Calls a function that takes the caller.
    static func json<Value: Message>(_ call: @escaping @Sendable (Caller) async throws -> Value) -> Self {
        .plain { .json(try await call($0.caller)) }
    }

    /// Calls a function that takes the path's id.
    static func json<Value: Message>(_ call: @escaping @Sendable (String, Caller) async throws -> Value) -> Self {
        .plain { .json(try await call(try $0.id(), $0.caller)) }
    }

    /// Calls a function that takes the message.
    static func json<Body: Message, Value: Message>(
        _ call: @escaping @Sendable (Body, Caller) async throws -> Value, status: HTTPResponse.Status = .ok
    ) -> Self {
        .message { .json(try await call($0, $1.caller), status: status) }
    }

    /// Calls a function that takes the path's id and the message.
    static func json<Body: Message, Value: Message>(
        _ call: @escaping @Sendable (String, Body, Caller) async throws -> Value
    ) -> Self {
        .message { .json(try await call(try $1.id(), $0, $1.caller)) }
    }

    // MARK: One function of the service, after which the answer is 204

    /// Calls a function that takes the caller.
    static func noContent(_ call: @escaping @Sendable (Caller) async throws -> Void) -> Self {
        .plain { asked in
            try await call(asked.caller)
            return Response(status: .noContent)
        }
    }

    /// Calls a function that takes the path's id.
    static func noContent(_ call: @escaping @Sendable (String, Caller) async throws -> Void) -> Self {
        .plain { asked in
            try await call(try asked.id(), asked.caller)
            return Response(status: .noContent)
        }
    }

    /// Calls a function that takes the message.
    static func noContent<Body: Message>(_ call: @escaping @Sendable (Body, Caller) async throws -> Void) -> Self {
        .message { body, asked in
            try await call(body, asked.caller)
            return Response(status: .noContent)
        }
    }
}
#endif
