import ThumbturnCore
import ThumbturnDevice

/// A screen of the app, which Java shows: its PIN, or its full sign-in.
struct AppScreen: Sendable {
    /// The number that Java gave it.
    let number: Int64
    let system: any AndroidSystem
    private let language: MessageLanguage

    /// A screen of the number; nil for 0, which is none.
    init?(number: Int64, system: any AndroidSystem, language: MessageLanguage) {
        guard number != 0 else { return nil }
        (self.number, self.system, self.language) = (number, system, language)
    }

    /// Shows the screen. Cancelling the task dismisses it; the call returns once it is gone.
    fileprivate func show<Value: Sendable>(
        _ operation: AndroidOperation, _ write: (inout BridgeWriter, MessageLanguage) -> Void,
        _ read: (inout BridgeReader) throws(BridgeReader.Malformed) -> Value
    ) async throws(Failure) -> Value {
        var request = BridgeWriter()
        request.put(number)
        write(&request, language)
        let id = AndroidCallID.next()
        let answers = system.begin(operation, request.message, id: id)
        // A task of its own still hears the answer when this one is cancelled.
        let answer = Task(executorPreference: system.executor) {
            for await message in answers { return message as [UInt8]? }
            return nil
        }
        let message = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            system.tell(.cancel, id)
        }
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
        switch message.map(Self.end) {
        case .done(var reader)?:
            do throws(BridgeReader.Malformed) {
                let value = try read(&reader)
                try reader.end()
                return value
            } catch {
                throw .screen(.malformed(error))
            }
        case .cancelled?: throw Failure(.cancelledByUser)
        case .threw(let thrown)?: throw .screen(thrown)
        case nil: throw .screen(.silence)
        }
    }

    /// How a screen ended.
    private enum End {
        case done(BridgeReader)
        case cancelled
        case threw(AndroidThrown)
    }

    private static func end(_ message: [UInt8]) -> End {
        do throws(BridgeReader.Malformed) {
            switch try AndroidAnswer(message) {
            case .done(var reader):
                switch try reader.number() {
                case 1: return .done(reader)
                case 2: return .cancelled
                default: throw .type
                }
            case .threw(let thrown): return .threw(thrown)
            case .news: throw .type
            }
        } catch {
            return .threw(.malformed(error))
        }
    }
}

extension Failure {
    /// What the app's PIN screen gave is none: a fault of the app.
    fileprivate static let noPIN: Failure = {
        var failure = Failure.bridge(.malformed)
        failure.developerHint = "The app's screen gave no PIN: too few or too many digits, or another character."
        return failure
    }()

    /// What a screen of the app threw: a fault of the app, whatever the class.
    fileprivate static func screen(_ thrown: AndroidThrown) -> Failure {
        Failure(.platform, recovery: .report, status: .init(domain: thrown.chain.first?.name ?? "none", code: 0))
    }
}

// MARK: - The PIN

extension AppScreen: PINEntry {
    func enter(_ request: PINRequest) async -> PINAnswer {
        await pin(.enterPIN) { message, language in
            message.put(request.reason)
            message.put(request.cancelButton.message.naming(request.sensor).text(in: language))
            message.put(Int64(request.wrongInARow))
        }
    }

    func choose() async -> PINAnswer {
        await pin(.choosePIN) { _, _ in }
    }

    private func pin(
        _ operation: AndroidOperation, _ write: (inout BridgeWriter, MessageLanguage) -> Void
    ) async -> PINAnswer {
        do throws(Failure) {
            let digits = try await show(operation, write) { (reader) throws(BridgeReader.Malformed) in try reader.text() }
            guard let pin = PIN(digits) else { throw .noPIN }
            return .entered(pin)
        } catch {
            return .failed(error)
        }
    }
}

// MARK: - The full sign-in

/// A full sign-in of an app: credentials that it has, or its screen that asks for them.
enum AppSignIn: PrimarySignIn {
    case given(Credentials)
    case screen(AppScreen)

    func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        switch self {
        case .given(let credentials): credentials
        case .screen(let screen):
            try await screen.show(.credentials) { message, _ in
                message.put(request.reason)
                message.put(request.keyThumbprint)
                message.put(request.purpose.rawValue)
                // A text of digits, or null.
                message.put(request.freshSince.map { String($0.seconds) })
            } _: { (reader) throws(BridgeReader.Malformed) in
                try Self.credentials(ofKind: try reader.number(), &reader)
            }
        }
    }

    /// Reads credentials.
    static func credentials(
        ofKind kind: Int64, _ reader: inout BridgeReader
    ) throws(BridgeReader.Malformed) -> Credentials {
        switch kind {
        case 1:
            let (account, password) = (try reader.text(), try reader.text())
            return .password(password, for: account, oneTimeCode: try reader.optionalText())
        case 2:
            let (account, code) = (try reader.text(), try reader.text())
            return .recoveryCode(code, for: account, password: try reader.optionalText())
        case 3: return .idToken(try reader.text())
        case 4:
            let path = try reader.text()
            return .json(try reader.bytes(), to: path)
        default: throw .type
        }
    }
}
