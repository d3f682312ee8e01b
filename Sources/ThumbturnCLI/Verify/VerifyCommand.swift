#if Tools
import ArgumentParser

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks files offline.",
        subcommands: [
            VerifyAppAttest.self, VerifyAndroidChains.self, VerifyTPM.self, VerifyProof.self, VerifyWycheproof.self,
        ]
    )
}
#endif
