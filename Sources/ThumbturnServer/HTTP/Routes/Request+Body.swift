#if Server
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The content types of request bodies.
enum ContentType: String {
    case json = "application/json"
    case form = "application/x-www-form-urlencoded"
}

extension Request {
    /// The body of a request that must have this content type.
    ///
    /// - Parameter most: the most bytes of it.
    func bytes(
        of type: ContentType, error: OAuthError? = nil, atMost most: Int = Limits.body
    ) async throws -> [UInt8] {
        let bytes = try await cappedBytes(atMost: most)
        guard let sent = headers[.contentType], sent == type.rawValue || Self.mediaType(sent) == type.rawValue else {
            throw RequestError.malformed(status: 415, error: error)
        }
        return bytes
    }

    /// The content type without its parameters, in lower case.
    private static func mediaType(_ field: String) -> String? {
        field.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    /// The body, of at most 64 KiB unless the route says otherwise: the size is checked before anything is parsed.
    func cappedBytes(atMost most: Int = Limits.body) async throws -> [UInt8] {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > most { throw RequestError.tooLarge }
        do {
            return Array(buffer: try await body.collect(upTo: most))
        } catch is NIOTooManyBytesError {
            throw RequestError.tooLarge
        }
    }
}

extension Routes {
    static func decode<M: Message>(_ type: M.Type, _ bytes: [UInt8]) throws -> M {
        do throws(VerificationError) {
            return try WireJSON.decode(type, from: bytes)
        } catch {
            throw RequestError.malformed(error)
        }
    }

    /// The form in a request's body, and the bytes that a DPoP proof covers.
    static func form(of request: Request) async throws -> (form: Form, bytes: [UInt8]) {
        let bytes = try await request.bytes(of: .form, error: .invalidRequest)
        guard let form = Form(bytes) else { throw RequestError.malformed(error: .invalidRequest) }
        return (form, bytes)
    }
}
#endif
