#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// The single use of a match.
extension PromptContext {
    /// Signs the message of the prompt with the key of the prompt. Throws `notMatched` for every other message or key,
    /// and on a second use.
    func sign(_ message: [UInt8], with name: KeyName, in place: KeychainPlace) throws(Failure) -> [UInt8] {
        try use(for: Purpose(key: name, message: message, place: place))
        defer { end() }
        var query = place.query(key: name)
        query[kSecUseAuthenticationContext as String] = context
        guard let key = try KeychainCalls.key(query) else { throw AppleStatus(errSecItemNotFound).failure }
        return try KeychainCalls.sign(message, with: key)
    }

    /// Reads an item of the name in the prompt. Throws `notMatched` for every other name, and on a second use.
    func read(_ item: KeychainItem, of name: KeyName, in place: KeychainPlace) throws(Failure) -> [UInt8] {
        try use(for: Purpose(key: name, message: [], place: place))
        defer { end() }
        var query = place.query(item)
        query[kSecUseAuthenticationContext as String] = context
        guard let bytes = try KeychainCalls.data(query) else { throw AppleStatus(errSecItemNotFound).failure }
        return bytes
    }

    /// The access control of the key of the prompt, read without a prompt; nil where it cannot be read so. What is wrong
    /// with the key then, its use tells.
    func ownAccess() -> SecAccessControl? {
        guard let purpose else { return nil }
        return silently { (silent) throws(Failure) in
            var query = purpose.place.query(key: purpose.key)
            query[kSecUseAuthenticationContext as String] = silent
            return try KeychainCalls.key(query).flatMap { KeychainCalls.access(of: $0) }
        }
    }

    /// The access control of an item, read without a prompt; nil where it cannot be read so.
    func ownAccess(to item: KeychainItem) -> SecAccessControl? {
        guard let purpose else { return nil }
        return silently { (silent) throws(Failure) in
            var query = purpose.place.query(item)
            query[kSecUseAuthenticationContext as String] = silent
            return try KeychainCalls.access(to: query)
        }
    }

    /// Reads with a context that cannot show a prompt.
    private func silently(_ read: (LAContext) throws(Failure) -> SecAccessControl?) -> SecAccessControl? {
        let silent = LAContext()
        silent.interactionNotAllowed = true
        defer { silent.invalidate() }
        return try? read(silent)
    }

    private func use(for purpose: Purpose) throws(Failure) {
        guard self.purpose == purpose, didMatch, !wasUsed else { throw Failure(.notMatched) }
        // If the system does not accept the match, it must not show a prompt of its own.
        context.interactionNotAllowed = true
    }
}
#endif
