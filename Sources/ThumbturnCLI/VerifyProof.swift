#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnMessages
import ThumbturnVerifier

struct VerifyProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proof",
        abstract: "Checks what is left of an approval: who signed what.",
        discussion: """
            The file is the answer to a redemption. --jwks is the server's key set as it was then, archived from \
            /.well-known/jwks.json; without it nobody vouches for whose keys these are.

            The signatures show that these keys signed exactly this transaction. That a key belonged to an account is the server's \
            word, so this proves nothing against the server itself. The signature of a liveness check's vendor is not checked here.

            Exit status: 0 all of it holds, 1 something does not, 2 it holds as far as it can be checked without --jwks, 64 another \
            usage, 66 a file cannot be read.
            """
    )

    @Argument(help: "The proof object, a file in JSON.")
    var file: String

    @Option(help: "The server's key set, a file in JSON.")
    var jwks: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let proof = try read(file)
        let keys: JWKS? = try jwks.map { path in
            let bytes = try read(path)
            guard let keys = try? JSONDecoder().decode(JWKS.self, from: Data(bytes)) else { throw unreadable(path) }
            return keys
        }
        let checked: CheckedApproval
        do throws(ApprovalProofFault) {
            checked = try CheckedApproval(json: proof, keys: keys)
        } catch {
            struct Output: Encodable {
                var holds = false
                var fault: String
            }
            try output.say("This does not hold: \(error.sentence)", Output(fault: error.rawValue))
            throw ExitCode(1)
        }
        try output.say(sentences(checked), Output(checked))
        if !checked.hasReceiptSignature { throw ExitCode(2) }
    }

    private func read(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw unreadable(path) }
        return Array(data)
    }

    private func unreadable(_ path: String) -> ExitCode {
        FileHandle.standardError.write(Data("thumbturn: \(path) cannot be read.\n".utf8))
        return ExitCode(66)
    }

    private func sentences(_ checked: CheckedApproval) -> String {
        let title = checked.transaction.title.text(in: .english)
        let lines = checked.transaction.lines.map { "  \($0.label.text(in: .english)): \($0.value)" }
        let signers = checked.receipt.approvedBy.map { signer in
            "  \(signer.at.utc): the \(signer.kind.rawValue) key of device \(signer.device), account \(signer.account)"
                + (signer.kind == .pin ? " (the server's word alone)" : "")
        }
        let last =
            checked.hasReceiptSignature
            ? "All of it holds. Whose keys these are is the word of \(checked.receipt.iss)."
            : "The signatures hold. Whose keys these are was not checked: give the server's key set with --jwks."
        return
            (["\(title), redeemed by \(checked.receipt.aud) at \(checked.receipt.iat.utc):"] + lines + ["Signed:"] + signers + [
                last
            ])
            .joined(separator: "\n")
    }

    private struct Output: Encodable {
        var holds = true
        var receipt_checked: Bool
        var transaction: ApprovalTransaction
        var receipt: ApprovalReceipt

        init(_ checked: CheckedApproval) {
            receipt_checked = checked.hasReceiptSignature
            transaction = checked.transaction
            receipt = checked.receipt
        }
    }
}

extension UnixTime {
    /// The same on every machine (RFC 3339).
    fileprivate var utc: String { Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601) }
}
#endif
