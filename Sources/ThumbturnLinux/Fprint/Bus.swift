#if LinuxDevice && os(Linux)
import CSystemd
import Glibc

/// An error that came over the bus, or stands for the bus itself being gone.
struct BusError: Error, Hashable, Sendable {
    /// For example `net.reactivated.Fprint.Error.NoSuchDevice`.
    var name: String

    static let disconnected = BusError(name: "org.freedesktop.DBus.Error.Disconnected")
}

/// One connection to the system bus. Not for several threads.
@safe final class Bus {
    /// What one call is given.
    enum Argument {
        case text(String)
        case number(UInt32)
    }

    /// What a call brought: the texts and the number at its beginning.
    struct Reply {
        var texts: [String]
        var number: UInt32?
    }

    private let bus: OpaquePointer

    /// - Parameter address: nil for the system's.
    init(address: String?) throws(BusError) {
        var opened: OpaquePointer?
        if let address {
            guard unsafe sd_bus_new(&opened) >= 0, unsafe sd_bus_set_address(opened, address) >= 0,
                unsafe sd_bus_set_bus_client(opened, 1) >= 0, unsafe sd_bus_start(opened) >= 0
            else {
                unsafe sd_bus_unref(opened)
                throw .disconnected
            }
        } else {
            guard unsafe sd_bus_open_system(&opened) >= 0 else { throw .disconnected }
        }
        guard let opened = unsafe opened else { throw .disconnected }
        unsafe bus = opened
        unsafe sd_bus_set_method_call_timeout(bus, 5_000_000)
    }

    deinit { unsafe sd_bus_flush_close_unref(bus) }

    /// Calls a method and waits for its answer, 5 s at most. Signals that come meanwhile wait their turn.
    @discardableResult
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: Argument...
    ) throws(BusError) -> Reply {
        var request: OpaquePointer?
        guard unsafe sd_bus_message_new_method_call(bus, &request, destination, path, interface, member) >= 0 else {
            throw .disconnected
        }
        defer { unsafe sd_bus_message_unref(request) }
        for argument in arguments {
            switch argument {
            case .text(let text): unsafe sd_bus_message_append_basic(request, CChar(UInt8(ascii: "s")), text)
            case .number(var number): unsafe sd_bus_message_append_basic(request, CChar(UInt8(ascii: "u")), &number)
            }
        }
        var error = unsafe sd_bus_error()
        var reply: OpaquePointer?
        defer {
            unsafe sd_bus_error_free(&error)
            unsafe sd_bus_message_unref(reply)
        }
        guard unsafe sd_bus_call(bus, request, 0, &error, &reply) >= 0 else {
            guard let name = unsafe error.name else { throw .disconnected }
            throw unsafe BusError(name: String(cString: name))
        }
        return unsafe Self.read(reply)
    }

    /// The next signal that has already come; nil where there is none.
    func received() throws(BusError) -> BusSignal? {
        while true {
            var message: OpaquePointer?
            let progress = unsafe sd_bus_process(bus, &message)
            defer { unsafe sd_bus_message_unref(message) }
            guard progress >= 0 else { throw .disconnected }
            if let message = unsafe message, unsafe sd_bus_message_is_signal(message, nil, nil) > 0 {
                return unsafe BusSignal(
                    sender: Self.text(sd_bus_message_get_sender(message)), path: Self.text(sd_bus_message_get_path(message)),
                    interface: Self.text(sd_bus_message_get_interface(message)),
                    member: Self.text(sd_bus_message_get_member(message)),
                    texts: Self.read(message).texts
                )
            }
            if progress == 0 { return nil }
        }
    }

    /// What `poll` has to watch for this connection.
    var watched: pollfd {
        pollfd(fd: unsafe sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: unsafe sd_bus_get_events(bus)), revents: 0)
    }

    private static func read(_ message: OpaquePointer?) -> Reply {
        var read = Reply(texts: [])
        while true {
            var kind: CChar = 0
            var contents: UnsafePointer<CChar>?
            guard unsafe sd_bus_message_peek_type(message, &kind, &contents) > 0 else { return read }
            switch UInt8(bitPattern: kind) {
            case UInt8(ascii: "s"), UInt8(ascii: "o"):
                var value: UnsafePointer<CChar>?
                guard unsafe sd_bus_message_read_basic(message, kind, &value) > 0 else { return read }
                unsafe read.texts.append(text(value))
            case UInt8(ascii: "u"):
                var value: UInt32 = 0
                guard unsafe sd_bus_message_read_basic(message, kind, &value) > 0 else { return read }
                read.number = value
            case UInt8(ascii: "a") where unsafe text(contents) == "s", UInt8(ascii: "v") where unsafe text(contents) == "s":
                guard unsafe sd_bus_message_enter_container(message, kind, contents) > 0 else { return read }
                var value: UnsafePointer<CChar>?
                while unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &value) > 0 {
                    unsafe read.texts.append(text(value))
                }
                unsafe sd_bus_message_exit_container(message)
            default: return read
            }
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return unsafe String(cString: pointer)
    }
}
#endif
