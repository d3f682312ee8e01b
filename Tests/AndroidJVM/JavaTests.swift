import Foundation
import TestSupport
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// What scenario files do not show: Java's own sensor, makers' faults, the life of an app. Each test has the app's folder.
let tests: [(name: String, body: @Sendable (String) async throws -> Void)] = [
    (
        "a match of Java's sensor signs in",
        { folder in
            try await unlock(folder) { world, auth in
                world.script("match")
                try await granted(.biometric, auth)
            }
        }
    ),
    (
        "a mismatch of Java's sensor is one, and the same prompt matches",
        { folder in
            try await unlock(folder) { world, auth in
                let before = world.prompts
                world.script("fail, match")
                try await granted(.biometric, auth)
                try check(world.prompts - before == 1, "one prompt, not \(world.prompts - before)")
            }
        }
    ),
    (
        "the temporary lockout of Java's sensor moves to the credential",
        { folder in
            try await unlock(folder) { world, auth in
                world.script("fail, fail, fail, fail, fail")
                world.script("credential")
                try await granted(.devicePasscode, auth)
                // The credential has lifted the lockout.
                world.script("match")
                try await granted(.biometric, auth)
            }
        }
    ),
    (
        "the permanent lockout of Java's sensor ends by the credential",
        { folder in
            try await unlock(folder) { world, auth in
                world.script(Array(repeating: "fail", count: 20).joined(separator: ", "))
                world.script("credential")
                try await granted(.devicePasscode, auth)
                world.script("match")
                try await granted(.biometric, auth)
            }
        }
    ),
    (
        "a new finger ends the key",
        { folder in
            try await unlock(folder) { world, auth in
                let before = world.prompts
                world.phone.enrolNewFace()
                world.script("credential")
                try await granted(.devicePasscode, auth)
                try check(world.prompts - before == 1, "no prompt is shown for a dead key")
            }
        }
    ),
    (
        "a cancelled unlock takes Java's prompt from the screen",
        { folder in
            try await unlock(folder) { world, auth in
                world.phone.next(.ignore)
                try await cancelled(world, auth, after: .seconds(1))
                try check(JavaPhone.tell("on-screen") == "0", "the prompt is gone")
            }
        }
    ),
    (
        "a silent system is answered for in two seconds",
        { folder in
            try await unlock(folder) { world, auth in
                world.script("silence")
                try await cancelled(world, auth, after: .seconds(1))
            }
        }
    ),
    (
        "a rotation keeps the prompt",
        { folder in
            try await unlock(folder) { world, auth in
                let (before, clock) = (world.prompts, world.clock)
                world.phone.next(.match, after: .seconds(2))
                let rotation = Task(executorPreference: clock.executor) {
                    try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
                    JavaPhone.tell("rotate")
                    return JavaPhone.tell("on-screen")
                }
                try await granted(.biometric, auth)
                try check(try await rotation.value == "1" && world.prompts - before == 1, "one prompt, which stays")
            }
        }
    ),
    (
        "a late match opens nothing",
        { folder in
            try await unlock(folder) { world, auth in
                world.script("stays, error 5")
                world.script("match")
                try await cancelled(world, auth, after: .zero)
                JavaPhone.tell("late-match")
            }
        }
    ),
    (
        "StrongBox that breaks is done without",
        { folder in
            let world = JavaWorld(folder: folder)
            JavaPhone.tell("strongbox broken")
            try await world.clock.run {
                let auth = try await enrolled(world)
                world.script("match")
                try await granted(.biometric, auth)
            }
        }
    ),
    (
        "the secret of a vault is wrapped and opened with RSA",
        { folder in
            try await vault(folder, access: .userPresence) { world, store in
                for (length, kind) in [(1, KeyKind.biometric), (190, .passcode)] {
                    let (name, secret) = (vaultName(kind), [UInt8](repeating: 7, count: length))
                    try await store.protect(SecretBytes(secret), as: name, access: .userPresence)
                    try check(try await opened(name, store, world) == secret, "the secret comes back")
                }
            }
        }
    ),
    (
        "a new finger ends the current set's secret and no other",
        { folder in
            for access in [VaultAccess.biometryCurrentSet, .biometryAny] {
                try await vault(folder, access: access) { world, store in
                    let name = vaultName(.biometric)
                    try await store.protect(SecretBytes("x"), as: name, access: access)
                    world.phone.enrolNewFace()
                    let isOver = access == .biometryCurrentSet
                    let state = await store.state(of: name)
                    try check(state == (isOver ? .invalidated(.enrolmentChanged) : .usable), "\(access): \(state)")
                }
            }
        }
    ),
]

let signIn = PasswordSignIn(account: "ada", password: InMemoryServer.password)

private func enrolled(_ world: JavaWorld) async throws -> Authenticator {
    let auth = try Authenticator(server: InMemoryServer.url, platform: try await world.platform())
    try await auth.enrol(with: signIn, policy: policy)
    return auth
}

private let policy = UnlockPolicy(ladder: [.biometric, .devicePasscode, .fullCredentials])

/// Enrols a phone, and does the rest of a test with it.
private func unlock(
    _ folder: String, _ body: @escaping @Sendable (JavaWorld, Authenticator) async throws -> Void
) async throws {
    let world = JavaWorld(folder: folder)
    try await world.clock.run { try await body(world, try await enrolled(world)) }
    let crash = JavaPhone.tell("crash")
    try check(crash == "null", "Java's main thread threw \(crash)")
}

private func granted(_ rung: Rung, _ auth: Authenticator) async throws {
    let grant = try await auth.authenticate("Unlock", policy: policy)
    try check(grant.rung == rung, "granted by \(grant.rung)")
}

/// Cancels an unlock after this time.
private func cancelled(_ world: JavaWorld, _ auth: Authenticator, after time: Duration) async throws {
    let clock = world.clock
    let unlock = Task(executorPreference: clock.executor) {
        do {
            _ = try await auth.authenticate("Unlock", policy: policy)
            return nil as Failure.Code?
        } catch {
            return (error as? Failure)?.code
        }
    }
    try await clock.sleep(until: clock.now.advanced(by: time))
    unlock.cancel()
    let code = await unlock.value
    try check(code == .cancelledByApp, "it ended with \(code.map { "\($0)" } ?? "a grant")")
}

// MARK: Vaults

private func vault(
    _ folder: String, access: VaultAccess, _ body: @escaping @Sendable (JavaWorld, any ProtectedStore) async throws -> Void
) async throws {
    let world = JavaWorld(folder: folder)
    try await world.clock.run {
        guard let store = try await world.platform().vaults else { throw Failed("an Android has vaults") }
        try await body(world, store)
    }
}

private func vaultName(_ kind: KeyKind) -> KeyName { KeyName(server: Vault.realm, account: "designs", kind: kind) }

private func opened(_ name: KeyName, _ store: any ProtectedStore, _ world: JavaWorld) async throws -> [UInt8] {
    let request = PromptRequest(
        rung: name.kind == .biometric ? .biometric : .devicePasscode, reason: "Test", cancelButton: .cancel, key: name,
        message: [])
    let answer = await (try world.platform()).sensor.prompt(request) { _ in }
    guard case .matched(let presence) = answer else { throw Failed("the prompt matches") }
    return try await store.release(name, presence: presence).bytes
}

// MARK: The network

/// Sends a request to a server of Java's, which answers with what it heard.
func exchange(with address: String) async throws {
    JavaPhone.start(level: 35)
    let transport = AndroidTransport(system: JNISystem.shared)
    var request = TransportRequest(method: "POST", url: address, headers: ["DPoP": "proof"], body: [1, 2, 3])
    request.deadline = .seconds(60)
    let answer = try await transport.send(request)
    try check(answer.status == 400 && answer.headers["dpop-nonce"] == "n1", "\(answer.status) \(answer.headers)")
    try check(answer.body == Array("POST proof 3".utf8), String(decoding: answer.body, as: UTF8.self))
}
