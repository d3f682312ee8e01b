import Foundation
import React
import Thumbturn

/// The module for React Native.
@objc(Thumbturn) final class ThumbturnModule: NSObject {
    @MainActor private static let calls: ThumbturnCalls = {
        do { return ThumbturnCalls(try Authenticator(server: URL(string: "https://id.example")!, platform: .apple())) }
        catch { preconditionFailure("\(error)") }
    }()

    @objc static func requiresMainQueueSetup() -> Bool { false }

    @objc(call:json:resolver:rejecter:) func call(
        _ name: String, json: String, resolver: @escaping RCTPromiseResolveBlock, rejecter: @escaping RCTPromiseRejectBlock
    ) {
        nonisolated(unsafe) let (resolver, rejecter) = (resolver, rejecter)
        Task { @MainActor in
            do throws(ThumbturnCalls.Refusal) {
                resolver(try await Self.calls.answer(to: name, json))
            } catch {
                rejecter(error.code, error.text, NSError(domain: "thumbturn", code: 0, userInfo: ["details": error.details]))
            }
        }
    }
}
