#if Server
/// The most devices of an account, and the most enrolments and changes of keys in a day.
///
/// Rows of revoked devices and retired keys stay, so that none is enrolled again; the daily figures bound their number.
/// At a cap the newest is refused: if the oldest one ended instead, a stolen password could end the devices of the
/// account's owner.
///
/// Each way in has a share of its own, so that the thief of a password uses up no other: enrolments with full
/// credentials, enrolments that a device of the account vouches for, and for each device the changes of its keys, which
/// only the holder of its session key can make. An operator's change of the account (`accounts unlock`, `password`,
/// `disable` or `end`) gives all of them back, because only what came after it counts.
package struct AccountQuota: Hashable, Sendable {
    /// The most devices that are not revoked.
    package var devices = Limits.devices
    /// The most devices that are enrolled with full credentials in a day.
    package var enrolmentsInADay = Limits.enrolmentsInADay
    /// The most devices that are enrolled in a day because another device of the account vouches for them.
    package var vouchedInADay = Limits.vouchedInADay
    /// The most keys of one device that are replaced in a day. Removing one is never refused.
    package var keyChangesInADay = Limits.keyChangesInADay

    package init() {}

    /// The default quota.
    package static let standard = AccountQuota()

    /// No bound, for measurements and tests.
    package static let unbounded: AccountQuota = {
        var quota = AccountQuota()
        (quota.devices, quota.enrolmentsInADay, quota.vouchedInADay, quota.keyChangesInADay) = (.max, .max, .max, .max)
        return quota
    }()

    /// What an account has too much of. The raw value is the member `error` of the answer, where there is one.
    package enum Full: String, Hashable, Sendable {
        /// The account has the most devices that it may have.
        case devices = "too_many_devices"
        /// There were too many enrolments of this kind, or changes of the device's keys, in the last day.
        case changes
    }
}
#endif
