#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// The one use of what a prompt opened.
extension PromptContext {
    /// Signs the message that the person was asked for, with the key that they were asked for. Throws `notMatched` for every other, and the
    /// second time.
    func sign(_ message: [UInt8], with name: KeyName, in place: KeychainPlace) throws(Failure) -> [UInt8] {
        try use(for: Purpose(key: name, message: message, place: place))
        defer { end() }
        var query = place.query(key: name)
        query[kSecUseAuthenticationContext as String] = context
        guard let key = try KeychainCalls.key(query) else { throw AppleStatus(errSecItemNotFound).failure }
        return try KeychainCalls.sign(message, with: key)
    }

    /// Reads an item of the name that the person was asked for. Throws `notMatched` for every other, and the second time.
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
        // Whatever the system makes of the match: it does not ask again by itself.
        context.interactionNotAllowed = true
    }
}
#endif
