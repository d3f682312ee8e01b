#if os(Linux)
import Foundation

/// The authority that swtpm's tools make for a lab, as a maker of TPMs has one. It issues endorsement certificates.
public struct EndorsementAuthority: Hashable, Sendable {
    private let folder: String

    init(in folder: String) { self.folder = folder }

    /// The root's certificate, a file in PEM.
    public var root: String { "\(folder)/state/swtpm-localca-rootca-cert.pem" }
    /// The certificate of the authority below the root, which issues the endorsement certificates; a file in PEM.
    public var issuer: String { "\(folder)/state/issuercert.pem" }

    fileprivate var configuration: String { "\(folder)/localca.conf" }
    fileprivate var options: String { "\(folder)/localca.options" }
    fileprivate var setup: String { "\(folder)/setup.conf" }
    fileprivate var certificates: String { "\(folder)/certificates" }

    /// Writes the configuration of swtpm's tools, which otherwise use folders of the machine.
    fileprivate func prepare(_ place: LabFolder) throws {
        for folder in [folder, "\(folder)/state", certificates] { try LabFolder.make(folder, mode: 0o755) }
        let state = "\(folder)/state"
        try place.write(
            """
            statedir = \(state)
            signingkey = \(state)/signkey.pem
            issuercert = \(issuer)
            certserial = \(state)/certserial

            """, to: configuration)
        try place.write("", to: options)
        try place.write(
            """
            create_certs_tool=\(try Programs.localCA.find())
            create_certs_tool_config=\(configuration)
            create_certs_tool_options=\(options)

            """, to: setup)
    }
}

extension LinuxLab {
    /// The authority that issued the TPM's endorsement certificates, if the lab was started with them.
    public nonisolated var endorsementAuthority: EndorsementAuthority { EndorsementAuthority(in: folder.authority) }

    /// Writes the TPM's state before its first start, as a maker does: swtpm_setup makes the endorsement keys and stores
    /// their certificates, for RSA and for P-384.
    func endorseTPM() async throws {
        try endorsementAuthority.prepare(folder)
        _ = try await mustRun(
            "swtpm_setup",
            ["--tpm2", "--tpmstate", folder.tpm, "--ecc", "--create-ek-cert", "--config", endorsementAuthority.setup])
    }

    /// Issues an endorsement certificate, in DER, for a key on P-256, which swtpm_setup leaves out.
    ///
    /// - Parameters:
    ///   - x: the point's x, 32 bytes.
    ///   - y: the point's y, 32 bytes.
    public func issueEndorsement(x: [UInt8], y: [UInt8]) async throws -> [UInt8] {
        let digits = [x, y].map { $0.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() }
        let (authority, folder) = (endorsementAuthority, endorsementAuthority.certificates)
        _ = try await mustRun(
            "swtpm_localca",
            [
                "--type", "ek", "--ek", "x=\(digits[0]),y=\(digits[1]),id=secp256r1", "--dir", folder, "--tpm2",
                "--tpm-spec-family", "2.0", "--tpm-spec-level", "0", "--tpm-spec-revision", "164",
                "--tpm-manufacturer", "id:00001014", "--tpm-model", "swtpm", "--tpm-version", "id:20191023",
                "--configfile", authority.configuration, "--optsfile", authority.options,
            ])
        return Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/ek.cert")))
    }
}
#endif
