#if STAND_INS
import Observation
import SwiftUI
import Testing

/// What reaches a view from above and from its style.
@MainActor struct EnvironmentTests {
    @Observable @MainActor final class Model { var name = "Ada" }

    @Test("The environment passes down, and the nearest value counts") func passesDown() {
        struct Reader: View {
            @Environment(\.colorScheme) private var scheme
            @Environment(\.layoutDirection) private var direction
            var body: some View { Text("\(String(describing: scheme)) \(String(describing: direction))") }
        }
        let host = ViewHost(
            VStack {
                Reader()
                Reader().environment(\.colorScheme, .light)
            }.environment(\.colorScheme, .dark))
        #expect(host.shown.words == "dark leftToRight light leftToRight")
        host.environment.layoutDirection = .rightToLeft
        #expect(host.shown.words == "dark rightToLeft light rightToLeft")
    }

    @Test("An object of a type is found by its type, and is bindable") func objects() throws {
        struct Reader: View {
            @Environment(Model.self) private var model
            var body: some View {
                @Bindable var model = model
                TextField("Name", text: $model.name)
            }
        }
        let model = Model()
        let host = ViewHost(Reader().environment(model))
        try host.set("Name", to: "Grace")
        #expect(model.name == "Grace")
    }

    @Test("A key of the app's own") func keys() {
        struct Reader: View {
            @Environment(\.accent) private var accent
            var body: some View { Text(accent) }
        }
        #expect(ViewHost(Reader()).shown.words == "plain")
        #expect(ViewHost(Reader().environment(\.accent, "loud")).shown.words == "loud")
    }

    @Test("The device's settings are read") func settings() {
        struct Reader: View {
            @Environment(\.accessibilityReduceMotion) private var reducesMotion
            @Environment(\.accessibilityVoiceOverEnabled) private var voiceOver
            @ScaledMetric private var size = 17.0
            var body: some View { Text("\(String(reducesMotion)) \(String(voiceOver)) \(size, format: .number)") }
        }
        var environment = EnvironmentValues()
        environment.standInSettings.reducesMotion = true
        environment.dynamicTypeSize = .accessibility1
        #expect(ViewHost(Reader(), environment: environment).shown.words == "true false 28")
    }

    @Test("What is disabled cannot be tapped, and no inner view enables it") func disabled() throws {
        let host = ViewHost(
            VStack {
                Button("A") {}
                Button("B") {}.disabled(false)
                Toggle("C", isOn: .constant(true))
                TextField("D", text: .constant(""))
            }.disabled(true))
        #expect(host.tappable == [])
        #expect(throws: ViewHostFailure.self) { try host.tap("A") }
        #expect(throws: ViewHostFailure.self) { try host.set("D", to: "x") }
    }

    @Test("A failed step tells what could have been done") func failures() throws {
        let host = ViewHost(
            VStack {
                Button("Retry") {}
                Button("Cancel") {}
            })
        let failure = #expect(throws: ViewHostFailure.self) { try host.tap("Unlock") }
        #expect(failure?.description.contains("“Retry”, “Cancel”") == true)
    }

    @Test("A style of the app's own makes the button, and reads the environment") func styles() throws {
        struct Round: ButtonStyle {
            @Environment(\.isEnabled) private var isEnabled
            func makeBody(configuration: Configuration) -> some View {
                configuration.label.padding(12).background(isEnabled ? Color.blue : .gray, in: .circle)
            }
        }
        var taps = 0
        let host = ViewHost(
            HStack {
                Button("1") { taps += 1 }
                Button("2") { taps += 1 }.disabled(true)
            }.buttonStyle(Round()))
        try host.tap("1")
        #expect(taps == 1)
        #expect(
            host.shown.text() == """
                Horizontal [buttonStyle Round]
                  Button "1" [padding 12, background blue in circle]
                  Button "2" [padding 12, background gray in circle, disabled] (off)
                """)
    }

    @Test("A style that replaces the button triggers it") func primitiveStyles() throws {
        struct Twice: PrimitiveButtonStyle {
            func makeBody(configuration: Configuration) -> some View {
                VStack {
                    Button(configuration)
                    Text("or").onTapGesture { configuration.trigger() }
                }
            }
        }
        var taps = 0
        let host = ViewHost(Button("Go") { taps += 1 }.buttonStyle(Twice()))
        try host.tap("Go")
        try host.tap("or")
        #expect(taps == 2)
    }

    @Test("A modifier of the app's own has a state, and its content's stays") func modifiers() throws {
        struct Framed: ViewModifier {
            @State private var isOpen = false
            func body(content: Content) -> some View {
                VStack {
                    Button(isOpen ? "Close" : "Open") { isOpen.toggle() }
                    content.font(isOpen ? .title : .body)
                }
            }
        }
        struct Counter: View {
            @State private var count = 0
            var body: some View { Button("Count \(count)") { count += 1 } }
        }
        let host = ViewHost(Counter().modifier(Framed()))
        try host.tap("Count 0")
        try host.tap("Open")
        #expect(host.tappable == ["Close", "Count 1"])
    }

    @Test("Labels follow their style, and symbols are not read out") func labels() {
        let label = Label("Unlock", systemImage: "lock")
        #expect(ViewHost(label).shown.words == "Unlock")
        #expect(ViewHost(label.labelStyle(.iconOnly)).shown.words == "Unlock")
        #expect(ViewHost(label.labelStyle(.titleOnly)).shown.all.allSatisfy { $0.kind != .symbol })
    }
}

private enum AccentKey: EnvironmentKey {
    static let defaultValue = "plain"
}

extension EnvironmentValues {
    fileprivate var accent: String {
        get { self[AccentKey.self] }
        set { self[AccentKey.self] = newValue }
    }
}
#endif
