#if os(Linux)
import Foundation
import Glibc

/// Real Linux parts for tests and demonstrations: a TPM simulator, a private bus, polkitd, and fprintd with a virtual reader.
///
/// Nothing of the machine's own is used or changed: the bus, the prints, the TPM and the polkit rules live in one folder, which is
/// deleted at the end. When this process ends without `stop()`, however it ends, the programs end and the folder goes as well.
///
/// The fingerprint parts need root: polkitd starts as root, and its rules folder is fixed, so it runs in a mount namespace of its
/// own with the lab's rules over the machine's. The TPM alone runs as anybody.
public actor LinuxLab {
    /// A part that can be started, killed, and started again.
    public enum Part: String, CaseIterable, Hashable, Sendable {
        /// swtpm. Its state outlives `kill(_:)` and `restart(_:)`.
        case tpm
        /// The private dbus-daemon. When it goes, polkitd and fprintd go too.
        case bus
        /// polkitd.
        case policy
        /// fprintd with the virtual reader; brings the bus and polkitd with it.
        case fingerprints
    }

    /// The TPM for libtss2 and the `tpm2_` tools.
    public nonisolated let tcti: String
    /// The bus, for `DBUS_SYSTEM_BUS_ADDRESS` or `sd_bus_set_address`.
    public nonisolated let busAddress: String
    /// Where fprintd keeps its prints: `USER/virtual_image/0/FINGER`, 7 being the right index finger.
    public nonisolated let printsFolder: String
    /// The reader, for presses outside the plan.
    public nonisolated let reader: VirtualReader
    /// Presses that the reader did not take, because nobody had claimed it any more or it had gone.
    public internal(set) var missedPresses: [LabError] = []

    nonisolated let folder: LabFolder
    nonisolated let heard = Heard()
    let keeper: Keeper
    let tpmPort: UInt16
    let parts: Set<Part>
    var children: [Part: Child] = [:]
    var monitor: Child?
    var tools: [Child] = []
    var stopped = false

    var plan = PressPlan()
    var presses: [Press] = []
    var answer: (@Sendable () async -> Press)?
    var enrolling: Enrolling?
    let stream: AsyncStream<Signal>
    let signals: AsyncStream<Signal>.Continuation

    /// A signal and the place after it in the record.
    struct Signal: Sendable {
        var what: BusSignal
        var after: Int
    }

    struct Enrolling: Sendable {
        var finger: SyntheticFinger
        /// Enrolment takes -1, -2, and so on, so that no scan a test presses was enrolled.
        var scan = -1
    }

    /// Starts the parts in a new folder, and returns when all of them answer.
    ///
    /// - Parameters:
    ///   - folder: Must not exist, or be empty; deleted at the end. Others must be able to pass its parents: use one in /tmp.
    ///   - parts: `.fingerprints` brings the bus and polkitd with it.
    ///   - polkitRules: JavaScript, as in `/etc/polkit-1/rules.d`. Root may do everything without a rule; nobody else may do anything.
    /// - Throws: `LabError`; what was started by then has ended, and the folder is gone.
    public static func start(
        in folder: String, parts: Set<Part> = [.tpm, .fingerprints], polkitRules: [String] = []
    ) async throws -> LinuxLab {
        var parts = parts
        if parts.contains(.fingerprints) { parts.insert(.policy) }
        if parts.contains(.policy) { parts.insert(.bus) }
        if parts.contains(.policy) && geteuid() != 0 {
            throw LabError(
                .notRoot,
                "polkitd starts as root and reads its rules in a private mount namespace; next: run as root, or start with parts: [.tpm] alone"
            )
        }
        try Programs.check(for: parts)
        let place = try LabFolder(at: folder, parts: parts)
        let lab: LinuxLab
        do {
            try place.write(BusConfiguration.text(socket: place.bus), to: place.busConfiguration)
            try place.write(polkitRules.joined(separator: "\n"), to: "\(place.rules)/10-lab.rules")
            lab = LinuxLab(in: place, parts: parts, keeper: try Keeper(of: place.path), tpmPort: try FreePort.pair())
        } catch {
            place.delete()
            throw error
        }
        do {
            try await lab.startAll()
            return lab
        } catch {
            await lab.stop()
            throw error
        }
    }

    private init(in folder: LabFolder, parts: Set<Part>, keeper: Keeper, tpmPort: UInt16) {
        self.folder = folder
        self.parts = parts
        self.keeper = keeper
        self.tpmPort = tpmPort
        tcti = "swtpm:host=127.0.0.1,port=\(tpmPort)"
        busAddress = "unix:path=\(folder.bus)"
        printsFolder = folder.prints
        reader = VirtualReader(path: folder.reader)
        (stream, signals) = AsyncStream.makeStream()
    }

    /// Ends every part and every tool that still runs, and deletes the folder. A second call does nothing.
    public func stop() async {
        guard !stopped else { return }
        stopped = true
        for tool in tools { await tool.kill() }
        for part in [Part.fingerprints, .policy, .bus, .tpm] { await children[part]?.kill() }
        await monitor?.kill()
        signals.finish()
        folder.delete()
        await keeper.dismiss()
    }
}
#endif
