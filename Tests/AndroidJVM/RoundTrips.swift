import Foundation
import ThumbturnCore
import ThumbturnDevice
@testable import ThumbturnAndroid

/// Calls through JNI and back in real time, and what is left of them: each goes to the Keystore's thread of Java, every tenth is
/// answered by an exception, and every hundredth is a prompt, whose match is used or given back.
struct RoundTrips {
    let number: Int
    let folder: String

    private static let alias = "thumbturn.key.trips.1.biometric"

    func run() async throws {
        JavaPhone.start(level: 35)
        let keystore = Keystore(on: JNISystem.shared)
        _ = try await keystore.make(.biometric, as: Self.alias)
        var memory: [Int] = []
        for _ in 0..<10 {
            try await go(number / 10, keystore)
            memory.append(Self.residentKilobytes)
        }
        let open = JNISystem.shared.calls.count

        // Java answers the release of a handle before `begin` returns, and looks a key up on another thread; the answer then goes to one of
        // Swift's. The rest is what threads take to wake each other.
        let here = try await microseconds { keystore.system.tell(.releaseHandle, 0) }
        let there = try await microseconds { try check(try await keystore.exists(Self.alias), "the key is there") }
        print(
            "\(number) round trips through JNI: resident memory \(memory[0]) KiB after a tenth of them and \(memory[9]) KiB at the end, "
                + "\(open) open calls; one in \(here) µs, and with a change to a thread of Java and back in \(there) µs")
        try check(open == 0, "no call is left open")
        try check(memory[9] - memory[4] < 4096, "memory stays flat: \(memory)")
    }

    /// What each of many calls takes.
    private func microseconds(_ call: () async throws -> Void) async throws -> String {
        let began = ContinuousClock.now
        for _ in 0..<number / 10 { try await call() }
        let each = (ContinuousClock.now - began) / (number / 10) / .microseconds(1)
        return each.formatted(.number.precision(.fractionLength(1)))
    }

    private func go(_ number: Int, _ keystore: Keystore) async throws {
        for trip in 0..<number {
            if trip.isMultiple(of: 100) {
                try await prompt(in: keystore, isUsed: trip.isMultiple(of: 200))
            } else if trip.isMultiple(of: 10) {
                do throws(AndroidThrown) {
                    try await keystore.system.call(.signNow) { request in
                        request.put("thumbturn.key.trips.2.session")
                        request.put([1, 2, 3])
                    }
                    throw AndroidThrown.silence
                } catch {
                    try check(error.chain.first?.name == "com.thumbturn.internal.NoSuchKeyException", "\(error)")
                }
            } else {
                try check(try await keystore.exists(Self.alias), "the key is there")
            }
        }
    }

    private func prompt(in keystore: Keystore, isUsed: Bool) async throws {
        JavaPhone.tell("script match")
        let purpose = AndroidPresence.Purpose(alias: Self.alias, kind: .biometric, message: [1])
        let prompt = AndroidPrompt(
            demand: .biometric, title: "Unlock", text: nil, button: "Cancel", key: purpose, isConfirmed: true)
        guard case .succeeded(let presence?) = await prompt.show(in: keystore, hearing: { _ in }) else {
            throw Failed("the prompt matches")
        }
        if isUsed { _ = try await presence.use(for: purpose, with: [1]) }
    }

    /// The memory of this process, Java's included.
    private static var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
