#if STAND_INS
import SwiftUI
import Testing

/// What stands over a screen, and how it goes.
@MainActor struct PresentationTests {
    private struct Item: Identifiable { let id: Int }

    @Test("A sheet covers what is under it, and can be dismissed from inside") func sheets() throws {
        struct Inside: View {
            @Environment(\.dismiss) private var dismiss
            var body: some View { Button("Done") { dismiss() } }
        }
        struct Page: View {
            let log: Log
            @State private var isShown = false
            var body: some View {
                Button("Open") { isShown = true }
                    .sheet(isPresented: $isShown, onDismiss: { log.add("dismissed") }) { Inside() }
            }
        }
        let log = Log()
        let host = ViewHost(Page(log: log))
        try host.tap("Open")
        #expect(host.shown.children.map(\.kind) == [.button, .sheet])
        #expect(host.tappable == ["Done"])
        try host.tap("Done")
        #expect(host.tappable == ["Open"])
        #expect(log.lines == ["dismissed"])
    }

    @Test("A sheet can be swiped away unless its content forbids it") func swiping() throws {
        struct Page: View {
            @State private var item: Item? = Item(id: 1)
            @State private var isBusy = true
            var body: some View {
                Text("Home").sheet(item: $item) { item in
                    Toggle("Busy \(item.id)", isOn: $isBusy).interactiveDismissDisabled(isBusy)
                }
            }
        }
        let host = ViewHost(Page())
        #expect(throws: ViewHostFailure.self) { try host.swipeAway() }
        try host.set("Busy 1", to: false)
        try host.swipeAway()
        #expect(host.shown.children.map(\.kind) == [.text])
    }

    @Test("A cover stands over a sheet, and the topmost alone can be touched") func covers() throws {
        struct Page: View {
            @State private var sheet = true
            @State private var cover = false
            var body: some View {
                Text("Home").sheet(isPresented: $sheet) {
                    Button("Cover") { cover = true }.fullScreenCover(isPresented: $cover) {
                        Button("Uncover") { cover = false }
                    }
                }
            }
        }
        let host = ViewHost(Page())
        try host.tap("Cover")
        #expect(host.shown.children.map(\.kind) == [.text, .sheet, .cover])
        #expect(host.tappable == ["Uncover"])
        try host.tap("Uncover")
        #expect(host.tappable == ["Cover"])
    }

    @Test("An alert is left by any of its buttons, and has one of the system's where it has none") func alerts() throws {
        struct Page: View {
            let log: Log
            @State private var asks = false
            @State private var tells = false
            var body: some View {
                VStack {
                    Button("Remove") { asks = true }
                    Button("Tell") { tells = true }
                }
                .confirmationDialog("Remove this device?", isPresented: $asks, titleVisibility: .visible) {
                    Button("Remove it", role: .destructive) { log.add("removed") }
                } message: {
                    Text("It has to be set up anew.")
                }
                .alert("Told", isPresented: $tells) {}
            }
        }
        let log = Log()
        let host = ViewHost(Page(log: log))
        try host.tap("Remove")
        #expect(host.tappable == ["Remove it", "Cancel"])
        #expect(
            host.shown.text().hasSuffix(
                """
                Dialog "Remove this device?"
                  Text "It has to be set up anew."
                  Button "Remove it" [role destructive]
                  Button "Cancel" [role cancel]
                """))
        try host.tap("Remove it")
        #expect(log.lines == ["removed"])
        #expect(host.tappable == ["Remove", "Tell"])
        try host.tap("Tell")
        #expect(host.tappable == ["OK"])
        try host.tap("OK")
        #expect(host.tappable == ["Remove", "Tell"])
    }

    @Test("A stack shows its topmost screen and goes back") func navigation() throws {
        struct Leaf: View {
            let log: Log
            @Environment(\.dismiss) private var dismiss
            var body: some View {
                Button("Leave") { dismiss() }.navigationTitle("Leaf").onAppear { log.add("leaf") }
                    .onDisappear { log.add("leaf gone") }
            }
        }
        struct Page: View {
            let log: Log
            @State private var count = 0
            var body: some View {
                NavigationStack {
                    List {
                        NavigationLink("By value", value: 7)
                        NavigationLink("By view") { Leaf(log: log) }
                        Button("Count \(count)") { count += 1 }
                    }
                    .onAppear { log.add("root") }
                    .onDisappear { log.add("root gone") }
                    .navigationDestination(for: Int.self) { Text("Number \($0)") }
                }
            }
        }
        let log = Log()
        let host = ViewHost(Page(log: log))
        try host.tap("Count 0")
        try host.tap("By view")
        #expect(host.tappable == ["Back", "Leave"])
        try host.tap("Leave")
        #expect(log.lines == ["root", "root gone", "leaf", "leaf gone", "root"])
        try host.tap("By value")
        #expect(host.shown.words == "Back Number 7")
        try host.tap("Back")
        #expect(host.tappable.last == "Count 1")
    }

    @Test("A path of the app's own leads the stack") func paths() throws {
        struct Page: View {
            @State private var path: [String] = ["a"]
            var body: some View {
                NavigationStack(path: $path) {
                    Text("Root").navigationDestination(for: String.self) { step in
                        Button("At \(step)") { path.append(step + "a") }
                    }
                }
            }
        }
        let host = ViewHost(Page())
        try host.tap("At a")
        #expect(host.tappable == ["Back", "At aa"])
        try host.tap("Back")
        try host.tap("Back")
        #expect(host.shown.words == "Root")
    }

    @Test("A link without a destination is shown as such") func missingDestination() throws {
        let host = ViewHost(NavigationStack { NavigationLink("Nowhere", value: 1) })
        try host.tap("Nowhere")
        #expect(host.shown.words.contains("No navigationDestination"))
    }

    @Test("A tab keeps its state while another is shown") func tabs() throws {
        struct Counter: View {
            @State private var count = 0
            var body: some View { Button("Count \(count)") { count += 1 } }
        }
        let host = ViewHost(
            TabView {
                Tab("First", systemImage: "1.circle") { Counter() }
                Tab("Second", systemImage: "2.circle") { Text("Other") }
            })
        try host.tap("Count 0")
        try host.tap("Second")
        #expect(host.tappable == ["First", "Second"])
        try host.tap("First")
        #expect(host.tappable.first == "Count 1")
    }

    @Test("Menus, swipes and toolbars are parts that can be tapped") func asides() throws {
        let log = Log()
        let host = ViewHost(
            NavigationStack {
                List {
                    Text("Row").swipeActions { Button("Delete", role: .destructive) { log.add("delete") } }
                        .contextMenu { Button("Rename") { log.add("rename") } }
                }
                .toolbar {
                    ToolbarItem(placement: .confirmationAction) { Button("Save") { log.add("save") } }
                    ToolbarItem(placement: .cancellationAction) { Button("Cancel") { log.add("cancel") } }
                }
            })
        for button in ["Delete", "Rename", "Save", "Cancel"] { try host.tap(button) }
        #expect(log.lines == ["delete", "rename", "save", "cancel"])
        #expect(
            host.shown.text() == """
                Navigation
                  List
                    Text "Row"
                      SwipeActions trailing
                        Button "Delete" [role destructive]
                      ContextMenu
                        Button "Rename"
                    Toolbar confirmationAction
                      Button "Save"
                    Toolbar cancellationAction
                      Button "Cancel"
                """)
    }

    @Test("Pulling a list down waits for its refresh") func refresh() async throws {
        let log = Log()
        let host = ViewHost(List { Text("Row") }.refreshable { await log.add("refreshed") })
        try await host.refresh()
        #expect(log.lines == ["refreshed"])
    }
}
#endif
