import DeviceCheck
import Foundation
import LocalAuthentication
import Security
import Thumbturn
#if STAND_INS
// Apple's systems get this module from `Thumbturn`. With the stand-ins a test runs this file.
import ThumbturnApple
#endif

/// Asks the system what Thumbturn's adapter has to assume, and writes down what it answers: domains, codes and times, and no
/// secret. Its keys and its secret are its own and protect nothing.
actor Probe {
    /// One button of the screen. The checklist in docs/apple.md says when to press it.
    enum Step: String, CaseIterable, Identifiable, Sendable {
        case facts = "1. Facts"
        case make = "2. Make keys"
        case look = "3. Look without a prompt"
        case ask = "4. Ask for your face, twice: look at the phone"
        case pin = "5. Try passwords"
        case dismiss = "6. Take a sheet away: cover the camera, and watch"
        case attest = "7. App Attest"
        case delete = "8. Delete the keys"

        var id: String { rawValue }
    }

    private let executor: (any TaskExecutor)?
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Makes a probe. A test passes its own executor and time.
    init(
        executor: (any TaskExecutor)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.executor = executor
        self.sleep = sleep
    }

    /// Takes a step and returns its lines of the report.
    func take(_ step: Step) async -> [String] {
        let lines =
            switch step {
            case .facts: await facts()
            case .make: make()
            case .look: look()
            case .ask: await ask()
            case .pin: tryPasswords()
            case .dismiss: await dismiss()
            case .attest: await attest()
            case .delete: delete()
            }
        return ["## \(step.rawValue)"] + lines
    }

    // MARK: The steps

    private func facts() async -> [String] {
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        return await ["system: \(system)", "DCErrorDomain: \(DCErrorDomain)"]
            + "\(Diagnostics.writingTestItem())".split(separator: "\n").map { String($0) }
    }

    private func make() -> [String] {
        _ = delete()
        var lines = Key.allCases.map { "make \($0.rawValue): \(make($0))" }
        if let control = try? Self.control(of: .withoutUsage) {
            let item = Self.secret.merging([
                kSecValueData as String: Data("probe".utf8), kSecAttrAccessControl as String: control,
            ]) { $1 }
            lines.append("make secret: \(SecItemAdd(item as CFDictionary, nil))")
        }
        return lines
    }

    /// What a key and a secret tell without a prompt: alive, and after a change of the enrolled faces.
    private func look() -> [String] {
        var lines = Key.allCases.map { key in
            let silent = Self.silent()
            defer { silent.invalidate() }
            return "silent \(key.rawValue): \(Self.signature(key, silent))"
        }
        let key = try? Self.find(.ofTheSet, Self.silent())
        lines.append("access control of the key: \(key.flatMap(Self.control) == nil ? "not told" : "told")")
        for isData in [false, true] {
            var query = Self.secret
            query[kSecUseAuthenticationContext as String] = Self.silent()
            query[(isData ? kSecReturnData : kSecReturnAttributes) as String] = true
            var found: CFTypeRef?
            let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
            let isTold = (found as? [String: Any])?[kSecAttrAccessControl as String] != nil
            let what = isData ? "data" : "attributes"
            lines.append("silent secret, \(what): \(status), access control \(isTold ? "told" : "not told")")
        }
        return lines
    }

    /// Prompts for the key's own access control, then for one with the same flags, and signs after each.
    private func ask() async -> [String] {
        var lines: [String] = []
        for isOwn in [true, false] {
            let context = LAContext()
            defer { context.invalidate() }
            let name = isOwn ? "own access control" : "fresh access control"
            let own = (try? Self.find(.ofTheSet, Self.silent())).flatMap(Self.control)
            let fresh = try? Self.control(of: .ofTheSet)
            guard let control = isOwn ? own : fresh else {
                lines.append("\(name): none")
                continue
            }
            lines.append("prompt for the \(name): " + (await Self.answer(context, control)))
            context.interactionNotAllowed = true
            for key in [Key.ofTheSet, .withoutUsage] { lines.append("then \(key.rawValue): \(Self.signature(key, context))") }
        }
        return lines
    }

    private func tryPasswords() -> [String] {
        [("right", Self.password), ("wrong", "wrong"), ("no", nil)].map { name, password in
            let context = Self.silent(password)
            defer { context.invalidate() }
            return "\(name) password: \(Self.signature(.ofThePassword, context))"
        }
    }

    private func dismiss() async -> [String] {
        let sheet = Sheet()
        let (answers, mailbox) = AsyncStream.makeStream(of: String.self)
        let began = ContinuousClock.now
        let sleep = sleep
        Task(executorPreference: executor) { mailbox.yield("reply \(await sheet.ask())") }
        Task(executorPreference: executor) {
            try? await sleep(.seconds(3))
            await sheet.dismiss()
            try? await sleep(.seconds(5))
            mailbox.yield("no reply 5 s after the context was invalidated")
        }
        for await answer in answers { return ["\(answer), after \(ContinuousClock.now - began)"] }
        return []
    }

    private func attest() async -> [String] {
        let attestation = AppAttestation(secrets: DevicePlatform.apple(in: Self.place).secrets)
        guard let key = PublicKey(x963: [4] + Array(repeating: 1, count: 64)) else { return [] }
        var lines: [String] = []
        for challenge in ["first", "second"] {
            do {
                switch try await attestation.evidence(for: challenge, keys: [key], server: "probe", account: "probe") {
                case .evidence(let made): lines.append("evidence: \(made.attestation.count), \(made.assertion.count) bytes")
                case .unsupported: lines.append("unsupported")
                case .refused(let status): lines.append("refused: \(status)")
                }
            } catch {
                lines.append("failed: \(error.debugDescription)")
            }
        }
        try? await attestation.forget(server: "probe", account: "probe")
        return lines
    }

    private func delete() -> [String] {
        let keys = Key.allCases.map { "delete \($0.rawValue): \(SecItemDelete(Self.query($0) as CFDictionary))" }
        return keys + ["delete secret: \(SecItemDelete(Self.secret as CFDictionary))"]
    }

    // MARK: Keys

    private enum Key: String, CaseIterable {
        case ofTheSet = "key of the enrolled set"
        case withoutUsage = "key without privateKeyUsage"
        case ofThePassword = "key of a password"
    }

    private static let place = KeychainPlace(service: "thumbturn.probe")
    private static let password = "right"
    private static func tag(_ key: Key) -> Data { Data("thumbturn.probe.\(key)".utf8) }

    private static var secret: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "thumbturn.probe",
            kSecAttrAccount as String: "secret", kSecUseDataProtectionKeychain as String: true,
        ]
    }

    private static func query(_ key: Key) -> [String: Any] {
        [
            kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag(key),
            kSecUseDataProtectionKeychain as String: true,
        ]
    }

    private func make(_ key: Key) -> String {
        do {
            let own: [String: Any] = [
                kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: Self.tag(key),
                kSecAttrAccessControl as String: try Self.control(of: key),
            ]
            var parameters: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
                kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave, kSecUseDataProtectionKeychain as String: true,
                kSecPrivateKeyAttrs as String: own,
            ]
            if key == .ofThePassword { parameters[kSecUseAuthenticationContext as String] = Self.silent(Self.password) }
            var error: Unmanaged<CFError>?
            guard unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil else { return "made" }
            throw unsafe Self.thrown(error)
        } catch {
            return Self.text(error)
        }
    }

    /// A fresh access control with the flags of a key.
    private static func control(of key: Key) throws -> SecAccessControl {
        let (protection, flags): (CFString, SecAccessControlCreateFlags) =
            switch key {
            case .ofTheSet: (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet])
            case .withoutUsage: (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet)
            case .ofThePassword: (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, [.privateKeyUsage, .applicationPassword])
            }
        var error: Unmanaged<CFError>?
        guard let control = unsafe SecAccessControlCreateWithFlags(nil, protection as CFTypeRef, flags, &error) else {
            throw unsafe thrown(error)
        }
        return control
    }

    /// The access control of a key itself.
    private static func control(_ key: SecKey) -> SecAccessControl? {
        let attributes = SecKeyCopyAttributes(key).map { $0 as CFTypeRef } as? [String: Any]
        guard let value = attributes?[kSecAttrAccessControl as String].map({ $0 as CFTypeRef }),
            CFGetTypeID(value) == SecAccessControlGetTypeID()
        else { return nil }
        return (value as! SecAccessControl)
    }

    private static func silent(_ password: String? = nil) -> LAContext {
        let context = LAContext()
        context.interactionNotAllowed = true
        if let password { context.setCredential(Data(password.utf8), type: .applicationPassword) }
        return context
    }

    private static func find(_ key: Key, _ context: LAContext) throws -> SecKey {
        var query = query(key)
        query[kSecReturnRef as String] = true
        query[kSecUseAuthenticationContext as String] = context
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess, let found else { throw NSError(domain: "lookup", code: Int(status)) }
        return found as! SecKey
    }

    private static func signature(_ key: Key, _ context: LAContext) -> String {
        do {
            var error: Unmanaged<CFError>?
            let found = try find(key, context)
            let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
            guard unsafe SecKeyCreateSignature(found, algorithm, Data([1]) as CFData, &error) == nil else { return "signed" }
            throw unsafe thrown(error)
        } catch {
            return text(error)
        }
    }

    fileprivate nonisolated(nonsending) static func answer(_ context: LAContext, _ control: SecAccessControl) async -> String {
        let began = ContinuousClock.now
        do {
            _ = try await context.evaluateAccessControl(control, operation: .useKeySign, localizedReason: "Probe Thumbturn")
            return "matched after \(ContinuousClock.now - began)"
        } catch {
            return "\(text(error)) after \(ContinuousClock.now - began)"
        }
    }

    private static func thrown(_ error: Unmanaged<CFError>?) -> any Error {
        unsafe error?.takeRetainedValue() as (any Error)? ?? NSError(domain: "none", code: 0)
    }

    private static func text(_ error: any Error) -> String {
        let error = error as NSError
        return "\(error.domain) \(error.code)" + (error.userInfo["AKSError"].map { ", AKSError \($0)" } ?? "")
    }

    /// A sheet that is taken away while it is up.
    private actor Sheet {
        private let context = LAContext()

        func ask() async -> String {
            guard let control = try? Probe.control(of: .ofTheSet) else { return "without an access control" }
            return await Probe.answer(context, control)
        }

        func dismiss() { context.invalidate() }
    }
}
