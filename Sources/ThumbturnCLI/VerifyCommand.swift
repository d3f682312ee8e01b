#if Tools
import ArgumentParser

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks files offline.",
        subcommands: [VerifyProof.self, VerifyWycheproof.self]
    )
}
#endif
