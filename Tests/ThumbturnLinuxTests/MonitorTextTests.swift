import Testing

@testable import ThumbturnLinuxLab

/// Recorded output of `dbus-monitor` 1.14 and the signals that the lab reads from it.
struct MonitorTextTests {
    private func signals(in text: String) -> [BusSignal] {
        var parser = MonitorText()
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { parser.take(String($0)) }
    }

    @Test("a status is complete with its last value, before the next message comes")
    func status() {
        let text = """
            signal time=1795260038.657028 sender=:1.4 -> destination=(null destination) serial=79 path=/net/reactivated/Fprint/Device/0; interface=net.reactivated.Fprint.Device; member=VerifyFingerSelected
               string "right-index-finger"
            signal time=1795260040.612309 sender=:1.4 -> destination=:1.9 serial=121 path=/net/reactivated/Fprint/Device/0; interface=net.reactivated.Fprint.Device; member=VerifyStatus
               string "verify-retry-scan"
               boolean false
            """
        #expect(
            signals(in: text) == [.verifyFingerSelected("right-index-finger"), .verifyStatus("verify-retry-scan", done: false)])
    }

    @Test("each changed property is a signal, and invalidated properties are ignored")
    func properties() {
        let text = """
            signal time=1795259496.244867 sender=:1.4 -> destination=(null destination) serial=49 path=/net/reactivated/Fprint/Device/0; interface=org.freedesktop.DBus.Properties; member=PropertiesChanged
               string "net.reactivated.Fprint.Device"
               array [
                  dict entry(
                     string "finger-needed"
                     variant             boolean false
                  )
                  dict entry(
                     string "finger-present"
                     variant             boolean true
                  )
               ]
               array [
               ]
            """
        #expect(signals(in: text) == [.fingerNeeded(false), .fingerPresent(true)])
    }

    @Test("owners of names, the listener's own start, new rules, and a removed reader")
    func others() {
        let text = """
            signal time=1.1 sender=org.freedesktop.DBus -> destination=:1.8 serial=2 path=/org/freedesktop/DBus; interface=org.freedesktop.DBus; member=NameAcquired
               string ":1.8"
            signal time=1.2 sender=org.freedesktop.DBus -> destination=:1.8 serial=4 path=/org/freedesktop/DBus; interface=org.freedesktop.DBus; member=NameLost
               string ":1.8"
            signal time=1.3 sender=org.freedesktop.DBus -> destination=(null destination) serial=62 path=/org/freedesktop/DBus; interface=org.freedesktop.DBus; member=NameOwnerChanged
               string "net.reactivated.Fprint"
               string ":1.4"
               string ""
            signal time=1.4 sender=:1.1 -> destination=(null destination) serial=75 path=/org/freedesktop/PolicyKit1/Authority; interface=org.freedesktop.PolicyKit1.Authority; member=Changed
            signal time=1.5 sender=:1.4 -> destination=(null destination) serial=506 path=/net/reactivated/Fprint; interface=org.freedesktop.DBus.ObjectManager; member=InterfacesRemoved
               object path "/net/reactivated/Fprint/Device/0"
               array [
                  string "net.reactivated.Fprint.Device"
               ]
            """
        #expect(
            signals(in: text) == [
                .listening, .nameOwner("net.reactivated.Fprint", was: ":1.4", now: ""), .rulesChanged,
                .deviceRemoved("/net/reactivated/Fprint/Device/0"),
            ])
    }
}
