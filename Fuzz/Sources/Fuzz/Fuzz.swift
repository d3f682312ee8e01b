import Foundation
import Synchronization
import ThumbturnParsers

/// Runs one fuzzing target through libFuzzer, or prints something about the targets.
///
///     Fuzz list                     prints the names of the targets
///     Fuzz seeds TARGET FOLDER      writes the target's valid and hostile inputs to a folder
///     Fuzz TARGET [libFuzzer's options and folders]
@main enum Fuzz {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("list", 1): print((Parser.all.map(\.name) + Differential.all.map(\.name)).joined(separator: "\n"))
        case ("seeds", 3): try writeSeeds(of: arguments[1], to: arguments[2])
        case (let name?, _):
            guard let work = work(of: name) else { stop("There is no target \(name).") }
            target.withLock { $0 = Target(run: work) }
            exit(runLibFuzzer())
        case (nil, _): stop("usage: Fuzz list | seeds TARGET FOLDER | TARGET [options]")
        }
    }

    /// The work of a target on one input; it traps where the input shows a mistake.
    private static func work(of name: String) -> (@Sendable ([UInt8]) -> Void)? {
        if let parser = Parser.named(name) { return { _ = parser.accepts($0) } }
        guard let pair = Differential.named(name) else { return nil }
        return { bytes in
            if let difference = pair.difference(bytes) { fatalError("\(pair.name): \(difference)") }
        }
    }

    /// Hostile inputs are short here, because libFuzzer makes long ones of them by itself.
    private static func writeSeeds(of name: String, to folder: String) throws {
        let inputs: [[UInt8]]
        if let parser = Parser.named(name) {
            inputs = parser.examples + parser.hostile(512).map(\.bytes)
        } else if let pair = Differential.named(name) {
            inputs = pair.examples
        } else {
            stop("There is no target \(name).")
        }
        for (number, input) in inputs.enumerated() {
            try Data(input).write(to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(number)"))
        }
    }

    /// libFuzzer reads the target's name as its own name, and so the options begin behind it.
    private static func runLibFuzzer() -> Int32 {
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv + 1
        return LLVMFuzzerRunDriver(&count, &arguments) { start, count in
            Fuzz.target.withLock { $0 }.run(Array(UnsafeBufferPointer(start: start, count: count)))
            return 0
        }
    }

    /// A structure, because a function in a generic place is wrapped anew each time that it is read: after some hundred
    /// thousand inputs the stack was full.
    private struct Target: Sendable { var run: @Sendable ([UInt8]) -> Void }

    private static let target = Mutex(Target { _ in })

    private static func stop(_ sentence: String) -> Never {
        FileHandle.standardError.write(Data("\(sentence)\n".utf8))
        exit(64)
    }
}

/// libFuzzer as a library (llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library): runs a function on one input after
/// another, until an option or a crash ends it.
@_silgen_name("LLVMFuzzerRunDriver")
private func LLVMFuzzerRunDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
