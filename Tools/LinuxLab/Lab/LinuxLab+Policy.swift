#if os(Linux)
import Foundation
import Glibc

extension LinuxLab {
    /// Replaces all of the lab's rules, and returns when polkitd has read the new ones.
    public func setPolkitRules(_ rules: [String]) async throws {
        let place = signalLog.count
        // The file is written elsewhere and moved, so that polkitd never reads half a file.
        try folder.write(rules.joined(separator: "\n"), to: "\(folder.path)/next.rules")
        guard unsafe rename("\(folder.path)/next.rules", "\(folder.rules)/10-lab.rules") == 0 else {
            throw LabError(.folder, "could not replace the polkit rules")
        }
        try await signal(from: place) { $0 == .rulesChanged }
        // polkitd sees the move as two changes and signals both. The second signal must not be taken for the answer to
        // a later call.
        let first = signals(from: place).firstIndex(of: .rulesChanged) ?? 0
        _ = await signalLog.first(from: place + first + 1, within: .milliseconds(100)) { $0 == .rulesChanged }
    }
}
#endif
