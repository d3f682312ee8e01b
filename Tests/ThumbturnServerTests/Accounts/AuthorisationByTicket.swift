#if Tools
import ThumbturnCore
@testable import ThumbturnServer

extension SQLStore {
    /// Enrols a device as a ticket does that full credentials gave.
    ///
    /// - Parameter spends: what is consumed with it, in place of the ticket.
    func enrol(_ device: NewDevice, spending spends: [Spend], generation: Int64 = 0) async throws -> DeviceView? {
        let ticket = Tickets.Right(
            account: device.account, spend: Spend(.ticket, id: device.id.bytes, expiresAt: .init(seconds: .max), epoch: 0),
            voucher: nil, freshness: .fresh, credentialGeneration: generation)
        let authorisation = Authorisation(
            rules: .enrol, spends: spends, grounds: .ticket(ticket), jkt: device.sessionJKT)
        guard case .done(let enrolled) = try await enrol(device, by: authorisation) else { return nil }
        return enrolled
    }
}
#endif
