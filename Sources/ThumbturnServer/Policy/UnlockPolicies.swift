#if Server
import Crypto
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// What devices get in place of their apps' own unlock policies, from a file; see `docs/telemetry.md`. `reload` replaces it
/// as a whole.
public final class UnlockPolicies: Sendable {
    private struct State {
        var content: UnlockPolicyFile
        var digest: String
        /// The last document that was signed.
        var signed: (kid: String, at: UnixTime, text: String)?
    }

    private let file: String
    private let state: Mutex<State>

    /// Reads a file. Throws `PolicyFileError` with the place of a mistake.
    public init(file: String) throws(PolicyFileError) {
        self.file = file
        let (content, digest) = try Self.read(file)
        state = Mutex(State(content: content, digest: digest))
    }

    /// Base64url SHA-256 of the file that is in use.
    var digest: String { state.withLock { $0.digest } }

    /// Reads the file again. If it throws, everything stays as it was: for a mistake, and for other content without a higher
    /// version, which devices that have the former content would not take, or take beside it.
    public func reload() throws(PolicyFileError) {
        let (content, digest) = try Self.read(file)
        try state.withLock { (state) throws(PolicyFileError) in
            guard content == state.content || content.version > state.content.version else {
                throw PolicyFileError(
                    "\(file): version: is not higher than \(state.content.version), which is in use. Devices take no lower one: "
                        + "set it to \(state.content.version + 1) or more.")
            }
            state = State(content: content, digest: digest)
        }
    }

    /// The document for devices, as a compact JWS. It is signed anew when the file or the key has changed, and after a minute.
    func document(of issuer: String, signedBy signer: TokenSigner, at now: UnixTime) throws -> String {
        try state.withLock { state in
            // The operator may have set the time back.
            if let signed = state.signed, signed.kid == signer.kid, (.zero..<Self.freshness).contains(now - signed.at) {
                return signed.text
            }
            let document = PolicyDocument(
                iss: issuer, iat: now, exp: now + Self.life, ver: state.content.version, policies: state.content.policies)
            let text = try signer.sign(document)
            state.signed = (signer.kid, now, text)
            return text
        }
    }

    /// How long a device uses a document when it cannot fetch another one.
    private static let life = PolicyDocument.longestLife
    /// How long a signature serves all devices. Signing for each request would let strangers keep the server busy.
    private static let freshness = Duration.seconds(60)

    private static func read(_ file: String) throws(PolicyFileError) -> (UnlockPolicyFile, String) {
        guard let data = FileManager.default.contents(atPath: file) else { throw PolicyFileError("\(file): cannot be read") }
        let content: UnlockPolicyFile
        do throws(JSONError) {
            content = try UnlockPolicyFile(json: Array(data))
        } catch {
            throw PolicyFileError("\(file): \(error.description)")
        }
        try PolicyFileError.check(version: content.version, of: file)
        return (content, Base64URL.encode(SHA256.hash(data: data)))
    }

    /// The version of the file that is in use.
    var version: Int64 { state.withLock { $0.content.version } }

    /// What apps that use a preset of an entry's name, within the default bounds, would not follow. Others decide for themselves.
    package var warnings: [String] {
        state.withLock { $0.content }.policies.sorted { $0.key < $1.key }.compactMap { name, entry in
            guard let preset = UnlockPolicy.presets[name] else {
                return "policies.\(name): no preset has this name, so only apps with a policy of this name follow it"
            }
            let bounds = PolicyBounds(around: preset)
            let problem =
                switch entry {
                case .policy(let policy): bounds.problem(in: policy).map { "policy.\($0)" }
                case .experiment(let experiment): bounds.problem(in: experiment).map { "experiment.\($0)" }
                }
            return problem.map { "policies.\(name).\($0): apps with the preset \(name) do not follow it, unless they allow more" }
        }
    }

    /// What the file means, in lines.
    package var summary: [String] {
        let content = state.withLock { $0.content }
        return ["version \(content.version)"]
            + content.policies.sorted { $0.key < $1.key }.map { name, entry in
                switch entry {
                case .policy: "\(name): one policy for every device"
                case .experiment(let experiment): "\(name): experiment \(experiment)"
                }
            }
    }
}
#endif
