import Flutter
import Thumbturn

/// The channel for Flutter.
@MainActor public final class ThumbturnPlugin: NSObject, @preconcurrency FlutterPlugin {
    private let calls: ThumbturnCalls

    init(_ auth: Authenticator) { calls = ThumbturnCalls(auth) }

    public static func register(with registrar: any FlutterPluginRegistrar) {
        do {
            let auth = try Authenticator(server: URL(string: "https://id.example")!, platform: .apple())
            let channel = FlutterMethodChannel(name: "thumbturn", binaryMessenger: registrar.messenger())
            registrar.addMethodCallDelegate(ThumbturnPlugin(auth), channel: channel)
        } catch { preconditionFailure("\(error)") }
    }

    public func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult) {
        Task {
            do throws(ThumbturnCalls.Refusal) {
                result(try await calls.answer(to: call.method, call.arguments as? String ?? "{}"))
            } catch {
                result(FlutterError(code: error.code, message: error.text, details: error.details))
            }
        }
    }
}
