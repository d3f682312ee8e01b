#if Tools
import ArgumentParser
import Foundation
import Thumbturn
import ThumbturnCommands

extension DeviceCommand {
    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows an approval that a back end has created for this account, and signs exactly that.",
            discussion:
                "Without an id it takes the oldest one. It asks for a confirmation before it signs, unless --yes is given."
        )

        @OptionGroup var device: DeviceOptions

        @Argument(help: "The approval's id.")
        var id: String?

        @Flag(help: "Approve without a confirmation in the terminal. The sensor still asks.")
        var yes = false

        @Flag(help: "Decline the approval instead.")
        var decline = false

        func run() async throws {
            try await device.output.run {
                let auth = try device.authenticator()
                let approval: Approval
                if let id {
                    approval = try await auth.approval(id)
                } else {
                    guard let oldest = try await auth.approvals().first(where: { !$0.isSigned }) else {
                        throw Failure(.approvalOver)
                    }
                    approval = oldest
                }
                let details = approval.details(in: .english)
                let shown =
                    (["\(details.title), requested by \(approval.from):"] + details.lines.map { "  \($0.label): \($0.value)" }
                    + [details.caution?.text(in: .english)].compactMap { $0 }).joined(separator: "\n")
                FileHandle.standardError.write(Data("\(shown)\n".utf8))
                if decline {
                    try await auth.decline(approval)
                    return try device.output.report("Declined.", Output(id: approval.id, state: "declined"))
                }
                if !yes {
                    FileHandle.standardError.write(Data("Approve? Type yes: ".utf8))
                    guard readLine() == "yes" else { throw Failure(.cancelledByUser) }
                }
                let signed = try await auth.approve(approval)
                try device.output.report(
                    signed.state == .approved ? "Approved." : "Signed. A second person has to approve as well.",
                    Output(id: signed.id, state: signed.state.rawValue)
                )
            }
        }

        private struct Output: Encodable {
            var id: String
            var state: String
        }
    }
}
#endif
