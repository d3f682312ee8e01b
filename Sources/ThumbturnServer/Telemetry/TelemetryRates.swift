#if Server
/// The batches that a sender may send in a minute.
package struct TelemetryRates: Hashable, Sendable {
    package var ofDevice = Limits.telemetryOfDevice
    package var ofKey = Limits.telemetryOfKey
    package var ofNetwork = Limits.telemetryOfNetwork

    package init() {}
}
#endif
