import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the fields of a call in their order. Whatever the bytes are, it returns valid values or throws.
struct AppRequest {
    private var reader: BridgeReader
    /// The handles and the system that the request is for.
    let calls: AppCalls
    /// The language of what the request is for. Before the phone is open it is English.
    private(set) var language = MessageLanguage.english

    init(_ message: [UInt8], to calls: AppCalls) {
        (reader, self.calls) = (BridgeReader(message), calls)
    }

    private mutating func read<Value>(
        _ field: (inout BridgeReader) throws(BridgeReader.Malformed) -> Value
    ) throws(Failure) -> Value {
        do throws(BridgeReader.Malformed) {
            return try field(&reader)
        } catch {
            throw .bridge(.malformed)
        }
    }

    mutating func number() throws(Failure) -> Int64 {
        try read { (reader) throws(BridgeReader.Malformed) in try reader.number() }
    }

    mutating func flag() throws(Failure) -> Bool {
        try read { (reader) throws(BridgeReader.Malformed) in try reader.flag() }
    }

    mutating func text() throws(Failure) -> String {
        try read { (reader) throws(BridgeReader.Malformed) in try reader.text() }
    }

    mutating func optionalText() throws(Failure) -> String? {
        try read { (reader) throws(BridgeReader.Malformed) in try reader.optionalText() }
    }

    mutating func bytes() throws(Failure) -> [UInt8] {
        try read { (reader) throws(BridgeReader.Malformed) in try reader.bytes() }
    }

    mutating func texts() throws(Failure) -> [String] {
        try read { (reader) throws(BridgeReader.Malformed) in
            try reader.list { (reader) throws(BridgeReader.Malformed) in try reader.text() }
        }
    }

    /// Throws unless every byte was read.
    func end() throws(Failure) {
        do throws(BridgeReader.Malformed) {
            try reader.end()
        } catch {
            throw .bridge(.malformed)
        }
    }
}

// MARK: - What the app has opened

extension AppRequest {
    /// What is open under the next number; nil for nothing.
    private mutating func opened() throws(Failure) -> AppHandles.Opened? {
        let number = try number()
        language = calls.handles.language(of: number) ?? language
        return calls.handles[number]
    }

    mutating func device() throws(Failure) -> AppDevice {
        guard case .device(let device)? = try opened() else { throw .bridge(.unknownHandle) }
        return device
    }

    mutating func authenticator() throws(Failure) -> Authenticator {
        guard case .authenticator(let authenticator, _)? = try opened() else { throw .bridge(.unknownHandle) }
        return authenticator
    }

    mutating func vault() throws(Failure) -> Vault {
        guard case .vault(let vault, _)? = try opened() else { throw .bridge(.unknownHandle) }
        return vault
    }

    /// An open vault. One that has ended throws `vaultClosed`, as its every use does.
    mutating func secrets() throws(Failure) -> LocalUnlock {
        let number = try number()
        language = calls.handles.language(of: number) ?? language
        if calls.handles.wasClosed(number) { throw Failure(.vaultClosed) }
        guard case .secrets(let secrets, _)? = calls.handles[number] else { throw .bridge(.unknownHandle) }
        return secrets
    }

    /// An authenticator or a vault.
    mutating func asker() throws(Failure) -> AppHandles.Opened {
        switch try opened() {
        case .authenticator(let authenticator, let news)?: return .authenticator(authenticator, news)
        case .vault(let vault, let news)?: return .vault(vault, news)
        case .device?, .secrets?, nil: throw .bridge(.unknownHandle)
        }
    }
}

// MARK: - Values

extension AppRequest {
    /// A value by its name.
    mutating func choice<Value: RawRepresentable>(
        _ type: Value.Type = Value.self
    ) throws(Failure) -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: try text()) else { throw .bridge(.malformed) }
        return value
    }

    /// A preset of the policies.
    mutating func policy() throws(Failure) -> UnlockPolicy {
        let name = try text()
        guard let policy = UnlockPolicy.presets[name] else {
            throw Failure(.policyDenies, hint: "There is no policy of this name: use one of the presets.")
        }
        return policy
    }

    mutating func start() throws(Failure) -> UnlockFlow.Start {
        switch try text() {
        case "tap": return .tap
        case "screen": return .screen
        case let name:
            guard let rung = Rung(rawValue: name) else { throw .bridge(.malformed) }
            return .rung(rung)
        }
    }

    /// An address. A text that is no URL fails as an address without https does.
    mutating func url() throws(Failure) -> URL { try Self.url(try text()) }

    static func url(_ text: String) throws(Failure) -> URL {
        guard let url = URL(string: text) else { throw Failure(.insecureServer) }
        return url
    }

    /// A step-up action; nil for none.
    mutating func action() throws(Failure) -> StepUpAction? {
        guard let name = try optionalText() else { return nil }
        let age = try number()
        let takesUnlock = try flag()
        guard let action = StepUpAction(name, maximumAge: .milliseconds(age), takesUnlock: takesUnlock) else {
            throw Failure(.policyDenies, hint: "An action has a name of a to z, 0 to 9 and -, and an age of 0 to 300 s.")
        }
        return action
    }

    /// An amount; nil for none.
    mutating func amount() throws(Failure) -> Money? {
        let minor = try read { (reader) throws(BridgeReader.Malformed) in try reader.optionalNumber() }
        guard let minor else { return nil }
        guard let money = Money(minor: minor, currency: try text()) else {
            throw Failure(.policyDenies, hint: "An amount has 0 to 15 digits, and a currency of three capital letters.")
        }
        return money
    }

    /// The fields of a request or an answer. Those of one name are one list (RFC 9110 section 5.3).
    ///
    /// - Parameter spelling: how a name is kept.
    mutating func headers(_ spelling: (String) -> String = { $0 }) throws(Failure) -> [String: String] {
        let pairs = try read { (reader) throws(BridgeReader.Malformed) in
            try reader.list { (reader) throws(BridgeReader.Malformed) in (try reader.text(), try reader.text()) }
        }
        return Dictionary(pairs.map { (spelling($0.0), $0.1) }) { "\($0), \($1)" }
    }

    /// A request to one of the app's own servers.
    mutating func resourceRequest() throws(Failure) -> TransportRequest {
        TransportRequest(method: try text(), url: try text(), headers: try headers(), body: try bytes())
    }

    /// What a server answered to a request that the app sent: the status, and the fields by their names in lower case.
    mutating func answer() throws(Failure) -> TransportResponse {
        let (status, headers) = (try number(), try headers { $0.lowercased() })
        guard (100..<600).contains(status) else { throw .bridge(.malformed) }
        return TransportResponse(status: Int(status), headers: headers, body: [])
    }

    /// What to do where this device is already enrolled.
    mutating func ifExists() throws(Failure) -> Authenticator.IfExists {
        switch try text() {
        case "keep": .keep
        case "replace": .replace
        case "fail": .fail
        default: throw .bridge(.malformed)
        }
    }

    /// What the person answered to the offer of biometrics.
    mutating func offerAnswer() throws(Failure) -> BiometricOffer.Answer {
        switch try text() {
        case "setUp": .setUp
        case "notNow": .notNow
        case "never": .never
        default: throw .bridge(.malformed)
        }
    }

    /// The least revision of a sealed file.
    mutating func revision() throws(Failure) -> SealedRevision {
        guard let least = try read({ (reader) throws(BridgeReader.Malformed) in try reader.optionalNumber() }) else {
            return .any
        }
        guard let least = UInt64(exactly: least) else { throw .bridge(.malformed) }
        return .atLeast(least)
    }

    /// A device of the account, as it was told.
    mutating func enrolledDevice() throws(Failure) -> EnrolledDevice {
        let (id, name, time) = (try text(), try text(), try number())
        let (isCurrent, onlySignsIn) = (try flag(), try flag())
        let keys = try read { (reader) throws(BridgeReader.Malformed) in
            try reader.list { (reader) throws(BridgeReader.Malformed) in
                let id = try reader.text()
                guard let kind = KeyKind(rawValue: try reader.text()) else { throw .type }
                return EnrolledDevice.Key(id: id, kind: kind, isActive: try reader.flag())
            }
        }
        return EnrolledDevice(
            id: id, name: name, keys: keys, enrolledAt: UnixTime(seconds: time), isCurrent: isCurrent, onlySignsIn: onlySignsIn)
    }

    /// An approval, from the bytes that it was told with.
    mutating func approval() throws(Failure) -> Approval {
        guard let record = try? StrictJSON.decode(ApprovalRecord.self, from: try bytes()), let approval = Approval(record)
        else { throw .bridge(.malformed) }
        return approval
    }

    /// A sign-in: the credentials, or the app's screen that asks for them.
    mutating func signIn() throws(Failure) -> AppSignIn {
        let kind = try number()
        if kind == 5 { return .screen(try screen()) }
        return .given(
            try read { (reader) throws(BridgeReader.Malformed) in try AppSignIn.credentials(ofKind: kind, &reader) })
    }

    /// A screen of the app.
    mutating func screen() throws(Failure) -> AppScreen {
        guard let screen = try optionalScreen() else { throw .bridge(.malformed) }
        return screen
    }

    /// A screen of the app; nil for none.
    mutating func optionalScreen() throws(Failure) -> AppScreen? {
        AppScreen(number: try number(), system: calls.system, language: language)
    }

    /// A rung; nil for none.
    mutating func optionalRung() throws(Failure) -> Rung? {
        guard let name = try optionalText() else { return nil }
        guard let rung = Rung(rawValue: name) else { throw .bridge(.malformed) }
        return rung
    }
}
