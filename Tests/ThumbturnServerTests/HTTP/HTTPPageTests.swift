#if Tools
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// The examples of docs/http.md, sent to a server in the order of the page, and the page's list of routes.
@Suite struct HTTPPageTests {
    @Test func everyExampleGetsTheAnswerThatThePageShows() async throws {
        let page = try HTTPPage()
        #expect(page.examples.count >= page.sections.count)
        let provider = try TokenExchangeTests.Provider()
        defer { try? FileManager.default.removeItem(atPath: provider.folder) }
        let policies = try UnlockPoliciesTests.File()
        defer { policies.remove() }
        let configure: @Sendable (inout ServerSettings) -> Void = {
            $0.allowsPlainClients = true
            $0.unlockPolicies = policies.policies
            $0.identityProviders = provider.file
            var table = StepUpTable.standard
            table.actions["account-balance"] = ActionRule(maximumAge: .seconds(60))
            table.actions["account-balance"]?.takesUnlock = true
            $0.stepUp = StepUpPolicy(table)
            if let policy = try? TPMEvidenceEnrolmentTests.policy() { $0.evidence = EvidenceRules(policy) }
        }
        try await LiveServer.run(configure: configure) { live in
            var reader = try await HTTPPageReader(live, provider)
            for example in page.examples { try await reader.run(example) }
        }
    }

    @Test func everyRouteHasASectionAndEverySectionARoute() async throws {
        let policies = try UnlockPoliciesTests.File()
        defer { policies.remove() }
        let configure: (inout ServerSettings) -> Void = {
            $0.allowsPlainClients = true
            $0.unlockPolicies = policies.policies
        }
        try await LiveServer.run(configure: configure) { live in
            let routes = Routes(live.service).router().routes.map { "\($0.method.rawValue) \($0.path)" }
            #expect(routes.count > 20)
            let sections = try HTTPPage().sections.map(\.route)
            #expect(Set(sections.map(Self.general)) == Set(routes.map(Self.general)))
            #expect(Set(sections).count == sections.count)
        }
    }

    @Test func everySectionSaysWhoCallsTheRouteAndShowsItAndItsErrors() throws {
        for section in try HTTPPage().sections {
            #expect(section.text.contains("**Caller:**") && section.text.contains("**Errors"), "\(section.route)")
            let shown = section.examples.contains { Self.shows($0, section.route) }
            #expect(shown, "\(section.route) has no example")
        }
    }

    /// A client without this library has the names of events from the page alone.
    @Test func theTableOfEventsHasEachEventAndEachOfItsNames() throws {
        let section = try #require(try HTTPPage().sections.first { $0.route == "POST /v1/telemetry" })
        let rows = section.text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let texts = rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) } }
        let events = try texts.map { try JSONDecoder().decode(Telemetry.self, from: Data($0.utf8)) }
        let names = events.map { "\($0)".prefix { $0 != "(" } }
        #expect(events.count == 13 && Set(texts.compactMap { $0.firstMatch(of: /[a-z]\w+/)?.0 }).count == 13, "\(names)")
        let all =
            Rung.allCases.map(\.rawValue) + KeyLoss.allCases.map(\.rawValue) + PoorReading.allCases.map(\.rawValue)
            + BiometricOffer.Answer.allCases.map(\.rawValue) + SensorName.allCases.map(\.rawValue)
            + Telemetry.Appearance.allCases.map(\.rawValue) + Failure.Code.all.map(\.name)
        for name in all { #expect(section.text.contains("`\(name)`"), "\(name)") }
    }

    /// `current` is a value of `{id}`.
    private static func general(_ route: String) -> String { route.replacing("/devices/current", with: "/devices/{id}") }

    private static func shows(_ example: HTTPPage.Example, _ route: String) -> Bool {
        let (asked, declared) = (example.path.split(separator: "/"), route.split(separator: " ")[1].split(separator: "/"))
        return route.hasPrefix(example.method + " ") && asked.count == declared.count
            && zip(asked, declared).allSatisfy { $0 == $1 || $1 == "{id}" }
    }
}

/// The sections and examples of docs/http.md.
struct HTTPPage {
    /// One request, and the answer that it gets.
    struct Example {
        var line: Int
        var method: String
        var path: String
        var headers: [(name: String, value: String)]
        var body: String
        var answer: Answer

        struct Answer {
            var status: Int
            var headers: [(name: String, value: String)]
            var body: String
        }
    }

    struct Section {
        /// Method and path, as in the heading.
        var route: String
        var text = ""
        var examples: [Example] = []
    }

    private(set) var sections: [Section] = []
    private(set) var examples: [Example] = []

    init() throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/http.md"), encoding: .utf8)
        let lines = page.components(separatedBy: "\n")
        var isInRoute = false
        var request: (line: Int, text: [String])?
        var index = 0
        while index < lines.count {
            let line = lines[index]
            if let route = line.wholeMatch(of: /### ((?:GET|POST|PATCH|PUT|DELETE) \/\S+)/)?.1 {
                sections.append(Section(route: String(route)))
                isInRoute = true
            } else if line.hasPrefix("## ") || line.hasPrefix("### ") {
                isInRoute = false
            }
            if isInRoute { sections[sections.count - 1].text += line + "\n" }
            guard line == "```http" else {
                index += 1
                continue
            }
            let end = try #require(lines[index...].firstIndex(of: "```"))
            let block = Array(lines[(index + 1)..<end])
            if block[0].hasPrefix("HTTP/1.1 ") {
                let (at, text) = try #require(request, "line \(index + 1): an answer without a request")
                let example = try Self.example(at, text, block)
                examples.append(example)
                if isInRoute { sections[sections.count - 1].examples.append(example) }
                request = nil
            } else {
                #expect(request == nil, "line \(index + 1): the request before it has no answer")
                request = (index + 1, block)
            }
            index = end + 1
        }
        #expect(request == nil, "the last request has no answer")
    }

    private static func example(_ line: Int, _ request: [String], _ answer: [String]) throws -> Example {
        let (asked, told) = (parts(request), parts(answer))
        let first = asked.first.split(separator: " ").map(String.init)
        return Example(
            line: line, method: try #require(first.first), path: try #require(first.dropFirst().first), headers: asked.headers,
            body: asked.body,
            answer: .init(
                status: try #require(told.first.split(separator: " ").dropFirst().first.flatMap { Int($0) }),
                headers: told.headers, body: told.body))
    }

    private static func parts(_ block: [String]) -> (first: String, headers: [(name: String, value: String)], body: String) {
        let end = block.firstIndex(of: "") ?? block.count
        let headers = block[1..<end].map { line in
            let colon = line.range(of: ": ")
            return (
                name: String(line[..<(colon?.lowerBound ?? line.endIndex)]),
                value: String(line[(colon?.upperBound ?? line.endIndex)...])
            )
        }
        return (block[0], headers, block.dropFirst(end + 1).joined(separator: "\n"))
    }
}

/// Sends the examples of the page as a client would, and compares the answers.
struct HTTPPageReader {
    private let live: LiveServer
    /// Made before any ticket, which it would make void.
    private let recoveryCode: String
    private let provider: TokenExchangeTests.Provider
    private let backEnd: BackEnd
    private let plain = PlainClient.Key.es256(P256.Signing.PrivateKey())
    private let connection: LoadConnection
    private let device: LoadDevice
    private let newDevice: LoadDevice
    private let pin = P256.Signing.PrivateKey()
    /// What answers told.
    private var known: [String: String] = [:]
    private var approvals = 0

    init(_ live: LiveServer, _ provider: TokenExchangeTests.Provider) async throws {
        self.live = live
        recoveryCode = try await live.server.makeRecoveryCodes(ofAccountNamed: "ada")[0]
        self.provider = provider
        backEnd = try await live.backEnd([.introspect, .approvals])
        connection = try await live.connect()
        device = LoadDevice(server: live.url)
        newDevice = LoadDevice(server: live.url)
    }

    mutating func run(_ example: HTTPPage.Example) async throws {
        // Each has a second of its own, so that lists have one order.
        live.clock.advance(by: .seconds(1))
        let path = try await filled(example.path)
        var headers: [(String, String)] = []
        var type: String?
        var proof: (name: String, value: String)?
        for (name, value) in example.headers {
            switch name {
            case "Content-Type": type = value
            // It covers the rest of the request, so it is made last.
            case "DPoP": proof = (name, value)
            default: headers.append((name, try await filled(value)))
            }
        }
        let isForm = type == "application/x-www-form-urlencoded"
        let body = Array((isForm ? try await form(example.body) : try await filled(example.body)).utf8)
        if let proof { headers.append(("DPoP", try await dpop(proof.value, example.method, path, headers, body))) }
        let answer = try await connection.send(example.method, path, type: type, headers: headers, body: body)

        let shown = example.answer
        let place = "docs/http.md:\(example.line)"
        #expect(answer.status == shown.status, "\(place): \(answer.text)")
        for (name, value) in shown.headers {
            #expect(answer.headerNames.contains(name.lowercased()), "\(place): \(name)")
            if name == "WWW-Authenticate" { #expect(answer.challenge == value, "\(place)") }
        }
        guard !shown.body.isEmpty, shown.body.first == "{" else {
            #expect(Self.fits(answer.text.trimmingCharacters(in: .newlines), shown.body), "\(place): \(answer.text)")
            return
        }
        let expected = try JSONSerialization.jsonObject(with: Data(shown.body.utf8))
        let told = try JSONSerialization.jsonObject(with: Data(answer.body), options: .fragmentsAllowed)
        compare(told, expected, "\(place): \(answer.text)")
    }

    // MARK: What the client sends

    /// A text with every `$NAME` in it replaced.
    private mutating func filled(_ text: String) async throws -> String {
        var filled = ""
        var rest = text[...]
        while let match = rest.firstMatch(of: /\$([A-Z_]+)/) {
            filled += rest[..<match.range.lowerBound] + (try await value(String(match.1)))
            rest = rest[match.range.upperBound...]
        }
        return filled + rest
    }

    /// The page shows one field on a line.
    private mutating func form(_ lines: String) async throws -> String {
        var fields: [String] = []
        for line in lines.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            let value = try await filled(parts[1])
            let encoded = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            fields.append("\(parts[0])=\(encoded)")
        }
        return fields.joined(separator: "&")
    }

    private mutating func value(_ name: String) async throws -> String {
        let challenge = known["CHALLENGE"] ?? ""
        switch name {
        case "NOW": return "\(live.clock.now.seconds)"
        case "JKT": return device.sessionKid
        case "KID": return device.kid
        case "SESSION_KEY": return try Self.json(device.registrations(challenge)[0].jwk)
        case "BIOMETRIC_KEY": return try Self.json(device.registrations(challenge)[1].jwk)
        case "SESSION_PROOF": return device.sessionProof(challenge)
        case "PROOF": return device.proof(challenge)
        case "PIN_KEY": return try Self.json(PINKeyTests.jwk(pin))
        case "PIN_PROOF": return PINKeyTests.proof(challenge, by: pin, PINKeyTests.kids(challenge)[0])
        case "ACCESS_TOKEN": return try await device.signIn(over: connection).accessToken
        case "PASSWORD_TOKEN":
            return try await PasswordChangeTests.token(LiveServer.Enrolled(device: device, connection: connection))
        case "NEW_JKT": return newDevice.sessionKid
        case "OTHER_DEVICE": return try await otherDevice()
        case "OPEN_APPROVAL": return try await openApproval()
        case "RECOVERY_CODE": return recoveryCode
        case "ID_TOKEN":
            return try provider.idToken(for: device.sessionKid, at: live.clock.now, claims: ["auth_time": live.clock.now.seconds])
        case "ASSERTION": return try backEnd.assertion(at: live.clock.now)
        case "ENDORSEMENT": return Base64URL.encode(TPMEvidenceEnrolmentTests.tpm.mint.chain[0])
        case "ENDORSEMENT_ISSUER": return Base64URL.encode(TPMEvidenceEnrolmentTests.tpm.mint.chain[1])
        case "ATTESTATION_KEY": return Base64URL.encode(TPMEvidenceEnrolmentTests.tpm.mint.attestationKey.bytes)
        case "SPKI": return plain.spki
        case "TICKET_SIGNATURE": return try plain.sign(for: known["NEW_TICKET"] ?? "")
        case "PLAIN_SIGNATURE": return try plain.sign(for: known["PLAIN_CHALLENGE"] ?? "")
        default: return try #require(known[name], "$\(name) is told by no answer before")
        }
    }

    private mutating func dpop(
        _ value: String, _ method: String, _ path: String, _ headers: [(String, String)], _ body: [UInt8]
    ) async throws -> String {
        let signers = ["$DPOP": device, "$OLD_DPOP": device, "$NEW_DPOP": newDevice, "$BANK_DPOP": backEnd.signer]
        let signer = try #require(signers[value], "\(value)")
        let token = headers.first { $0.0 == "Authorization" }.map { String($0.1.dropFirst("DPoP ".count)) }
        let nonce = value == "$OLD_DPOP" ? "a nonce that has expired" : try await device.challenge(over: connection).nonce
        return signer.dpop(method, path, method == "GET" ? nil : body, nonce: nonce, token: token)
    }

    private func otherDevice() async throws -> String {
        let other = LoadDevice(server: live.url)
        try await other.enrol(account: "ada", password: LiveServer.password, over: connection)
        let token = try await other.signIn(over: connection).accessToken
        let nonce = try await other.challenge(over: connection).nonce
        return try await other.get("/v1/me", token: token, nonce: nonce, over: connection).field("device")
    }

    private mutating func openApproval() async throws -> String {
        approvals += 1
        let bank = Bank(backEnd: backEnd, clock: live.clock)
        let account = try #require(known["ACCOUNT"])
        return try await bank.ask(account, Bank.payment("1", "Super Store", "open-\(approvals)")).field("id")
    }

    private static func json(_ jwk: JWK?) throws -> String { String(decoding: try JSONEncoder().encode(jwk), as: UTF8.self) }

    // MARK: What the server answers

    private static func fits(_ told: String, _ shown: String) -> Bool {
        let parts = shown.split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? told.hasPrefix(parts[0]) && told.hasSuffix(parts[1]) : told == shown
    }

    /// Compares an answer with the page: `…` is any text, `$NAME` is one that is kept, 1790000000 is any time.
    private mutating func compare(_ told: Any, _ shown: Any, _ place: String) {
        switch (told, shown) {
        case (let told as [String: Any], let shown as [String: Any]):
            #expect(Set(told.keys) == Set(shown.keys), "\(place)")
            for (name, value) in shown { if let other = told[name] { compare(other, value, "\(name) in \(place)") } }
        case (let told as [Any], let shown as [Any]):
            let isOpen = shown.count > 1 && shown.last as? String == "…"
            let elements = isOpen ? Array(shown.dropLast()) : shown
            #expect(isOpen ? told.count >= elements.count : told.count == elements.count, "\(place)")
            for (told, shown) in zip(told, elements) { compare(told, shown, place) }
        case (let told as String, let shown as String):
            if let name = shown.wholeMatch(of: /\$([A-Z_]+)/)?.1 {
                known[String(name)] = told
            } else {
                #expect(Self.fits(told, shown), "\(shown) is shown in \(place)")
            }
        case (let told as NSNumber, let shown as NSNumber):
            let isTime = shown.int64Value == 1_790_000_000 && told.int64Value > 1_000_000_000
            #expect(isTime || told == shown, "\(shown) is shown in \(place)")
        default: Issue.record("\(shown) is shown in \(place)")
        }
    }
}
#endif
