#if LinuxDevice && os(Linux)
import Foundation
import Glibc
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMatcher

/// Checks the parts of a Linux device one by one, without prompting the person.
package struct Examination: Sendable {
    package var tcti: String
    package var matcher: String
    package var bus: String?

    package init(tcti: String, matcher: String, bus: String?) {
        self.tcti = tcti
        self.matcher = matcher
        self.bus = bus
    }

    /// Checks whether the TPM answers, which TPM it is, and whether it is locked out.
    package func tpm() -> [MachineFinding] {
        let facts: TPMFacts
        do {
            facts = try TPMFacts.read(tcti)
        } catch {
            return [MachineFinding("TPM", .trouble, "No answer at \(tcti).", remedy: tpmRemedy)]
        }
        var findings = [
            MachineFinding(
                "TPM", facts.isSimulator ? .note : .good,
                "\(facts.manufacturer) \(facts.vendor), firmware \(facts.firmware), \(facts.loaded) keys and sessions loaded.",
                remedy: facts.isSimulator
                    ? "This is a simulator: its keys can be copied with its files. Use it only for tests." : nil
            ),
            facts.isLockedOut
                ? MachineFinding(
                    "TPM lockout", .trouble, "The TPM's dictionary attack protection is active.",
                    remedy: "Wait, or let its owner run: tpm2_dictionarylockout --clear-lockout"
                )
                : MachineFinding("TPM lockout", .good, "Not locked out."),
        ]
        if facts.isOwnerPasswordSet {
            findings.append(
                MachineFinding(
                    "TPM owner", .trouble, "The owner hierarchy has a password.",
                    remedy:
                        "Keys are created under the owner's empty password, and used under it where no storage root is kept: "
                        + "tpm2_changeauth -c owner -p OLD"
                )
            )
        }
        if !facts.keepsStorageRoot {
            findings.append(
                MachineFinding(
                    "TPM storage root", .note, "None is kept at 0x81000001, so it is derived again for every signature.",
                    remedy: "On a chip this is slow. To keep it:  tpm2_createprimary -C o -G ecc256:aes128cfb -g sha256 "
                        + "-a 'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt' -c srk.ctx "
                        + "&& tpm2_evictcontrol -C o -c srk.ctx 0x81000001"
                )
            )
        }
        return findings
    }

    private var tpmRemedy: String {
        guard let device = tcti.split(separator: ":").last.map(String.init), tcti.hasPrefix("device:") else {
            return "Is it running, and is --tcti its address? For example swtpm:host=127.0.0.1,port=2321."
        }
        guard FileManager.default.fileExists(atPath: device) else {
            return "\(device) does not exist: enable the TPM in the firmware's settings, or give --tcti another address."
        }
        return unsafe access(device, R_OK | W_OK) == 0
            ? "\(device) exists but does not answer: see the kernel's log."
            : "This user may not use \(device). As root: usermod -aG tss \(NSUserName()), then sign in again."
    }

    /// Checks whether fprintd runs, has a reader, may be used by this user, and has this user's fingers enrolled.
    package func fingerprints() -> [MachineFinding] {
        let part = "fprintd"
        do {
            let survey = try FprintReader(bus: bus, user: NSUserName()).survey()
            return [
                MachineFinding(part, .good, "Process \(survey.daemon), reader “\(survey.reader)”."),
                MachineFinding("fingers", .good, "\(survey.fingers.count) enrolled: \(survey.fingers.joined(separator: ", "))."),
            ]
        } catch {
            let (found, remedy) =
                switch error.name {
                case "net.reactivated.Fprint.Error.NoEnrolledPrints":
                    ("A reader, but no finger of \(NSUserName()) is enrolled.", "Enrol one: fprintd-enroll")
                case "net.reactivated.Fprint.Error.NoSuchDevice":
                    ("No fingerprint reader.", "Plug one in; libfprint's list says which ones work.")
                case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied":
                    ("This user may not use fprintd.", "Sign in at the machine itself, or add a polkit rule: docs/linux.md.")
                case BusError.disconnected.name:
                    ("The bus does not answer.", "Is dbus-daemon running, and is --bus its address?")
                default:
                    ("fprintd does not answer.", "Install it: apt-get install fprintd. It starts by itself. (\(error.name))")
                }
            return [MachineFinding(part, .trouble, found, remedy: remedy)]
        }
    }

    /// Checks whether the matcher answers, and the state of its parts.
    package func broker() -> [MachineFinding] {
        let part = "thumbturn-matcherd"
        let connection = MatcherConnection(socket: matcher)
        do throws(Failure) {
            let identity = try connection.identity()
            let found =
                "Answers at \(matcher); the enrolment counter stands at \(identity.value). "
                + "A server's evidence policy names its key by the thumbprint \(Signing.thumbprint(of: identity.key))."
            return [MachineFinding(part, .good, found)] + reader(of: connection)
        } catch {
            switch error.status?.domain {
            case "matcher.broken":
                return [
                    MachineFinding(
                        part, .trouble, "It answers, but cannot use the TPM, its folder or the enrolled prints.",
                        remedy: "Its user needs the group tss and must be able to read fprintd's folder: docs/linux.md."
                    )
                ]
            case "matcher.unknown":
                return [
                    MachineFinding(
                        part, .trouble, "The program at \(matcher) does not run as the owner of that folder.",
                        remedy: "The folder must be the matcher's user's, and no other user may write to it: docs/linux.md."
                    )
                ]
            case nil where error.code == .biometryNotEnrolled:
                let found = "Answers at \(matcher); it keeps no enrolment counter without an enrolled finger."
                return [MachineFinding(part, .good, found)] + reader(of: connection)
            case nil where error.code == .lockedOut:
                return [
                    MachineFinding(
                        part, .trouble, "The enrolled fingers changed \(CounterChanges.limit) times within an hour.",
                        remedy: "Wait until the hour is over; until then use the PIN."
                    )
                ]
            default: return [MachineFinding(part, .trouble, "No answer at \(matcher).", remedy: connectionRemedy)]
            }
        }
    }

    private var connectionRemedy: String {
        guard FileManager.default.fileExists(atPath: matcher), unsafe access(matcher, W_OK) != 0 else {
            return "Start it: systemctl start thumbturn-matcherd; or give --matcher the path of its socket."
        }
        return "This user may not connect. As root: usermod -aG tss \(NSUserName()), then sign in again."
    }

    private func reader(of connection: MatcherConnection) -> [MachineFinding] {
        let part = "matcher's reader"
        return switch connection.state() {
        case .ready: [MachineFinding(part, .good, "Ready for this user.")]
        case .notEnrolled: [MachineFinding(part, .trouble, "No finger is enrolled.", remedy: "Enrol one: fprintd-enroll")]
        case .permissionDenied:
            [
                MachineFinding(
                    part, .trouble, "The matcher may not use fprintd.",
                    remedy: "Install the polkit rule of docs/linux.md for the matcher's user."
                )
            ]
        case .off:
            [
                MachineFinding(
                    part, .trouble, "Off after \(MatcherThrottle.limit) consecutive fingers that did not match.",
                    remedy: "Use the PIN, or as root: thumbturn-matcherd unlock \(NSUserName())"
                )
            ]
        case .absent: [MachineFinding(part, .trouble, "No reader is connected.", remedy: "Connect one.")]
        case .unavailable: [MachineFinding(part, .trouble, "The matcher cannot use the reader.", remedy: "See its log.")]
        }
    }
}
#endif
