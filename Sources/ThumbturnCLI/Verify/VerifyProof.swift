#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands
import ThumbturnMessages
import ThumbturnVerifier

struct VerifyProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proof",
        abstract: "Checks an approval's proof object: who signed which transaction.",
        discussion: """
            The file is the answer to a redemption. --jwks is the server's key set at that time, archived from \
            /.well-known/jwks.json; without it the owners of the keys are not verified.

            The signatures prove that these keys signed exactly this transaction. Only the server attests that a key belonged to \
            an account, so the proof object proves nothing against the server itself. The signature of a liveness vendor is not \
            checked.

            Exit status: 0 everything is verified, 1 a check does not pass, 2 the signatures are verified but not the keys' \
            owners, because --jwks is missing, 64 usage, 66 a file cannot be read.
            """
    )

    @Argument(help: "The JSON file with the proof object.")
    var file: String

    @Option(help: "The JSON file with the server's key set.")
    var jwks: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let proof = try read(file)
        let keys: JWKS? = try jwks.map { path in
            let bytes = try read(path)
            guard let keys = try? StrictJSON.decodeIgnoringUnknown(JWKS.self, from: Array(bytes)) else { throw unreadable(path) }
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
            try output.report("The proof object is not accepted: \(error.sentence)", Output(fault: error.rawValue))
            throw ExitCode(1)
        }
        try output.report(sentences(checked), Output(checked))
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
                + (signer.kind == .pin ? " (attested only by the server)" : "")
        }
        let last =
            checked.hasReceiptSignature
            ? "Everything is verified. The owners of the keys are attested by \(checked.receipt.iss)."
            : "The signatures are verified. The owners of the keys are not: give the server's key set with --jwks."
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
    /// The time in UTC (RFC 3339), the same on every machine.
    var utc: String { Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601) }
}
#endif
