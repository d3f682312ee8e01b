#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The file with a back end's limits: a JSON object whose members are those of `ClientLimits`, all optional, with the
/// names of accounts in place of their ids. An unknown member is refused, because it might be a misspelt limit.
struct ClientLimitsFile: Message {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case accounts, transactions, amounts
        case requestsPerMinute = "requests_per_minute"
    }

    /// The names of accounts.
    var accounts: [String]?
    var transactions: [String]?
    var amounts: [String: String]?
    var requestsPerMinute: Int?

    /// Reads the file at this path. Throws `SetupError` for one that cannot be read or that is not such an object.
    static func limits(
        _ path: String, accountNamed account: (String) async throws -> Account
    ) async throws -> ClientLimits {
        guard let data = FileManager.default.contents(atPath: path) else { throw SetupError.unreadable(path) }
        guard data.count <= 1 << 20, let file = try? StrictJSON.decode(Self.self, from: Array(data)) else {
            throw SetupError.clientLimits(path)
        }
        var limits = ClientLimits()
        if let names = file.accounts {
            var ids: Set<String> = []
            for name in names {
                let id = try await account(name).id.text
                ids.insert(id)
            }
            limits.accounts = ids
        }
        if let names = file.transactions {
            let kinds = names.compactMap { ApprovalTransaction.Kind(rawValue: $0) }
            guard kinds.count == names.count else { throw SetupError.clientLimits(path) }
            limits.transactions = Set(kinds)
        }
        if let amounts = file.amounts {
            guard amounts.allSatisfy({ ShownText.currency.holds($0.key) && ShownText.amount.holds($0.value) }) else {
                throw SetupError.clientLimits(path)
            }
            limits.amounts = amounts
        }
        if let rate = file.requestsPerMinute {
            guard (1...Limits.requestsOfBackEnd).contains(rate) else { throw SetupError.clientLimits(path) }
            limits.requestsPerMinute = rate
        }
        return limits
    }
}
#endif
