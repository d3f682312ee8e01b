#if Tools
import Foundation
import TestSupport
import Testing

/// The program of docs/evidence.md, as another back end would have it.
@Suite struct EvidencePageTests {
    private struct Sample: Decodable {
        let appId: String
        let keyId: String
        let attestation: String
        let suggestedVerificationTime: String
        let assertions: [Assertion]

        struct Assertion: Decodable {
            let assertion: String
            let clientData: String
        }
    }

    /// It depends on the verifier and on swift-crypto alone, has 15 lines, and judges what a real iPhone made: the sample is
    /// one of a development build, which is the one word that the test changes beside the app id.
    @Test(.enabled(if: Vectors.areHere)) func aBackEndVerifiesAppAttestWithTheVerifierAlone() async throws {
        let samples = try Vectors.load("veehaitch-devicecheck-appattest/normalized.json", as: [Sample].self)
        let sample = try #require(samples.first { !$0.assertions.isEmpty })
        let time = try Date(sample.suggestedVerificationTime.prefix(19) + "Z", strategy: .iso8601)
        let page = try String(contentsOf: repository.appendingPathComponent("docs/evidence.md"), encoding: .utf8)
        let program = try #require(page.split(separator: "```swift\n").last?.split(separator: "```").first)
        #expect(program.split(separator: "\n").count <= 15)

        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.write(
            program.replacing("ABCDE12345.com.example.bank", with: sample.appId).replacing(".production", with: ".development")
                + """

                func bytes(_ text: String) -> [UInt8] { Array(Data(base64Encoded: text)!) }
                func reason(_ body: () throws -> Void) -> String {
                    do { try body() } catch { return (error as? EvidenceRefusal)?.reason.rawValue ?? "\\(error)" }
                    return "accepted"
                }
                let now = UnixTime(seconds: \(Int64(time.timeIntervalSince1970)))
                let (attestation, assertion) = (bytes("\(sample.attestation)"), bytes("\(sample.assertions[0].assertion)"))
                let (challenge, request) = (Array("wurzelpfropf".utf8), bytes("\(sample.assertions[0].clientData)"))
                let key = try register(attestation: attestation, keyID: "\(sample.keyId)", challenge: challenge, now: now)
                print(key.appID)
                print(reason {
                    _ = try register(attestation: attestation, keyID: "\(sample.keyId)", challenge: [1], now: now)
                })
                let counter = try accept(assertion: assertion, request: request, key: key, counter: 0)
                print(counter)
                print(reason { _ = try accept(assertion: assertion, request: request, key: key, counter: counter) })
                print(reason { _ = try accept(assertion: assertion, request: [1], key: key, counter: 0) })

                """,
            in: folder)
        let run = try await Consumer.run("BackEnd", in: folder)
        let expected = "\(sample.appId)\nwrong_challenge\n1\ncounter_not_greater\nwrong_signature\n"
        #expect(run.status == 0 && run.output.hasSuffix(expected), "\(run.output)\(run.errors)")
        let checkouts = try FileManager.default.contentsOfDirectory(atPath: Consumer.scratch + "/checkouts").sorted()
        #expect(checkouts == ["swift-asn1", "swift-crypto"])
    }

    private static func write(_ program: String, in folder: String) throws {
        let sources = folder + "/Sources/BackEnd"
        try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
        try """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "BackEnd",
            platforms: [.macOS(.v15)],
            dependencies: [
                .package(name: "thumbturn", path: "\(repository.path)"),
                .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
            ],
            targets: [
                .executableTarget(
                    name: "BackEnd",
                    dependencies: [
                        .product(name: "ThumbturnVerifier", package: "thumbturn"),
                        .product(name: "Crypto", package: "swift-crypto"),
                    ])
            ]
        )
        """.write(toFile: folder + "/Package.swift", atomically: true, encoding: .utf8)
        try ("import Foundation\n" + program).write(
            toFile: sources + "/main.swift", atomically: true, encoding: .utf8)
    }
}
#endif
