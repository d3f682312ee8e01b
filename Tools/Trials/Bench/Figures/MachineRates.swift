#if Tools
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation
import Synchronization

/// The processor time of bare P-256 operations on this machine while all its cores are busy, which bounds every
/// server's rate.
struct MachineRates: Sendable {
    /// The microseconds of one verification, with the import of the public key.
    var verify: Double
    /// The microseconds of one signature.
    var sign: Double

    static func measure(cores: Int = ProcessInfo.processInfo.activeProcessorCount) -> MachineRates {
        let results = Mutex<[(Double, Double)]>([])
        let threads = (0..<cores).map { _ in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let result = Self.onThisThread()
                results.withLock { $0.append(result) }
                done.signal()
            }
            return done
        }
        for thread in threads { thread.wait() }
        let all = results.withLock { $0 }
        return MachineRates(
            verify: all.map(\.0).reduce(0, +) / Double(all.count), sign: all.map(\.1).reduce(0, +) / Double(all.count)
        )
    }

    /// The highest possible rate per second of an operation that needs these verifications, signatures and requests.
    ///
    /// - Parameter hello: the processor time of one request to the health route in microseconds.
    func limit(verifications: Double, signatures: Double, requests: Double, hello: Double) -> Double {
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        return cores * 1_000_000 / (verifications * verify + signatures * sign + requests * hello)
    }

    private static func onThisThread() -> (verify: Double, sign: Double) {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.x963Representation
        let message = [UInt8](repeating: 7, count: 600)
        guard let signature = try? key.signature(for: message) else { return (0, 0) }
        return (
            microseconds {
                _ = (try? P256.Signing.PublicKey(x963Representation: point))?.isValidSignature(signature, for: message)
            },
            microseconds { _ = try? key.signature(for: message) }
        )
    }

    private static func microseconds(_ operation: () -> Void) -> Double {
        let began = threadTime()
        let until = ContinuousClock.now.advanced(by: .milliseconds(700))
        var count = 0
        while ContinuousClock.now < until {
            for _ in 0..<50 { operation() }
            count += 50
        }
        return (threadTime() - began) * 1_000_000 / Double(count)
    }

    private static func threadTime() -> Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of this process in seconds.
    static func processTime() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// The processor time of everything that has run on this machine, in seconds. Linux only; elsewhere it is not a number.
    static func timeOfAll() -> Double {
        // proc(5): user, nice, system, idle, iowait, irq, softirq, in hundredths of a second.
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let fields = text.split(separator: "\n").first?.split(separator: " ").compactMap({ Double($0) }), fields.count > 6
        else { return .nan }
        return (fields[0...2].reduce(0, +) + fields[5] + fields[6]) / 100
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
#endif
