import ThumbturnCore
import ThumbturnDevice
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AppOperation {
    /// Reads the operation's request whole, and returns what is to be done.
    func work(_ request: inout AppRequest) throws(Failure) -> AppWork {
        let calls = request.calls
        let handles = calls.handles
        switch self {
        // MARK: Other calls
        case .cancel:
            let id = try request.number()
            return { (_) in
                calls.cancel(id)
                return .empty
            }
        case .useAnotherWay:
            let id = try request.number()
            return { (_) in
                calls.question(of: id)?.useAnotherWay()
                return .empty
            }
        case .promptNow:
            let id = try request.number()
            return { (_) in
                calls.question(of: id)?.prompt()
                return .empty
            }

        // MARK: What is open
        case .close:
            let number = try request.number()
            return { (_) in
                handles.close(number)
                return .empty
            }
        case .openDevice:
            let (title, confirmsFaces) = (try request.optionalText(), try request.flag())
            let pinScreen = try request.number()
            return { (_) async throws(Failure) in
                let language = MessageLanguage.best(of: [try await calls.system.knownFacts().language])
                let pinEntry = AppScreen(number: pinScreen, system: calls.system, language: language)
                let look = AppDevice.Look(title: title, confirmsFaces: confirmsFaces, pinEntry: pinEntry)
                let device = AppDevice(platform: try await calls.platform(look))
                return .fields { $0.put(handles.keep(.device(device), speaking: language)) }
            }
        case .diagnostics:
            let device = try request.device()
            return { (_) async throws(Failure) in
                let facts = try await calls.system.knownFacts()
                let keystore = (device.platform.keys as? KeystoreKeys)?.keystore
                return .fields { $0.put(AndroidDiagnostics(facts: facts, made: keystore?.made ?? [:]).description) }
            }
        case .openAuthenticator:
            let (platform, server) = (try request.device().platform, try request.url())
            let account = try request.text()
            var resources: [URL] = []
            for text in try request.texts() { resources.append(try AppRequest.url(text)) }
            let (keeps, signIn) = (try request.flag(), try request.optionalScreen().map(AppSignIn.screen))
            let language = request.language
            return { [resources] (_) async throws(Failure) in
                let news = AppNews()
                let authenticator = try Authenticator(
                    server: server, account: account, resources: resources, platform: platform,
                    sessions: keeps ? .stored : .untilLock, signIn: signIn, observe: { news.hear($0) })
                return .fields { $0.put(handles.keep(.authenticator(authenticator, news), speaking: language)) }
            }
        case .openVault:
            let (platform, name) = (try request.device().platform, try request.text())
            let (access, policy) = (try request.choice(VaultAccess.self), try request.policy())
            let language = request.language
            return { (_) in
                let news = AppNews()
                let vault = Vault(named: name, platform: platform, policy: policy, access: access, observe: { news.hear($0) })
                return .fields { $0.put(handles.keep(.vault(vault, news), speaking: language)) }
            }
        case .news:
            let source =
                switch try request.asker() {
                case .authenticator(_, let news), .vault(_, let news): news
                case .device, .secrets: throw .bridge(.unknownHandle)
                }
            let (news, language) = (source.stream(), request.language)
            return { (answer) in
                for await news in news { answer(.fields { $0.put(news, in: language) }) }
                return .empty
            }
        case .readiness:
            let (asker, policy, language) = (try request.asker(), try request.policy(), request.language)
            return { (_) async throws(Failure) in
                let readiness =
                    switch asker {
                    case .authenticator(let authenticator, _): await authenticator.readiness(for: policy)
                    case .vault(let vault, _): await vault.readiness()
                    case .device, .secrets: throw .bridge(.unknownHandle)
                    }
                return .fields { $0.put(readiness, in: language) }
            }

        // MARK: Signing in
        case .enrol:
            let (authenticator, signIn) = (try request.authenticator(), try request.signIn())
            let (policy, name, reason) = (try request.policy(), try request.optionalText(), try request.text())
            let ifExists = try request.ifExists()
            return { (_) async throws(Failure) in
                let device = try await authenticator.enrol(
                    with: signIn, policy: policy, deviceName: name, reason: reason, ifExists: ifExists)
                return .fields { $0.put(device) }
            }
        case .addBiometrics:
            let (authenticator, policy) = (try request.authenticator(), try request.policy())
            let (name, reason) = (try request.optionalText(), try request.text())
            return { (_) async throws(Failure) in
                let device = try await authenticator.addBiometrics(policy: policy, deviceName: name, reason: reason)
                return .fields { $0.put(device) }
            }
        case .authenticate:
            let (authenticator, reason) = (try request.authenticator(), try request.text())
            let (policy, start) = (try request.policy(), try request.start())
            return { (_) async throws(Failure) in
                let grant = try await authenticator.authenticate(reason, policy: policy, by: start)
                return .fields { $0.put(grant) }
            }
        case .signIn:
            let (authenticator, signIn, reason) = (try request.authenticator(), try request.signIn(), try request.text())
            return { (_) async throws(Failure) in
                let grant = try await authenticator.signIn(with: signIn, reason: reason)
                return .fields { $0.put(grant) }
            }
        case .me:
            let authenticator = try request.authenticator()
            return { (_) async throws(Failure) in
                let account = try await authenticator.me()
                return .fields { $0.put(account) }
            }
        case .signOut:
            let (authenticator, forgetDevice) = (try request.authenticator(), try request.flag())
            return { (_) async throws(Failure) in
                try await authenticator.signOut(forgetDevice: forgetDevice)
                return .empty
            }
        case .revoke:
            let authenticator = try request.authenticator()
            return { (_) async throws(Failure) in
                try await authenticator.revoke()
                return .empty
            }
        case .forgetRecentAuthentication:
            let authenticator = try request.authenticator()
            return { (_) in
                await authenticator.forgetRecentAuthentication()
                return .empty
            }
        case .lockNow:
            let authenticator = try request.authenticator()
            return { (_) in
                authenticator.platform.lockNow()
                return .empty
            }

        case .changePassword:
            let (authenticator, password) = (try request.authenticator(), try request.text())
            let (reason, policy) = (try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                try await authenticator.changePassword(to: password, reason: reason, policy: policy)
                return .empty
            }

        // MARK: What the person chose
        case .declineBiometrics:
            let asker = try request.asker()
            return { (_) async throws(Failure) in
                switch asker {
                case .authenticator(let authenticator, _): try await authenticator.declineBiometrics()
                case .vault(let vault, _): try await vault.declineBiometrics()
                case .device, .secrets: throw .bridge(.unknownHandle)
                }
                return .empty
            }
        case .requireStrongerRung:
            let asker = try request.asker()
            return { (_) async throws(Failure) in
                switch asker {
                case .authenticator(let authenticator, _): try await authenticator.requireStrongerRungNextTime()
                case .vault(let vault, _): try await vault.requireStrongerRungNextTime()
                case .device, .secrets: throw .bridge(.unknownHandle)
                }
                return .empty
            }
        case .prefer:
            let (asker, rung) = (try request.asker(), try request.optionalRung())
            return { (_) async throws(Failure) in
                switch asker {
                case .authenticator(let authenticator, _): try await authenticator.prefer(rung)
                case .vault(let vault, _): try await vault.prefer(rung)
                case .device, .secrets: throw .bridge(.unknownHandle)
                }
                return .empty
            }
        case .shouldOfferBiometrics:
            let (asker, policy) = (try request.asker(), try request.policy())
            return { (_) async throws(Failure) in
                let isDue =
                    switch asker {
                    case .authenticator(let authenticator, _): await authenticator.shouldOfferBiometrics(for: policy)
                    case .vault(let vault, _): await vault.shouldOfferBiometrics()
                    case .device, .secrets: throw .bridge(.unknownHandle)
                    }
                return .fields { $0.put(isDue) }
            }
        case .answerBiometricOffer:
            let (asker, answer) = (try request.asker(), try request.offerAnswer())
            return { (_) async throws(Failure) in
                switch asker {
                case .authenticator(let authenticator, _): try await authenticator.answerBiometricOffer(answer)
                case .vault(let vault, _): try await vault.answerBiometricOffer(answer)
                case .device, .secrets: throw .bridge(.unknownHandle)
                }
                return .empty
            }

        // MARK: Requests
        case .stepUp:
            let (authenticator, action) = (try request.authenticator(), try request.action())
            let (amount, reason, policy) = (try request.amount(), try request.text(), try request.policy())
            guard let action else { throw .bridge(.malformed) }
            return { (_) async throws(Failure) in
                let grant = try await authenticator.stepUp(for: action, amount: amount, reason: reason, policy: policy)
                return .fields { $0.put(grant) }
            }
        case .send:
            let (authenticator, wanted) = (try request.authenticator(), try request.resourceRequest())
            let (action, amount) = (try request.action(), try request.amount())
            let (reason, policy) = (try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                let answer = try await authenticator.send(
                    wanted, doing: action, amount: amount, reason: reason, policy: policy)
                return .fields {
                    $0.put(Int64(answer.status))
                    $0.put(answer.headers)
                    $0.put(answer.body)
                }
            }
        case .authorize:
            let (authenticator, wanted) = (try request.authenticator(), try request.resourceRequest())
            let (action, amount) = (try request.action(), try request.amount())
            let (reason, policy) = (try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                var signed = wanted
                try await authenticator.authorize(&signed, doing: action, amount: amount, reason: reason, policy: policy)
                return .fields { $0.put(signed.proofs) }
            }
        case .authorizeAfter:
            let (authenticator, sent) = (try request.authenticator(), try request.resourceRequest())
            let (action, amount) = (try request.action(), try request.amount())
            let (reason, policy) = (try request.text(), try request.policy())
            let answer = try request.answer()
            return { (_) async throws(Failure) in
                var signed = sent
                let isSentAgain = try await authenticator.authorize(
                    &signed, after: answer, doing: action, amount: amount, reason: reason, policy: policy)
                return .fields {
                    $0.put(isSentAgain)
                    $0.put(isSentAgain ? signed.proofs : [:])
                }
            }

        // MARK: Approvals
        case .approvals:
            let (authenticator, language) = (try request.authenticator(), request.language)
            return { (_) async throws(Failure) in
                let approvals = try await authenticator.approvals()
                return .fields { $0.put(approvals) { $0.put($1, in: language) } }
            }
        case .approval:
            let (authenticator, id, language) = (try request.authenticator(), try request.text(), request.language)
            return { (_) async throws(Failure) in
                let approval = try await authenticator.approval(id)
                return .fields { $0.put(approval, in: language) }
            }
        case .approve:
            let (authenticator, shown, language) = (try request.authenticator(), try request.approval(), request.language)
            return { (_) async throws(Failure) in
                let signed = try await authenticator.approve(shown, in: language)
                return .fields { $0.put(signed, in: language) }
            }
        case .decline:
            let (authenticator, shown) = (try request.authenticator(), try request.approval())
            return { (_) async throws(Failure) in
                try await authenticator.decline(shown)
                return .empty
            }

        // MARK: Keys and devices
        case .setPIN:
            let (authenticator, reason, policy) = (try request.authenticator(), try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                try await authenticator.setPIN(reason, policy: policy)
                return .empty
            }
        case .changePIN:
            let (authenticator, reason, policy) = (try request.authenticator(), try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                try await authenticator.changePIN(reason, policy: policy)
                return .empty
            }
        case .removePIN:
            let (authenticator, reason, policy) = (try request.authenticator(), try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                try await authenticator.removePIN(reason, policy: policy)
                return .empty
            }
        case .resetPIN:
            let (authenticator, signIn) = (try request.authenticator(), try request.signIn())
            return { (_) async throws(Failure) in
                try await authenticator.resetPIN(with: signIn)
                return .empty
            }
        case .replaceBiometricKey:
            let (authenticator, reason, policy) = (try request.authenticator(), try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                try await authenticator.replaceBiometricKey(reason, policy: policy)
                return .empty
            }
        case .removeBiometricKey:
            let (authenticator, reason, policy) = (try request.authenticator(), try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                try await authenticator.removeBiometricKey(reason, policy: policy)
                return .empty
            }
        case .devices:
            let authenticator = try request.authenticator()
            return { (_) async throws(Failure) in
                let devices = try await authenticator.devices()
                return .fields { $0.put(devices) { $0.put($1) } }
            }
        case .rename:
            let (authenticator, device, name) = (try request.authenticator(), try request.enrolledDevice(), try request.text())
            let (reason, policy) = (try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                let renamed = try await authenticator.rename(device, to: name, reason: reason, policy: policy)
                return .fields { $0.put(renamed) }
            }
        case .remove:
            let (authenticator, device) = (try request.authenticator(), try request.enrolledDevice())
            let (reason, policy) = (try request.text(), try request.policy())
            return { (_) async throws(Failure) in
                try await authenticator.remove(device, reason: reason, policy: policy)
                return .empty
            }

        // MARK: Vaults
        case .useVault:
            let (vault, reason, start) = (try request.vault(), try request.text(), try request.start())
            let language = request.language
            return { (news) async throws(Failure) in
                do {
                    try await vault.unlocked(reason, by: start) { secrets in
                        let (end, mailbox) = AsyncStream.makeStream(of: Void.self)
                        let number = handles.keep(.secrets(secrets, end: { mailbox.finish() }), speaking: language)
                        defer { handles.close(number) }
                        news(
                            .fields {
                                $0.put(number)
                                $0.put(secrets.rung.rawValue)
                            })
                        for await _ in end {}
                    }
                    return .empty
                } catch {
                    // The body throws nothing, so it is the unlock's.
                    throw error as? Failure ?? Failure(.cancelledByApp)
                }
            }
        case .readSecret:
            let (secrets, name) = (try request.secrets(), try request.text())
            return { (_) async throws(Failure) in
                let secret = try await secrets.read(name)
                return .fields { $0.put(secret?.bytes) }
            }
        case .saveSecret:
            let (secrets, name, bytes) = (try request.secrets(), try request.text(), SecretBytes(try request.bytes()))
            return { (_) async throws(Failure) in
                try await secrets.save(bytes, as: name)
                return .empty
            }
        case .deleteSecret:
            let (secrets, name) = (try request.secrets(), try request.text())
            return { (_) async throws(Failure) in
                try await secrets.delete(name)
                return .empty
            }
        case .containsSecret:
            let (vault, name) = (try request.vault(), try request.text())
            return { (_) async throws(Failure) in
                let isThere = try await vault.contains(name)
                return .fields { $0.put(isThere) }
            }
        case .deleteVault:
            let vault = try request.vault()
            return { (_) async throws(Failure) in
                try await vault.delete()
                return .empty
            }
        case .seal:
            let (secrets, file, revision) = (try request.secrets(), try request.text(), try request.number())
            let bytes = try request.bytes()
            guard let revision = UInt64(exactly: revision) else { throw .bridge(.malformed) }
            return { (_) async throws(Failure) in
                let sealed = try secrets.seal(bytes, as: file, revision: revision)
                return .fields { $0.put(sealed) }
            }
        case .openSealed:
            let (secrets, file, revision) = (try request.secrets(), try request.text(), try request.revision())
            let sealed = try request.bytes()
            return { (_) async throws(Failure) in
                let opened = try secrets.open(sealed, as: file, revision: revision)
                return .fields { $0.put(opened.bytes) }
            }
        }
    }
}

extension TransportRequest {
    /// The fields that prove who sends it.
    fileprivate var proofs: [String: String] { headers.filter { ["Authorization", "DPoP"].contains($0.key) } }
}
