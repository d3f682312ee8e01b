import ThumbturnCore
import ThumbturnDevice

/// The sensor and the device credential of an Android phone, asked by `BiometricPrompt`.
///
/// Each prompt authorises one use of one key. A prompt whose key cannot begin an operation is not shown.
struct AndroidSensor: Sensor {
    let keystore: Keystore
    /// Where the secrets of vaults are: a prompt for one authorises the key that decrypts it.
    let vault: KeystoreVault
    /// The API level.
    let level: Int
    let look: PromptLook

    func biometry() async -> BiometryState {
        guard let facts = try? await keystore.system.facts() else { return .unavailable }
        return facts.biometry
    }

    /// Whether the app can use the device credential: one that no prompt asks for to unlock a key is of no use to it.
    func isPasscodeSet() async -> Bool {
        guard let facts = try? await keystore.system.facts() else { return false }
        return facts.hasLockScreen && facts.credentialUnlocksKeys
    }

    func kind() async -> SensorKind? { (try? await keystore.system.facts())?.sensor }

    /// Before API 30 no prompt asks for the credential alone.
    var liftsLockouts: Bool { AndroidFacts.credentialUnlocksKeys(on: level) }

    func liftLockout(_ reason: String) async -> PromptAnswer {
        guard liftsLockouts else { return .failed(AndroidFacts.noCredentialForKeys) }
        guard let prompt = look.prompt(.credential, reason: reason, button: nil, key: nil) else {
            return .failed(Failure(.reasonMissing))
        }
        let end = await prompt.show(in: keystore) { _ in }
        guard !Task.isCancelled else { return .failed(Failure(.cancelledByApp)) }
        guard case .succeeded = end else { return .failed(failure(of: end, on: .cancel)) }
        return .matched(Presence(context: AndroidEmptyPresence()))
    }

    func prompt(_ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        guard let demand = AndroidPrompt.Demand(request.rung), request.rung.key == request.key.kind else {
            return .failed(Failure(.platform))
        }
        if demand == .credential, !liftsLockouts { return .failed(AndroidFacts.noCredentialForKeys) }
        let kind = await kind()
        let key: AndroidPresence.Purpose?
        do throws(Failure) {
            key = try await self.key(for: request)
        } catch {
            return .failed(error)
        }
        let button = demand == .biometric ? look.text(of: request.cancelButton, kind) : nil
        guard let prompt = look.prompt(demand, reason: request.reason, button: button, key: key) else {
            return .failed(Failure(.reasonMissing))
        }
        guard !Task.isCancelled else { return .failed(Failure(.cancelledByApp)) }
        let end = await prompt.show(in: keystore) { news in
            switch news {
            case .help(let code): if let reading = HelpCodes.reading(code, of: kind) { hearing(.readPoorly(reading)) }
            // The system counts wrong credentials by itself.
            case .mismatch: if demand == .biometric { hearing(.mismatched) }
            }
        }
        return await answer(end, request, key)
    }

    /// The key that the prompt authorises; nil for a vault without a secret.
    private func key(for request: PromptRequest) async throws(Failure) -> AndroidPresence.Purpose? {
        if request.key.server == Vault.realm { return try await vault.purpose(of: request.key) }
        guard let kind = NewKeyKind(request.key.kind) else { throw Failure(.policyDenies) }
        return .init(alias: KeyAlias.of(request.key, in: .key), kind: kind, message: request.message)
    }

    private func answer(
        _ end: AndroidPrompt.End, _ request: PromptRequest, _ key: AndroidPresence.Purpose?
    ) async -> PromptAnswer {
        // Cancelled by the app, whatever came at the same time: a match then opens nothing.
        if Task.isCancelled { return .failed(Failure(.cancelledByApp)) }
        switch end {
        case .succeeded(let presence?): return .matched(Presence(context: presence))
        case .succeeded(nil): return .matched(Presence(context: AndroidEmptyPresence()))
        case .threw(let thrown):
            guard let key else { return .failed(thrown.failure) }
            return .failed(await keystore.explained(thrown, key.alias, kind: key.kind))
        case .error, .silent: return .failed(failure(of: end, on: request.cancelButton))
        }
    }

    private func failure(of end: AndroidPrompt.End, on button: UnlockFlow.CancelButton) -> Failure {
        switch end {
        // Only the app's own cancellation is answered by silence.
        case .succeeded, .silent: Failure(.cancelledByApp)
        case .error(let code): PromptErrors.failure(of: code, on: button)
        case .threw(let thrown): thrown.failure
        }
    }
}

extension AndroidPrompt.Demand {
    /// What the prompt for a rung asks for; nil for a rung that the system does not ask.
    fileprivate init?(_ rung: Rung) {
        switch rung {
        case .biometric: self = .biometric
        case .devicePasscode: self = .credential
        case .appPIN, .fullCredentials: return nil
        }
    }
}

/// The words of the app's prompts, and whether they ask for a tap after a face.
struct PromptLook: Sendable {
    /// The first line, such as the app's name; nil for prompts whose first line is the reason.
    var title: String?
    var language = MessageLanguage.english
    /// Whether a face has to be confirmed by a tap, so that a look at the phone alone signs nothing.
    var confirmsFaces = true

    /// A prompt with these words; nil without a reason, which the system refuses.
    func prompt(
        _ demand: AndroidPrompt.Demand, reason: String, button: String?, key: AndroidPresence.Purpose?
    ) -> AndroidPrompt? {
        guard reason.contains(where: { !$0.isWhitespace }) else { return nil }
        return AndroidPrompt(
            demand: demand, title: title ?? reason, text: title == nil ? nil : reason, button: button, key: key,
            isConfirmed: confirmsFaces)
    }

    func text(of button: UnlockFlow.CancelButton, _ sensor: SensorKind?) -> String {
        switch button {
        case .cancel: PersonMessage(.cancel).text(in: language)
        case .use(.biometric): Rung.biometric.button.naming(sensor.map { SensorName($0) }).text(in: language)
        case .use(let rung): rung.button.text(in: language)
        }
    }
}
