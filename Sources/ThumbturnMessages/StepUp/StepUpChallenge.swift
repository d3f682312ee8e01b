/// A resource server's request for a step-up: the header `WWW-Authenticate` of RFC 9470 section 3.
public struct StepUpChallenge: Hashable, Sendable {
    /// The greatest age of the proof; nil where the age is not the reason.
    public let maximumAge: Duration?
    /// The values of the claim `acr` of which one is needed; empty where the assurance is not the reason.
    public let acrValues: [String]
    /// The action to step up for, where the server names it. Not part of the standard.
    public let ask: ActionAsk?

    /// A request for a fresher proof, a higher assurance, or both.
    public init(maximumAge: Duration? = nil, acrValues: [String] = [], ask: ActionAsk? = nil) {
        precondition(maximumAge != nil || !acrValues.isEmpty, "a step-up asks for an age or an assurance")
        self.maximumAge = maximumAge
        self.acrValues = acrValues
        self.ask = ask
    }

    /// The header's value, in the words of the standard's examples. `DPoP` names its algorithm as well (RFC 9449
    /// section 7.1).
    public func header(scheme: Scheme) -> String {
        var parts = [
            "error=\"insufficient_user_authentication\"",
            acrValues.isEmpty
                ? "error_description=\"More recent authentication is required\""
                : "error_description=\"A different authentication level is required\"",
        ]
        if !acrValues.isEmpty { parts.append("acr_values=\"\(acrValues.joined(separator: " "))\"") }
        if let maximumAge { parts.append("max_age=\"\(maximumAge.components.seconds)\"") }
        if let ask { parts.append("action=\"\(ask.text)\"") }
        if scheme == .dpop { parts.append("algs=\"ES256\"") }
        return "\(scheme.rawValue) " + parts.joined(separator: ", ")
    }

    /// The scheme of the token in the request.
    public enum Scheme: String, Hashable, Sendable {
        /// Bound to a key.
        case dpop = "DPoP"
        /// Bound to nothing.
        case bearer = "Bearer"
    }

    /// Reads one value of the header: `Bearer` or `DPoP` and parameters (RFC 9110 section 11.6.1). Nil for anything
    /// else than `insufficient_user_authentication`, for malformed parameters, and for a parameter that occurs twice.
    public init?(_ header: String) {
        guard header.utf8.count <= 4096, let space = header.firstIndex(of: " "),
            ["bearer", "dpop"].contains(header[..<space].lowercased()),
            let parameters = Self.parameters(header[space...]), parameters["error"] == "insufficient_user_authentication"
        else { return nil }
        if let text = parameters["max_age"] {
            guard let seconds = Int64(text), seconds >= 0, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else { return nil }
            maximumAge = .seconds(seconds)
        } else {
            maximumAge = nil
        }
        acrValues = (parameters["acr_values"] ?? "").split(separator: " ").map(String.init)
        ask = parameters["action"].flatMap(ActionAsk.init(text:))
        // An action that cannot be read is not the same as an absent one.
        if parameters["action"] != nil, ask == nil { return nil }
    }

    /// `name=value` with commas between; values are tokens or quoted.
    private static func parameters(_ text: Substring) -> [String: String]? {
        var found: [String: String] = [:]
        var rest = text.unicodeScalars
        func skipSpace() { while let next = rest.first, [" ", "\t", "\r", "\n"].contains(next) { rest.removeFirst() } }
        while true {
            skipSpace()
            let name = rest.prefix { $0 != "=" && $0 != "," && $0 != " " && $0 != "\"" }
            rest.removeFirst(name.count)
            guard !name.isEmpty, rest.popFirst() == "=" else { return nil }
            var value = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "\"" {
                    if next == "\\" {
                        guard let escaped = rest.popFirst() else { return nil }
                        value.append(escaped)
                    } else {
                        value.append(next)
                    }
                    if rest.isEmpty { return nil }
                }
            } else {
                let token = rest.prefix { $0 != "," && $0 != " " }
                rest.removeFirst(token.count)
                value.append(contentsOf: token)
            }
            guard found.updateValue(String(value), forKey: Substring(name).lowercased()) == nil else { return nil }
            skipSpace()
            guard let comma = rest.popFirst() else { return found }
            guard comma == "," else { return nil }
        }
    }
}
