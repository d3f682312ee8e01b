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

    private func use(for purpose: Purpose) throws(Failure) {
        guard self.purpose == purpose, didMatch, !wasUsed else { throw Failure(.notMatched) }
        // If the system does not accept the match, it must not show a prompt of its own.
        context.interactionNotAllowed = true
    }
}
#endif
