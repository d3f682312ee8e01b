/// The configuration of the private bus.
enum BusConfiguration {
    /// The configuration's text. Any user may connect, own any name and call any method: here only polkit restricts
    /// users.
    ///
    /// `<type>system</type>` makes fprintd and polkitd take this bus for the system bus. The lab starts both itself;
    /// the bus activates no service.
    static func text(socket: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>system</type>
          <listen>unix:path=\(socket.xmlEscaped)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_type="method_call"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow receive_sender="*"/>
          </policy>
        </busconfig>

        """
    }
}

extension String {
    fileprivate var xmlEscaped: String {
        reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.append(character)
            }
        }
    }
}
