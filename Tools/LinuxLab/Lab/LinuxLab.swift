#if os(Linux)
import Foundation
import Glibc

/// Real Linux parts for tests and demonstrations: a TPM simulator, a private bus, polkitd, and fprintd with a virtual
/// reader.
///
/// The lab neither uses nor changes the machine's own bus, prints, TPM and polkit rules: its own live in one folder,
/// which is deleted at the end. If this process ends without `stop()`, in whatever way, the programs are ended and the
/// folder is deleted as well.
///
/// The fingerprint parts need root: polkitd starts as root, and its rules folder is fixed, so it runs in a mount
/// namespace of its own with the lab's rules mounted over the machine's. A lab with only the TPM runs as any user.
public actor LinuxLab {
    /// A part that can be started, killed, and started again.
    public enum Part: String, CaseIterable, Hashable, Sendable {
        /// swtpm. Its state survives `kill(_:)` and `restart(_:)`.
        case tpm
        /// The private dbus-daemon. When it ends, polkitd and fprintd end too.
        case bus
        /// polkitd.
        case policy
        /// fprintd with the virtual reader. It needs the bus and polkitd, which are started with it.
        case fingerprints
    }

    /// The TCTI configuration by which libtss2 and the `tpm2_` tools reach the TPM.
    public nonisolated let tcti: String
    /// The address of the bus, for `DBUS_SYSTEM_BUS_ADDRESS` or `sd_bus_set_address`.
    public nonisolated let busAddress: String
    /// The folder in which fprintd keeps its prints, as `USER/virtual_image/0/FINGER`; 7 is the right index finger.
    public nonisolated let printsFolder: String
    /// The reader, for presses outside the plan.
    public nonisolated let reader: VirtualReader
    /// Presses that the reader did not take, because it was no longer claimed or was unplugged.
    public internal(set) var missedPresses: [LabError] = []

    nonisolated let folder: LabFolder
    nonisolated let signalLog = SignalLog()
    let watchdog: Watchdog
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
    let stream: AsyncStream<ReceivedSignal>
    let signals: AsyncStream<ReceivedSignal>.Continuation

    /// A signal and the position after it in the log.
    struct ReceivedSignal: Sendable {
        var signal: BusSignal
        var end: Int
    }

    struct Enrolling: Sendable {
        var finger: SyntheticFinger
        /// Enrolment uses the scans -1, -2 and so on, so that a test never presses an enrolled scan.
        var scan = -1
    }

    /// Starts the parts in a new folder, and returns when all of them answer.
    ///
    /// - Parameters:
    ///   - folder: a folder that does not exist, in one that does; deleted at the end. Other users must be able to
    ///     traverse its parents: use one in /tmp.
    ///   - parts: the parts to start. `.fingerprints` includes the bus and polkitd.
    ///   - polkitRules: JavaScript, as in `/etc/polkit-1/rules.d`. Without a rule, only root may do anything.
    ///   - endorsed: whether the TPM gets endorsement certificates of an authority of the lab; it takes 2 s.
    /// - Throws: `LabError`, after the started parts have ended and the folder is deleted.
    public static func start(
        in folder: String, parts: Set<Part> = [.tpm, .fingerprints], polkitRules: [String] = [], endorsed: Bool = false
    ) async throws -> LinuxLab {
        var parts = parts
        if parts.contains(.fingerprints) { parts.insert(.policy) }
        if parts.contains(.policy) { parts.insert(.bus) }
        if parts.contains(.policy) && geteuid() != 0 {
            throw LabError(
                .notRoot,
                "polkitd starts as root and reads its rules in a private mount namespace; "
                    + "next: run as root, or start only the TPM with parts: [.tpm]"
            )
        }
        precondition(!endorsed || parts.contains(.tpm), "only a TPM that is started can be endorsed")
        try Programs.check(for: parts, endorsed: endorsed)
        let place = try LabFolder(at: folder, parts: parts)
        let lab: LinuxLab
        do {
            try place.write(BusConfiguration.text(socket: place.bus), to: place.busConfiguration)
            try place.write(polkitRules.joined(separator: "\n"), to: "\(place.rules)/10-lab.rules")
            lab = LinuxLab(in: place, parts: parts, watchdog: try Watchdog(of: place.path), tpmPort: try FreePorts.pair())
        } catch {
            place.delete()
            throw error
        }
        do {
            if endorsed { try await lab.endorseTPM() }
            try await lab.startAll()
            return lab
        } catch {
            await lab.stop()
            throw error
        }
    }

    private init(in folder: LabFolder, parts: Set<Part>, watchdog: Watchdog, tpmPort: UInt16) {
        self.folder = folder
        self.parts = parts
        self.watchdog = watchdog
        self.tpmPort = tpmPort
        tcti = "swtpm:host=127.0.0.1,port=\(tpmPort)"
        busAddress = "unix:path=\(folder.bus)"
        printsFolder = folder.prints
        reader = VirtualReader(path: folder.reader)
        (stream, signals) = AsyncStream.makeStream()
    }

    /// Ends all parts and tools and deletes the folder. A second call has no effect.
    public func stop() async {
        guard !stopped else { return }
        stopped = true
        for tool in tools { await tool.kill() }
        for part in [Part.fingerprints, .policy, .bus, .tpm] { await children[part]?.kill() }
        await monitor?.kill()
        signals.finish()
        folder.delete()
        await watchdog.dismiss()
    }
}
#endif
