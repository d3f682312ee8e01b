#if Tools
import ArgumentParser
import Foundation

/// The question before a command that ends sessions or keys.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do it without asking.")
    var yes = false

    /// Prints what the command will do, and throws unless the operator agrees.
    func ask(_ sentence: String) throws {
        print(sentence)
        if yes { return }
        print("Type yes to go on: ", terminator: "")
        fflush(nil)
        guard readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else { throw NotConfirmed() }
    }
}

/// The operator did not agree, or there was no terminal to ask at.
struct NotConfirmed: Error, CustomStringConvertible {
    var description: String { "Nothing was changed. Answer yes, or run it again with --yes." }
}
#endif
