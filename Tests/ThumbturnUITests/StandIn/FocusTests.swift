#if STAND_INS
import SwiftUI
import Testing

/// Keys, focus, VoiceOver and what is felt.
@MainActor struct FocusTests {
    @Test("A key reaches a view only with the focus inside it") func keys() {
        struct Pad: View {
            let isFocusable: Bool
            @State private var digits = ""
            @FocusState private var hasFocus: Bool
            var body: some View {
                Text(digits).focusable(isFocusable).focused($hasFocus)
                    .onKeyPress(characters: .decimalDigits) { press in
                        digits += press.characters
                        return .handled
                    }
                    .onKeyPress(.delete) {
                        digits.removeLast()
                        return .handled
                    }
                    .onAppear { hasFocus = true }
            }
        }
        let host = ViewHost(Pad(isFocusable: true))
        for key in "123x" { host.press(key) }
        #expect(host.press("\u{8}"))
        #expect(!host.press("x"))
        #expect(host.shown.words == "12")
        let unfocused = ViewHost(Pad(isFocusable: false))
        #expect(!unfocused.press("1"))
        #expect(unfocused.shown.words == "")
    }

    @Test("A focus that no view can have is given up") func focusIsGivenUp() throws {
        struct Page: View {
            enum Field { case name, pin }
            @State private var hasPIN = false
            @FocusState private var field: Field?
            var body: some View {
                TextField("Name", text: .constant("")).focused($field, equals: .name)
                    .onSubmit { field = .pin }
                if hasPIN { SecureField("PIN", text: .constant("1234")).focused($field, equals: .pin) }
                Text(field == nil ? "no focus" : "focus")
                Toggle("With PIN", isOn: $hasPIN)
            }
        }
        let host = ViewHost(Page())
        try host.submit("Name")
        #expect(host.shown.words.contains("focus"))
        try host.set("With PIN", to: true)
        try host.submit("Name")
        #expect(host.shown.all.first { $0.kind == .secureField }?.value("focused") == "")
    }

    @Test("The shortcut of a button presses it, unless it is off") func shortcuts() {
        let log = Log()
        func page(_ isOff: Bool) -> some View {
            VStack {
                Button("Confirm") { log.add("confirm") }.keyboardShortcut(.defaultAction).disabled(isOff)
                Button("Cancel", role: .cancel) { log.add("cancel") }.keyboardShortcut(.cancelAction)
            }
        }
        let host = ViewHost(page(false))
        #expect(host.press("\r") && host.press("\u{1B}"))
        #expect(log.lines == ["confirm", "cancel"])
        #expect(!ViewHost(page(true)).press("\r"))
    }

    @Test("Announcements and feedback are recorded by the host that made them") func journal() async throws {
        struct Page: View {
            @State private var count = 0
            var body: some View {
                Button("More") {
                    count += 1
                    AccessibilityNotification.Announcement("\(count) of 2").post()
                }
                .sensoryFeedback(.selection, trigger: count)
                .sensoryFeedback(.success, trigger: count) { _, new in new == 2 }
                .task(id: count) { AccessibilityNotification.Announcement("task \(count)").post() }
            }
        }
        let (host, other) = (ViewHost(Page()), ViewHost(Page()))
        try host.tap("More")
        try host.tap("More")
        #expect(host.announcements.filter { $0.hasSuffix("of 2") } == ["1 of 2", "2 of 2"])
        #expect(host.feedback == ["selection", "selection", "success"])
        #expect(other.announcements == [] && other.feedback == [])
        try await host.wait(for: "the task's word") { _ in host.announcements.contains("task 2") }
    }

    @Test("Labels for VoiceOver name a control, and actions are performed by name") func voiceOver() throws {
        let log = Log()
        let host = ViewHost(
            VStack {
                Button {
                    log.add("delete")
                } label: {
                    Image(systemName: "delete.left")
                }.accessibilityLabel("Delete digit")
                Text("Row").accessibilityAction(named: "Rename") { log.add("rename") }
                HStack { Text("3 of 6") }.accessibilityElement(children: .ignore).accessibilityLabel("PIN").accessibilityValue(
                    "3 digits")
            })
        try host.tap("Delete digit")
        try host.perform("Rename", on: "Row")
        #expect(log.lines == ["delete", "rename"])
        #expect(host.shown.words == "Delete digit Row PIN")
    }

    @Test("What is laid over a hidden view is heard") func layers() {
        let host = ViewHost(
            Text("Secret").disabled(true).accessibilityHidden(true).overlay { Text("Locked") }.transition(.opacity))
        #expect(host.shown.words == "Locked")
        #expect(
            host.shown.text() == """
                Layers [transition opacity]
                  Text "Secret" [disabled, accessibilityHidden]
                  Overlay
                    Text "Locked"
                """)
    }

    @Test("Links are opened by the system, or by the app") func links() throws {
        let page = Link("Help", destination: URL(string: "https://example.com/help")!)
        let host = ViewHost(page)
        try host.tap("Help")
        #expect(host.opened == [URL(string: "https://example.com/help")!])
        var seen: [URL] = []
        let kept = ViewHost(
            page.environment(
                \.openURL,
                OpenURLAction { url in
                    seen.append(url)
                    return .handled
                }))
        try kept.tap("Help")
        #expect(kept.opened == [] && seen.count == 1)
    }
}
#endif
