#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands

struct VerifyWycheproof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wycheproof",
        abstract: "Runs a file of Project Wycheproof through the verifier's checks and lists the differences.",
        discussion: """
            The checks cover P-256: ECDSA with SHA-256 in DER and in P1363 form, JWS and keys of ES256, and the public keys of \
            ECDH, of which only the import is checked. All other cases are listed with the reason why they are not judged.

            Exit status: 0 all judged cases match the file, 1 a case differs, 2 no case could be judged, 64 usage, 66 the file \
            cannot be read.
            """
    )

    @Argument(help: "The JSON file of test vectors, for example ecdsa_secp256r1_sha256_test.json.")
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let json = FileManager.default.contents(atPath: file), let vectors = WycheproofFile(json: json) else {
            FileHandle.standardError.write(Data("thumbturn: \(file) cannot be read as a file of Project Wycheproof.\n".utf8))
            throw ExitCode(66)
        }
        let report = WycheproofReport(vectors)
        try output.report(report.sentences, report)
        if !report.holds { throw ExitCode(1) }
        if report.judged == 0 { throw ExitCode(2) }
    }
}
#endif
