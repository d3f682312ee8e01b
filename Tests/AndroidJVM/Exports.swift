import AndroidScenarios
import ScenarioScript
import CJNI
import Dispatch
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnAndroid

/// `static native int JvmTests.run(byte[] command)`: does one command, and waits for it. Returns 0 where it passed, 1 where it
/// failed, which is printed, 2 where no Android can do it, and 3
/// where there is no such test.
///
/// A command is a message of texts: `scenario`, its file and the app's folder; `test`, its number and the app's folder; `round trips`,
/// their number and the app's folder; `exchange` and the address of a server.
@c(Java_com_thumbturn_internal_JvmTests_run)
public func run(
    _ environment: UnsafeMutableRawPointer?, _ tests: UnsafeMutableRawPointer?, _ command: UnsafeMutableRawPointer?
) -> Int32 {
    let count = unsafe thumbturn_length(environment, command)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, written in
        written = unsafe thumbturn_read(environment, command, buffer.baseAddress, count) == 0 ? Int(count) : 0
    }
    let (result, done) = (Result(), DispatchSemaphore(value: 0))
    Task {
        do {
            result.value.withLock { $0 = 1 }
            let status = try await perform(BridgeReader(bytes))
            result.value.withLock { $0 = status }
        } catch {
            print("  \(error)")
        }
        done.signal()
    }
    done.wait()
    fflush(nil)
    return result.value.withLock { $0 }
}

private final class Result: Sendable {
    let value = Mutex<Int32>(1)
}

private func perform(_ command: BridgeReader) async throws -> Int32 {
    var command = command
    let (kind, argument) = (try command.text(), try command.text())
    switch kind {
    case "scenario": return try await play(argument, folder: try command.text())
    case "exchange": try await exchange(with: argument)
    case "test":
        guard let number = Int(argument) else { throw Failed("a number") }
        guard number < tests.count else { return 3 }
        let test = tests[number]
        do {
            try await test.body(try command.text())
        } catch {
            throw Failed("\(test.name): \(error)")
        }
    case "round trips":
        guard let number = Int(argument) else { throw Failed("a number") }
        try await RoundTrips(number: number, folder: try command.text()).run()
    default: throw Failed("there is no command \(kind)")
    }
    return 0
}

#if DEBUG
/// Plays the scenario of a file, and compares what was seen with the file.
private func play(_ path: String, folder: String) async throws -> Int32 {
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    guard Difference.unplayable[name] == nil else { return 2 }
    let scenario = try Scenario(json: Data(contentsOf: URL(fileURLWithPath: path))).onAPhoneWhosePromptStays
    let world = JavaWorld(for: scenario, folder: folder)
    let notes = try await world.clock.run { try await Performance(scenario, in: world).play() }
    let differences = Difference.found(notes.seen, scenario, [Difference.ofAndroid[name]])
    try check(differences == [], differences.joined(separator: "\n  "))
    try check(world.android.calls(.decryptNow) > 0, "it goes through the adapter")
    try check(notes.shown == notes.prompts, "the adapter shows each prompt")
    if case .granted(let rung, _, _) = scenario.end, rung != .fullCredentials {
        try check(notes.signatures > 0, "a key of Java's signs")
    }
    return 0
}
#else
private func play(_: String, folder _: String) async throws -> Int32 { throw Failed("only a debug build plays scenarios") }
#endif

/// What failed.
struct Failed: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func check(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws(Failed) {
    if !condition { throw Failed(otherwise()) }
}
